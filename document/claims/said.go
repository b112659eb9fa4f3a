package claims

import (
	"regexp"
	"strings"
	"sync"

	"handoff/document/seen"
	"handoff/document/words"
	"handoff/internal/text/prose"
)

// token is a word of a sentence.
type token struct {
	text string // without marks around it, in small letters
	raw  string // as written
	code bool
}

// around is what may stand around a word.
const around = "*_`\"'“”.,;:!?()[]<>"

// name is the word as written, without marks around it.
func (t token) name() string { return strings.Trim(t.raw, around) }

// tokens are the words of a sentence. A code span is one.
func tokens(sentence string) (list []token) {
	const usual = 24
	list = make([]token, 0, usual)
	for rest := sentence; ; {
		rest = strings.TrimLeft(rest, " \t\n([\"“")
		if rest == "" {
			return list
		}
		end := wordEnd(rest, 0)
		if i := strings.IndexByte(rest[:end], '`'); i >= 0 {
			end = wordEnd(rest, prose.AfterCode(rest, i))
		}
		raw := rest[:end]
		text := strings.ToLower(strings.Trim(raw, around))
		list = append(list, token{text: text, raw: raw, code: strings.Contains(raw, "`")})
		rest = rest[end:]
	}
}

// wordEnd is the offset of the first blank of a text from an offset on.
func wordEnd(text string, at int) int {
	for at < len(text) && text[at] != ' ' && text[at] != '\t' && text[at] != '\n' {
		at++
	}
	return at
}

// The forms of names in a sentence.
var forms = sync.OnceValue(func() (f struct{ issue, version, commit *regexp.Regexp }) {
	f.issue = regexp.MustCompile(`^(#\d+|!\d+|[A-Z][A-Z0-9]+-\d+)$`)
	f.version = regexp.MustCompile(`^v?\d+\.\d+(\.\d+)?$`)
	f.commit = regexp.MustCompile(`^[0-9a-f]{7,40}$`)
	return f
})

// said are the claims of an English sentence that are not about tests; those that can be looked up too if all is set.
func said(sentence string, all bool) (found []Claim) {
	text := strings.TrimSpace(sentence)
	if strings.HasSuffix(text, "?") || quotes(text) {
		return nil
	}
	if checkbox(text) == 'x' {
		text = strings.TrimSpace(text[len("[x]"):])
	}
	list := tokens(text)
	for i := range list {
		if kind, ok := asserted(list, i); ok && declared(list, i) {
			c := Claim{Kind: kind, Text: text}
			if kind == Tests {
				c.Kinds = seen.Builds
			}
			if kind == Merged || kind == Pushed {
				c.Name = named(list)
			}
			found = append(found, c)
			break // "merged and pushed" is one
		}
	}
	if !all {
		return found
	}
	if kind, ok := stated(list); ok && len(found) == 0 {
		c := Claim{Kind: kind, Text: text}
		if kind == Tests {
			c.Kinds = kindsOf(text)
		}
		found = append(found, c)
	}
	for _, c := range lookedUp(text, list) {
		// Of what was merged or pushed the question is where it is: a branch that was merged is often gone.
		if len(found) == 0 || c.Name == "" || c.Name != found[0].Name {
			found = append(found, c)
		}
	}
	return found
}

// quotes reports whether a sentence is in quotation marks.
func quotes(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "*_ "), "\"") || strings.HasPrefix(text, "“")
}

