package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// vagueNextAction flags a next action that names no object.
func vagueNextAction(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil || len(s.Fences) > 0 {
		return
	}
	other := inOther(p, s)
	var at handoff.Lines
	quote := ""
	for n, line := range proseOf(p, s) {
		if line = plain(line); line == "" {
			continue
		}
		if namesThing(line, p.Name.PhaseText) && !(other && words.Vague(line)) {
			return
		}
		if at.Last = n; at.First == 0 {
			at.First, quote = n, line
		}
	}
	if at.First > 0 && (!other || words.Vague(sectionText(p, s))) {
		p.At(at, "next action names nothing to act on (%q)", excerpt(quote))
	}
}

// inOther reports whether a section is in another language than English. There a noun is enough, because nothing shows which words are
// names: only what consists of words for any work is vague.
func inOther(p *lint.Pass, s *handoff.Section) bool {
	if s.Spelling == handoff.Translated || s.Heading.Text != handoff.SpecOf(s.Kind).Heading && words.OtherSection(s.Heading.Text, true) > 0 {
		return true
	}
	for _, line := range proseOf(p, s) {
		if strings.IndexFunc(line, func(r rune) bool { return r >= 0xc0 && unicode.IsLetter(r) && !unicode.In(r, unicode.Greek) }) >= 0 {
			return true
		}
	}
	return false
}

// sectionText is what a person reads of a section.
func sectionText(p *lint.Pass, s *handoff.Section) string {
	var b strings.Builder
	for _, line := range proseOf(p, s) {
		b.WriteString(plain(line) + "\n")
	}
	return b.String()
}

// thingMarks are bytes that vague prose does not have: code, quotes, formulas,
// generics, links, addresses.
const thingMarks = "`\"_\\/{}[]<>=#$@|&+^~"

// namesThing reports whether a line names an object: code, a path, an
// identifier, a call(), a number, a quotation, an acronym. The number of the
// document's own phase does not count, because the successor knows it.
func namesThing(line, phase string) bool {
	before, opens := "", true // the word before; whether the next one opens a sentence
	numbered := false         // it has a number, which alone names nothing: "line 40", "3 things", "v2"
	for rest := line; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		if word == "" {
			break
		}
		bare := prose.Trim(word, ".,;:!?()*'")
		own := startsFold(before, "phase") && bare == phase
		if isNumber(bare) {
			numbered = numbered || !own
		} else if !own && (strings.LastIndex(word, "()") > 0 || thingWord(bare) || !opens && acronym(bare, before)) {
			return true
		}
		before, opens = bare, strings.HasSuffix(word, ".") || strings.HasSuffix(word, ":") || bare == ""
	}
	return numbered && !onlyVague(line)
}

// isNumber reports whether a word is only a number, perhaps that of a version: 3, v2, 2nd.
func isNumber(word string) bool {
	digits := strings.TrimLeft(word, "vV")
	return len(word)-len(digits) <= 1 && prose.DigitAt(digits, 0) && len(strings.TrimLeft(digits, "0123456789")) <= 2 && strings.Trim(digits, "0123456789stndrh") == ""
}

// onlyVague reports whether a line has only numbers and words for any work.
func onlyVague(line string) bool {
	for rest := line; ; {
		var word string
		word, rest = nextWord(rest)
		if word == "" {
			return true
		}
		if bare := prose.Trim(word, ".,;:!?()*'"); bare != "" && !isNumber(bare) && !words.English.Has("vague", bare) {
			return false
		}
	}
}

// nextWord cuts the first word off s; both are empty if there is none.
func nextWord(s string) (word, rest string) {
	from := 0
	for from < len(s) && (s[from] == ' ' || s[from] == '\t') {
		from++
	}
	to := from
	for to < len(s) && s[to] != ' ' && s[to] != '\t' {
		to++
	}
	return s[from:to], s[to:]
}

// thingWord reports whether a word by its letters is the name of an object:
// snake_case, camelCase, a dot within, a digit, a symbol.
func thingWord(word string) bool {
	if andOr(word) {
		return false
	}
	lower, asked, short := false, false, false
	for i, r := range word {
		switch {
		case unicode.IsDigit(r), r < utf8.RuneSelf && strings.IndexByte(thingMarks, byte(r)) >= 0,
			r >= utf8.RuneSelf && (unicode.IsSymbol(r) || unicode.In(r, unicode.Greek) || strings.ContainsRune("“”«»‘", r)):
			return true
		case unicode.IsUpper(r) && lower:
			return true
		case r == '.' && i+1 < len(word) && word[i+1] != '.':
			if !asked {
				asked, short = true, abbreviation(word)
			}
			if !short {
				return true
			}
		}
		lower = unicode.IsLower(r)
	}
	return false
}

// andOr recognizes the words of prose that have a slash.
func andOr(word string) bool {
	return words.English.Has("slashed", word)
}

// abbreviation reports whether every letter of the word has its own dot, or the
// word is a common abbreviation: "e.g", "i.e", "a.m".
func abbreviation(word string) bool {
	word = prose.TrimLeft(word, "([\"'*_")
	if words.English.Has("abbreviation", prose.TrimRight(word, ".")) {
		return true
	}
	for i := 1; i < len(word); i += 2 {
		if word[i] != '.' {
			return false
		}
	}
	return len(word) > 0
}

// acronym reports whether a word is a short name in capitals: "CI". Words that agents write in capitals for
// emphasis are not, and neither is a word with one capital, which names no place: "Module X", "the Parser".
func acronym(word, before string) bool {
	return len(word) >= 2 && len(word) <= 6 && word[0] >= 'A' && word[0] <= 'Z' && strings.ToUpper(word) == word &&
		!loud(before) && !words.English.Has("loud", word)
}

// loud reports whether a word of more than one letter is all capitals.
func loud(word string) bool { return len(word) > 1 && strings.ToUpper(word) == word }
