package claims

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
)

// OtherLanguage reports whether a document may be in another language than English: it has letters that
// English has not, or a heading in another language.
func OtherLanguage(doc *handoff.Document) bool {
	if doc.Foreign() {
		return true
	}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		if s.Spelling == handoff.Translated || s.Kind != handoff.Other && s.Spelling == handoff.Exact && s.Heading.Text != handoff.SpecOf(s.Kind).Heading &&
			words.OtherSection(s.Heading.Text, true) > 0 { // in a layout
			return true
		}
	}
	return false
}

// cutLabel cuts a text after its first colon. ok is false if there is none near its beginning.
func cutLabel(text string) (name, value string, ok bool) {
	const most = 60
	i := strings.IndexAny(text[:min(len(text), most)], ":：")
	if i < 0 {
		return "", text, false
	}
	return strings.Trim(text[:i], " *_-"), text[i+1:], true
}

// saysPassing is the offset of the verdict in a text that states that tests or a build pass; -1 if it does not.
func saysPassing(text string) int {
	for _, verdict := range words.English.List("verdict") {
		for at := 0; ; at += len(verdict) {
			i := prose.IndexFold(text[at:], verdict)
			if i < 0 {
				break
			}
			if at += i; inflected(text[at+len(verdict):]) && subject(text[:at]) && !inCode(text, at) && !quoted(text[:at]) && !conditional(text[at:]) {
				if name, _, ok := cutLabel(text); ok && words.Criteria(name) {
					return -1 // "**Goal state**: all tests pass"
				}
				return at
			}
		}
	}
	return -1
}

// inflected reports whether a text begins with the end of a verdict: "ed", or the end of its word.
func inflected(rest string) bool {
	n := 0
	for n < len(rest) && prose.WordByte(rest[n]) {
		n++
	}
	return n == 0 || words.English.Has("ending", rest[:n])
}

// quoted reports whether a text ends within a quotation.
func quoted(before string) bool {
	return strings.Count(before, "\"")%2 == 1 || strings.LastIndex(before, "“") > strings.LastIndex(before, "”")
}

// conditional reports whether a text that begins with a verdict goes on with a condition, or is a question.
func conditional(text string) bool {
	if end := strings.IndexAny(text, ".;!?\n"); end >= 0 && text[end] == '?' {
		return true
	}
	rest := strings.TrimLeft(text, " \t")
	rest = rest[len(firstWord(rest)):]
	if code := strings.TrimLeft(rest, " "); strings.HasPrefix(code, "`") { // tests pass `nil` to it
		return words.English.Has("passed_on", strings.ToLower(firstWord(code[prose.AfterCode(code, 0):])))
	}
	next := strings.ToLower(prose.Trim(firstWord(rest), ".,;:()*_"))
	if next == "when" { // we stopped
		rest = strings.TrimLeft(rest, " ")[len("when"):]
		return !prose.OneOf(strings.ToLower(firstWord(rest)), "i", "we")
	}
	return words.English.Has("condition", next)
}

// firstWord is the text up to the first blank, without blanks before it.
func firstWord(text string) string {
	text = strings.TrimLeft(text, " \t")
	if end := strings.IndexAny(text, " \t"); end >= 0 {
		return text[:end]
	}
	return text
}

// inCode reports whether an offset is in a code span, which may be a quotation.
func inCode(text string, offset int) bool {
	for at := 0; at < offset; at++ {
		if text[at] == '`' {
			if at = prose.AfterCode(text, at) - 1; at >= offset {
				return true
			}
		}
	}
	return false
}

// subject reports whether the words right before a verdict are what passes, and nothing
// before them in the sentence makes it a wish or a condition.
func subject(before string) bool {
	before = lastSentence(before)
	count, last, counted := 0, "", false
	for rest := strings.TrimRight(before, " *`\n"); rest != "" && count < 5; count++ {
		i := strings.LastIndexAny(rest, " (*`\n")
		last, rest = prose.Trim(rest[i+1:], "*`:,)(→=✅✔✓-–—"), strings.TrimRight(rest[:max(i, 0)], " (*`\n")
		if part(last) {
			return false // "82/88 passed"
		}
		counted = counted || count == 0 && last != "" && number(last)
		switch {
		case count == 0 && whole(last): // "34/34 passed"
			return !wished(rest)
		case counted && rest == "" && (last == "" || number(last)): // "45 passing"
			return true
		case words.English.Has("tests", last):
			return !wished(rest) && !(strings.EqualFold(last, "test") && generic(rest))
		case last == "" || number(last) || words.English.Has("between", last):
		default:
			return false
		}
	}
	return false
}

// lastSentence is what a text has of its last sentence. A colon ends one, but for that after what passes: "Tests: 40 passed".
// A new line ends one only before the marks of a label or an item.
func lastSentence(text string) string {
	for at := len(text) - 1; at >= 0; at-- {
		switch c := text[at]; c {
		case '.', ';':
			return text[at+1:]
		case ':':
			word := strings.TrimRight(text[:at], "*_ ")
			word = word[strings.LastIndexAny(word, " *_(\n")+1:]
			if !words.English.Has("tests", word) {
				return text[at+1:]
			}
		case '\n':
			if next := strings.TrimLeft(text[at:], " \n"); next != "" && strings.IndexByte("*-+|>#", next[0]) >= 0 || begins(text, at) {
				return text[at+1:]
			}
		}
	}
	return text
}

// begins reports whether a new line begins another sentence, though the one before has no end: with a capital, after a
// word that needs none to follow. A text may have been cut there.
func begins(text string, newline int) bool {
	if newline+1 == len(text) || text[newline+1] < 'A' || text[newline+1] > 'Z' {
		return false
	}
	last := text[strings.LastIndexAny(text[:newline], " \n")+1 : newline]
	return !words.English.Has("wish", last) && !words.English.Has("between", last) && !words.English.Has("generic", last) && !strings.EqualFold(last, "the")
}

// whole reports whether a word is all of a count: 34/34.
func whole(word string) bool {
	of, all, ok := strings.Cut(word, "/")
	return ok && of == all && of != "" && number(of)
}

// part reports whether a word is a part of a count: 82/88.
func part(word string) bool {
	of, all, ok := strings.Cut(word, "/")
	return ok && of != all && of != "" && all != "" && strings.Trim(of+all, "0123456789") == ""
}

// number reports whether a word is a count: 40, 40/40, 100%.
func number(word string) bool { return strings.Trim(word, "0123456789/%,+") == "" }

// generic reports whether the word before a single test makes it any test: "a negative test passes when …".
func generic(before string) bool {
	fields := strings.Fields(before)
	for _, word := range fields[max(0, len(fields)-3):] {
		if words.English.Has("generic", word) {
			return true
		}
	}
	return false
}

// wished reports whether the beginning of a sentence makes the rest no statement.
func wished(before string) bool {
	for word := range strings.FieldsFuncSeq(before, func(r rune) bool { return r == ' ' || r == ',' || r == '*' || r == '\n' }) {
		if words.English.Has("wish", word) {
			return true
		}
	}
	return false
}
