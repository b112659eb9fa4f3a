package claims

import (
	"slices"
	"strings"

	"handoff/document/words"
	"handoff/internal/text/prose"
)

// token is a word of a sentence.
type token struct {
	text   string // without marks around it, in small letters
	raw    string // as written
	lists  class  // the lists of words that it is in
	code   bool
	quoted bool // it is within quotation marks
	opens  bool // a parenthesis

	path   *prose.Path // that it is, once it was asked for
	pathed bool
}

// around is what may stand around a word, aroundASCII those marks of it that are one byte.
const (
	aroundASCII = "*_`\"'.,;:!?()[]<>"
	around      = aroundASCII + "“”"
)

// dashes divide clauses.
const dashes = "-–—→"

// name is the word as written, without marks around it.
func (t token) name() string { return trimmed(t.raw) }

// usualWords is how many words of a sentence need only one allocation.
const usualWords = 40

// tokens are the words of a sentence. A code span is one.
func tokens(sentence string) []token { return appendTokens(nil, sentence) }

// appendTokens adds the words of a sentence to a list.
func appendTokens(list []token, sentence string) []token {
	if list == nil {
		list = make([]token, 0, usualWords)
	}
	inQuotes, all := false, table()
	for rest := sentence; ; {
		start := opening(rest)
		marks := rest[:start]
		if rest = rest[start:]; rest == "" {
			return list
		}
		end := wordEnd(rest, 0)
		code := strings.IndexByte(rest[:end], '`')
		if code >= 0 {
			end = wordEnd(rest, prose.AfterCode(rest, code))
		}
		raw := rest[:end]
		t := token{raw: raw, code: code >= 0}
		if marks != "" && marks != " " {
			inQuotes = inQuotes != strings.ContainsAny(marks, "\"“")
			t.opens = strings.Contains(marks, "(")
		}
		t.quoted = inQuotes
		if t.text, t.lists = all.small(trimmed(raw)); t.lists == 0 && strings.HasSuffix(t.text, "'s") {
			t.lists = classOf(strings.TrimSuffix(t.text, "'s")) & wordTests
		}
		if t.text != "" && (t.text[0] == '-' || t.text[0] >= 0x80) && strings.Trim(t.text, dashes) == "" {
			t.text = ""
		}
		list = append(list, t)
		if !t.code {
			inQuotes = inQuotes != (strings.Count(raw, "\"")%2 == 1 || strings.Contains(raw, "”"))
		}
		rest = rest[end:]
	}
}

// opening is the offset of the first word of a text, after blanks and marks that open.
func opening(text string) int {
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == ' ', c == '\t', c == '\n', c == '(', c == '[', c == '"':
		case strings.HasPrefix(text[at:], "“"):
			at += len("“") - 1
		default:
			return at
		}
	}
	return len(text)
}

// trimmed is a word without what is [around] it: most marks are of one byte, for which that is faster.
func trimmed(word string) string {
	word = prose.Trim(word, aroundASCII)
	if word != "" && (word[0] >= 0x80 || word[len(word)-1] >= 0x80) {
		return strings.Trim(word, around)
	}
	return word
}

// wordEnd is the offset of the first blank of a text from an offset on.
func wordEnd(text string, at int) int {
	for at < len(text) && text[at] != ' ' && text[at] != '\t' && text[at] != '\n' {
		at++
	}
	return at
}

// is reports whether a word is in one of some lists.
func (t token) is(lists class) bool { return !t.code && t.lists&lists != 0 }

// in reports whether a word is in a list that is asked rarely.
func (t token) in(key string) bool { return !t.code && words.English.Has(key, t.text) }

