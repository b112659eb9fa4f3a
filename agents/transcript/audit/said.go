package audit

import (
	"iter"
	"slices"
	"strings"
)

// Sizes in bytes: a shorter sentence says too little to be found again, a longer one is pasted; so is a longer text.
const (
	shortest = 10
	longest  = 400
	pasted   = 20 << 10
)

// leadIns may be before what a user orders.
var leadIns = []string{"please", "also", "and", "but", "so", "then", "ok", "okay", "yes", "yeah", "yep", "no", "nah", "well", "oh", "note", "note:", "remember:", "important:", "rule:", "again", "just", "actually", "always:", "maybe", "hmm", "cool", "great", "right", "important", "remember", "to"}

// orders begin a rule, and within a sentence follow whom it obliges.
var (
	orders   = []string{"never", "always", "don't", "dont", "do not", "avoid", "make sure", "be sure", "ensure", "only", "from now on", "must", "under no circumstances", "keep", "use", "prefer", "stick to", "no need to", "leave"}
	obliges  = []string{"must not", "must never", "must always", "should never", "should always", "should not", "shouldn't", "mustn't", "you must", "we must", "must be", "must have", "please don't", "please do not", "please never", "please always", "not allowed", "is forbidden", "are forbidden", "off limits", "from now on", "going forward", "at all times", "under any circumstances", "without asking"}
	chooses  = []string{"let's go with", "lets go with", "let's use", "lets use", "let's keep", "lets keep", "let's not", "lets not", "let's rename", "let's call", "let's drop", "let's make it", "let's stick", "let's store", "let's put", "let's bump", "let's limit", "go with", "going with", "i'd go with", "i would go with", "i'd prefer", "i prefer", "i would prefer", "i'd rather", "we'll use", "we will use", "we'll go with", "we decided", "i decided", "i've decided", "decision:", "stay with", "stick with"}
	unsettle = []string{"keep going", "keep in mind", "keep me posted", "let's keep going", "lets keep going", "don't know", "don't think", "don't see", "don't understand", "don't get", "don't have", "don't want", "don't mind", "don't believe", "don't like"}
)

// kindOf is the kind of a sentence of the user, "" for none.
func kindOf(sentence string) Kind {
	if strings.HasSuffix(sentence, "?") {
		return ""
	}
	s := ordered(sentence)
	if word, _, _ := strings.Cut(s, " "); strings.ContainsAny(word, ":(") && len(word) > longWord { // a message of a program
		return ""
	}
	begins := func(phrase string) bool {
		rest, ok := strings.CutPrefix(s, phrase)
		return ok && (rest == "" || !letter(rest[0]))
	}
	switch {
	case slices.ContainsFunc(unsettle, begins):
		return ""
	case slices.ContainsFunc(chooses, begins):
		return Decision
	case slices.ContainsFunc(orders, begins), slices.ContainsFunc(obliges, func(phrase string) bool { return within(s, phrase) }):
		return Rule
	case within(s, "let's go with"), within(s, "i'd prefer"), within(s, "i prefer"):
		return Decision
	}
	return ""
}

// longWord is longer than the first word of an order.
const longWord = 12

// ordered is a sentence in lower case, from what may be an order on.
func ordered(sentence string) string {
	s := strings.ReplaceAll(strings.ToLower(sentence), "’", "'")
	for {
		word, rest, ok := strings.Cut(s, " ")
		if !ok || !slices.Contains(leadIns, strings.TrimRight(word, ",.!-–—")) {
			return s
		}
		s = strings.TrimLeft(rest, " -–—,")
	}
}

// within reports whether a text has a phrase as whole words.
func within(s, phrase string) bool {
	for at := 0; ; {
		i := strings.Index(s[at:], phrase)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(phrase)
		if (from == 0 || !letter(s[from-1])) && (to == len(s) || !letter(s[to])) {
			return true
		}
		at = to
	}
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c >= 0x80 }

// sentences yields the sentences of a text outside of code, quotes, headings, tables and tags.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(text) > pasted || strings.HasPrefix(text, accepted) {
			return
		}
		fenced := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || line == "" || strings.ContainsAny(line[:1], "#>|<`+@") {
				continue
			}
			for s := range split(strings.Trim(strings.TrimLeft(line, "-+ 0123456789.)"), "*_ ")) {
				if len(s) >= shortest && len(s) <= longest && !yield(s) {
					return
				}
			}
		}
	}
}

// accepted begins a plan that Claude Code passes to a new context in the user's name. It is the agent's, and in a file.
const accepted = "Implement the following plan:"

// split yields the sentences of a line. A full stop ends one only before a blank, so that names of files stay whole.
func split(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		from := 0
		for i := 0; i+1 < len(line); i++ {
			if strings.IndexByte(".!?", line[i]) >= 0 && line[i+1] == ' ' {
				if !yield(strings.TrimSpace(line[from : i+1])) {
					return
				}
				from = i + 1
			}
		}
		yield(strings.TrimSpace(line[from:]))
	}
}

// asking is the tool with which Claude Code has the user choose.
const asking = "AskUserQuestion"

// answers yields the questions of the agent with what the user answered. A question is no answer.
func answers(output string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		_, rest, _ := strings.Cut(output, `: "`)
		for {
			question, after, ok := strings.Cut(rest, `"="`)
			answer, more, closed := strings.Cut(after, `"`)
			if !ok || !closed {
				return
			}
			answer = strings.ReplaceAll(answer, " (Recommended)", "")
			if !strings.HasSuffix(strings.TrimRight(answer, ` )"`), "?") && !yield(question, answer) {
				return
			}
			_, rest, _ = strings.Cut(more, `"`)
		}
	}
}