// asserted is the kind of claim that a word makes with the words around it.
func asserted(list []token, i int) (kind Kind, ok bool) {
	if list[i].code {
		return 0, false
	}
	word, en := list[i].text, words.English
	switch {
	case en.Has("merged", word):
		return Merged, done(list, i) && anyIs(list, "merge_object", forms().issue)
	case en.Has("pushed", word):
		return Pushed, done(list, i) && anyIs(list, "push_object", nil)
	case en.Has("deployed", word):
		return Published, done(list, i)
	case en.Has("released", word):
		return Published, (done(list, i) || i+2 < len(list) && list[i+1].text == "in") && anyIs(list, "release_object", forms().version)
	case en.Has("closed", word):
		return Closed, done(list, i) && (anyIs(list, "", forms().issue) || word == "closed" && anyIs(list, "issue", nil))
	case en.Has("ended", word):
		return Closed, done(list, i) && anyIs(list[max(i-2, 0):i], "", forms().issue)
	case en.Has("running", word):
		return Published, (word != "live" || done(list, i)) && anyIs(list, "release_object", forms().version)
	case word == "compiles":
		return Tests, i+1 == len(list) || prose.OneOf(list[i+1].text, "cleanly", "without", "again", "now", "fine")
	case (word == "by" || word == "to") && i > 0 && en.Has("owned", list[i-1].text) && i+1 < len(list):
		return Owner, isName(list[i+1])
	case en.Has("owns", word) && i > 0 && i+1 < len(list) && (word == "owns" || list[i+1].text == "on"):
		return Owner, word != "working" && isName(list[i-1]) || i > 1 && list[i-1].text == "is" && isName(list[i-2])
	}
	return 0, false
}

// isName reports whether a word may be a person or an agent: it begins with a capital, or an @.
func isName(t token) bool {
	raw := strings.TrimLeft(t.raw, "*_`")
	return raw != "" && (raw[0] == '@' || 'A' <= raw[0] && raw[0] <= 'Z' && !words.English.Has("pronoun", t.text))
}

// anyIs reports whether a word of a sentence is in a list, or has a form.
func anyIs(list []token, key string, form *regexp.Regexp) bool {
	for _, t := range list {
		if key != "" && words.English.Has(key, t.text) || form != nil && form.MatchString(t.name()) {
			return true
		}
	}
	return false
}

// done reports whether a participle says what is: it begins the sentence, or follows a form of "to be" or "to have",
// who did it, or what it is about.
func done(list []token, i int) bool {
	if i == 0 || strings.HasSuffix(list[i-1].raw, ":") || strings.HasSuffix(list[i-1].raw, ",") || list[i-1].text == "" {
		return true
	}
	before := list[i-1]
	return words.English.Has("done_before", before.text) || before.code || forms().issue.MatchString(before.name()) || forms().commit.MatchString(before.text) || forms().version.MatchString(before.text)
}

// declared reports whether nothing in the clause before a word makes it a wish, a condition or its contrary.
func declared(list []token, i int) bool {
	for k := i - 1; k >= 0; k-- {
		t := list[k]
		if !t.code && wishes(t.text) && !(t.text == "to" && aims(tokenAt(list, k+1))) && !(t.text == "can" && prose.OneOf(tokenAt(list, k+2).text, "installed", "downloaded", "had")) &&
			!(t.text == "be" && tokenAt(list, k-1).text == "can") {
			return false
		}
		if strings.HasSuffix(t.raw, ",") || strings.HasSuffix(t.raw, ":") && k > 0 || t.text == "" {
			break
		}
	}
	for k := i + 1; k < min(i+3, len(list)); k++ {
		if words.English.Has("unless", list[k].text) {
			return false
		}
	}
	return true
}

// aims reports whether "to" before a word says where something went, and begins no wish: "to completion", "to all users".
func aims(t token) bool {
	return t.code || strings.HasSuffix(t.text, "ing") || strings.HasSuffix(t.text, "ion") || prose.OneOf(t.text, "the", "all", "our", "its", "both", "main", "master") || t.is("places")
}

// wishes reports whether a word, or one of "create/verify", makes a sentence no statement.
func wishes(word string) bool {
	for part := range strings.SplitSeq(word, "/") {
		if words.English.Has("wish", part) || words.English.Has("modal", part) {
			return true
		}
	}
	return false
}

// named is the commit that a sentence names, else the branch, or "".
func named(list []token) string {
	for i := range list {
		if name, ok := commitAt(list, i); ok {
			return name
		}
	}
	for i := range list {
		if name, ok := branchAt(list, i); ok {
			return name
		}
	}
	return ""
}