// said are the claims of an English sentence: those of some finders that nothing shows, and those that can be looked up if all are wanted.
func (r *reading) said(sentence string, may finders) (found []Claim) {
	text := strings.TrimSpace(sentence)
	if strings.HasSuffix(text, "?") {
		return nil
	}
	if quotes(text) {
		if c, ok := titled(text); ok && r.all {
			return []Claim{c}
		}
		return nil
	}
	if checkbox(text) == 'x' {
		text = strings.TrimSpace(text[len("[x]"):])
	}
	r.words = appendTokens(r.words[:0], text)
	list := r.words
	if c, ok := claimed(list, may); ok && (c.Kind == Owner || !ordered(list)) && !(c.Kind == Tests && failing(list)) { // "ask Ann, she owns it" is a claim
		if c.Text = text; c.Kind == Tests {
			c.Kinds = kindsOf(list, text)
		}
		found = append(found, c)
	}
	if !r.all {
		return found
	}
	if c, ok := titled(text); ok {
		return append(found, c)
	}
	if c, ok := formed(text, list); ok {
		return append(slices.DeleteFunc(found, func(f Claim) bool { return f.Kind == c.Kind }), c)
	}
	for _, c := range lookedUp(text, list) {
		// Of what was merged or pushed the question is where it is: a branch that was merged is often gone.
		if len(found) == 0 || c.Name == "" || c.Name != found[0].Name {
			found = append(found, c)
		}
	}
	return found
}

// claimed is what a sentence claims by its verb, or by what it says of what it names. "Merged and pushed" is one.
func claimed(list []token, may finders) (c Claim, ok bool) {
	if may&byVerb != 0 {
		for i := range list {
			if kind, ok := asserted(list, i); ok && declared(list, i) && !nothing(list, i) {
				if c.Kind = kind; kind == Merged || kind == Pushed {
					c.Name = named(list)
				}
				return c, true
			}
		}
	}
	c.Kind, ok = stated(list, may)
	return c, ok
}

// failing reports whether a sentence says that some of what was run failed, or that not all passed: "40 passed, 2 failed",
// "17/18 checks pass", "most tests pass", "all tests pass except two". That is no claim on which a successor would build. Failures
// that were fixed do not count.
func failing(list []token) bool {
	for i := range list {
		next := tokenAt(list, i+1)
		switch n := count(strings.TrimLeft(list[i].text, "~")); {
		case list[i].raw[0] >= 0x80 && strings.ContainsAny(list[i].raw, "✗✘❌"):
			return true
		case prose.OneOf(list[i].text, "except", "excepting", "apart", "besides"):
			return true
		case prose.OneOf(list[i].text, "some", "most", "half", "few", "many", "several") && before(list, min(i+5, len(list)), 4, checker):
			return true
		case part(list[i].text) && (checker(next) || next.is(wordPassing)):
			return true
		case n > 0 && (next.text == "of" && n < count(tokenAt(list, i+2).text) || next.text == "out" && n < count(tokenAt(list, i+3).text)):
			return true
		case (prose.OneOf(list[i].text, "partially", "partly", "nearly", "almost", "mostly") || strings.HasSuffix(list[i].text, "%") && list[i].text != "100%") && (next.is(wordPassing) || next.is(wordWell)):
			return true
		case n > 0 && before(list, min(i+6, len(list)), 5, func(t token) bool { return t.text == "failures" }) && !before(list, min(i+6, len(list)), 5, func(t token) bool { return t.is(wordNoneOf|wordPassing) || count(t.text) > 0 && t.text != list[i].text }):
			return !anyIs(list, wordCleared, nil)
		case n > 0 && (prose.OneOf(next.text, "failed", "fail", "failing", "failure", "failures") || next.text == "tests" && prose.OneOf(tokenAt(list, i+2).text, "fail", "failed", "failing")):
			return !anyIs(list, wordCleared, nil)
		}
	}
	return false
}

// quotes reports whether a sentence is in quotation marks.
func quotes(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, "*_ "), "\"") || strings.HasPrefix(text, "“")
}

