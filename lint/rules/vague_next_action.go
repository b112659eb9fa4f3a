package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// vagueNextAction flags a next action that names no object.
func vagueNextAction(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil || len(s.Fences) > 0 {
		return
	}
	var at handoff.Lines
	quote := ""
	for n, line := range proseOf(p, s) {
		if line = plain(line); line == "" {
			continue
		}
		if namesThing(line, p.Name.PhaseText) {
			return
		}
		if at.Last = n; at.First == 0 {
			at.First, quote = n, line
		}
	}
	if at.First > 0 {
		p.At(at, "next action names nothing to act on (%q)", short(quote))
	}
}

// thingMarks are bytes that vague prose does not have: code, quotes, formulas,
// generics, links, addresses.
const thingMarks = "`\"_\\/{}[]<>=#$@|&+^~"

// namesThing reports whether a line names an object: code, a path, an
// identifier, a call(), a number, a quotation, a proper name. The number of the
// document's own phase does not count, because the successor knows it.
func namesThing(line, phase string) bool {
	before, opens := "", true // the word before; whether the next one opens a sentence
	for rest := line; rest != ""; {
		var word string
		word, rest = nextWord(rest)
		if word == "" {
			break
		}
		bare := prose.Trim(word, ".,;:!?()*'")
		own := startsFold(before, "phase") && bare == phase
		if !own && (strings.LastIndex(word, "()") > 0 || thingWord(bare) || !opens && properName(bare, before)) {
			return true
		}
		before, opens = bare, strings.HasSuffix(word, ".") || strings.HasSuffix(word, ":") || bare == ""
	}
	return false
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
	return prose.OneOf(word, "and/or", "either/or", "n/a", "w/o", "tbd/todo", "yes/no")
}

// abbreviation reports whether every letter of the word has its own dot, or the
// word is a common abbreviation: "e.g", "i.e", "a.m".
func abbreviation(word string) bool {
	word = prose.TrimLeft(word, "([\"'*_")
	if prose.OneOf(prose.TrimRight(word, "."), "etc", "vs", "cf", "approx", "resp", "incl", "fig", "eq", "thm", "sec", "ch", "pp", "no", "wrt", "dr", "mr", "ms", "st") {
		return true
	}
	for i := 1; i < len(word); i += 2 {
		if word[i] != '.' {
			return false
		}
	}
	return len(word) > 0
}

// properName reports whether a word within a sentence is a name: "Lindenbaum",
// "CI". Words that agents write in capitals for emphasis, and words that count
// ("Pattern C"), are not.
func properName(word, before string) bool {
	if len(word) < 2 || word[0] < 'A' || word[0] > 'Z' {
		return false
	}
	if strings.ToUpper(word) == word {
		return len(word) <= 6 && !loud(before) && !loudWord(word)
	}
	return !countingNoun(word)
}

// loud reports whether a word of more than one letter is all capitals.
func loud(word string) bool { return len(word) > 1 && strings.ToUpper(word) == word }

// loudWord recognizes words that agents write in capitals for emphasis.
func loudWord(word string) bool {
	switch word {
	case "AFTER", "ALL", "AND", "ANY", "BEFORE", "BOTH", "BUILD", "DO", "DONE", "FINAL", "FIRST",
		"FIX", "IS", "LAST", "MUST", "NEVER", "NEW", "NEXT", "NO", "NOT", "NOW", "ONLY", "OR", "STILL",
		"STOP", "TBD", "THE", "THEN", "TODO", "WIP", "WORK":
		return true
	}
	return false
}

// countingNoun recognizes nouns that only have a number: "Step 2".
func countingNoun(word string) bool {
	switch word {
	case "Approach", "Case", "Goal", "Handoff", "Implementation", "Iteration", "Next", "Option",
		"Pattern", "Phase", "Phases", "Plan", "Stage", "Step", "Steps", "Task", "The", "Then", "This",
		"Work":
		return true
	}
	return false
}