// asserted is the kind of claim that a word makes with the words around it.
func asserted(list []token, i int) (kind Kind, ok bool) {
	if list[i].code || list[i].quoted {
		return 0, false
	}
	word := list[i].text
	switch {
	case list[i].is(wordMerged):
		return Merged, done(list, i) && anyIs(list, wordMergeObject, issueForm)
	case list[i].is(wordPushed):
		return Pushed, done(list, i) && anyIs(list, wordPushObject, nil)
	case list[i].is(wordDeployed):
		if prose.OneOf(tokenAt(list, i+1).text, "via", "using", "automatically") {
			return 0, false // how it is done
		}
		return Published, done(list, i) || i > 0 && prose.OneOf(tokenAt(list, i+1).text, "to", "on", "at") && !after(list, i, finite)
	case list[i].is(wordReleased):
		return Published, i == 0 && labels(list[0]) && len(list) > 1 || (done(list, i) || i+2 < len(list) && list[i+1].text == "in") && anyIs(list, wordReleaseObject, versionForm)
	case list[i].is(wordClosed):
		return Closed, done(list, i) && (anyIs(list, 0, issueForm) || word == "closed" && anyIs(list, wordIssue, nil))
	case list[i].is(wordEnded):
		return Closed, done(list, i) && anyIs(list[max(i-2, 0):i], 0, issueForm) && !issueForm(tokenAt(list, i+1).name())
	case list[i].is(wordRunning):
		if word == "live" {
			return Published, goes(list, i) && (ends(list, i) || prose.OneOf(tokenAt(list, i+1).text, "on", "in", "at", "for", "to", "as", "with")) && anyIs(list, wordReleaseObject, versionForm)
		}
		return Published, (word != "running" || done(list, i)) && anyIs(list[i+1:min(i+5, len(list))], wordReleaseObject, nil)
	case word == "compiles", word == "compile" && i > 1 && strings.HasSuffix(list[i-1].text, "s"):
		return Tests, i+1 == len(list) || prose.OneOf(list[i+1].text, "cleanly", "without", "again", "now", "fine", "for", "on", "under")
	}
	return 0, false
}

// isName reports whether a word may be a person or an agent: it begins with a capital, or an @, and is no name in code.
func isName(t token) bool {
	raw := strings.Trim(t.raw, "*_,.;:()'")
	if raw == "" || t.code || t.in("pronoun") {
		return false
	}
	return raw[0] == '@' || 'A' <= raw[0] && raw[0] <= 'Z' && !strings.ContainsAny(raw, "./_(") && strings.ToLower(raw[1:]) == strings.TrimSuffix(raw[1:], "-")
}

// anyIs reports whether a word of a sentence, in code too, is in a list, or has a form.
func anyIs(list []token, lists class, form func(string) bool) bool {
	for i := range list {
		if list[i].lists&lists != 0 || form != nil && form(list[i].name()) {
			return true
		}
	}
	return false
}

// anyIn is [anyIs] for a list that is asked rarely.
func anyIn(list []token, key string) bool {
	for i := range list {
		if words.English.Has(key, list[i].text) {
			return true
		}
	}
	return false
}

// done reports whether a participle says what is: it begins the sentence, or follows a form of "to be" or "to have",
// who did it, or what it is about.
func done(list []token, i int) bool {
	if i == 0 && !strings.HasSuffix(list[0].raw, ":") && after(list[:min(len(list), 8)], 0, finite) {
		return false // "shipped versions are kept"
	}
	if i == 0 || strings.HasSuffix(list[i-1].raw, ":") || strings.HasSuffix(list[i-1].raw, ",") || list[i-1].text == "" && strings.Trim(list[i-1].raw, dashes) != "" {
		return true
	}
	before := list[i-1]
	return before.lists&wordDoneBefore != 0 && before.text != "being" || before.code || issueForm(before.name()) || commitForm(before.text) || versionForm(before.text)
}

// declared reports whether nothing in the clause before a word makes it a wish, a condition or its contrary.
func declared(list []token, i int) bool {
	for k := i - 1; k >= 0; k-- {
		t := list[k]
		if !t.code && wishes(t.text) && !(t.text == "plan" && k > 0 && !isPronoun(list[k-1])) && !(t.text == "planned" && tokenAt(list, k-1).text == "the") && !(t.text == "to" && aims(tokenAt(list, k+1))) && !(t.text == "can" && prose.OneOf(tokenAt(list, k+2).text, "installed", "downloaded", "had")) &&
			!(t.text == "be" && tokenAt(list, k-1).text == "can") {
			return false
		}
		if strings.HasSuffix(t.raw, ",") || strings.HasSuffix(t.raw, ":") && k > 0 || t.text == "" {
			break
		}
	}
	for k := i + 1; k < min(i+3, len(list)); k++ {
		if list[k].in("unless") {
			return false
		}
	}
	return true
}

// isPronoun reports whether a word is one: "we plan to", and not "phase 1 of the plan".
func isPronoun(t token) bool { return prose.OneOf(t.text, "i", "we", "they", "you") }

// ofOthers reports whether a sentence repeats what somebody else says: "Ann reported that the suite is green". What a check
// reports is its result, and what "we" say our own.
func ofOthers(list []token) bool {
	for i := 1; i+1 < len(list); i++ {
		if list[i].in("repeats") && prose.OneOf(list[i+1].text, "that", "the", "all") {
			return !isPronoun(list[i-1]) && !before(list, i, 3, checker)
		}
	}
	return false
}

// former reports whether a sentence says only how it once was, or is each time: "previously all tests passed", "it was green before
// the refactoring", "green after every slice". The last run is the newest that there is.
func former(list []token) bool {
	if len(list) == 0 || anyIn(list, "newest") {
		return false
	}
	for i := range list {
		if i == 0 && list[i].in("formerly") || prose.OneOf(list[i].text, "each", "every") && (i == 0 && tokenAt(list, 1).raw != "" && labels(list[1]) || i > 0 && prose.OneOf(list[i-1].text, "after", "before", "in", "at")) {
			return true
		}
		if list[i].text == "before" && before(list, i, 6, func(t token) bool { return prose.OneOf(t.text, "was", "were", "had") }) && (ends(list, i) || list[i+1].text == "the" && !checker(tokenAt(list, i+2))) {
			return true
		}
	}
	return false
}

// ordered reports whether a sentence begins, perhaps after a label, as an order, a condition, a criterion or a description, or tells
// what others say or how it once was.
func ordered(list []token) bool {
	for i := range list[:min(len(list), 2)] {
		if i == 1 && !labels(list[0]) {
			break
		}
		t, next := list[i], tokenAt(list, i+1)
		if i == 0 && prose.OneOf(t.text, "verify", "expect", "expected", "ensure", "success") && (t.text != "success" || next.text == "=") ||
			prose.OneOf(t.text, "run", "re-run") && (next.code || next.text == "the" || next.text == "all") {
			return true
		}
		if t.is(wordOrders) && !labels(t) || prose.OneOf(t.text, "if", "when", "once", "until", "unless", "before", "whenever") || t.text == "done" && tokenAt(list, i+1).text == "when" || i == 0 && describes(list) {
			return true
		}
	}
	return ofOthers(list) || former(list)
}

// describes reports whether a sentence begins with the label of a description: "Backend stack: Hono, deployed to AWS".
func describes(list []token) bool {
	for i := range list[:min(len(list), 4)] {
		if labels(list[i]) {
			return list[i].in("described")
		}
	}
	return false
}

// finite reports whether a word is a verb that has another subject than a participle before it.
func finite(t token) bool { return prose.OneOf(t.text, "is", "are", "was", "were", "stay", "remain") }

// aims reports whether "to" before a word says where something went, and begins no wish: "to completion", "to all users", "to 40 ms".
func aims(t token) bool {
	return t.code || t.text == "green" || prose.DigitAt(t.text, 0) || strings.HasSuffix(t.text, "ing") || strings.HasSuffix(t.text, "ion") || prose.OneOf(t.text, "the", "all", "our", "its", "both", "main", "master") || t.is(wordPlaces)
}

// wishes reports whether a word, or one of "create/verify", makes a sentence no statement. A path does not: "src/check/x.go".
func wishes(word string) bool {
	if strings.IndexByte(word, '.') >= 0 {
		return false
	}
	for part := range strings.SplitSeq(word, "/") {
		if classOf(part)&wordWish != 0 {
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
