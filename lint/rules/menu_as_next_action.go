package rules

import (
	"strings"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// menuAsNextAction flags a next action that leaves a choice to the successor.
func menuAsNextAction(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil {
		return
	}
	other := claims.OtherLanguage(p.Doc)
	for n, line := range proseOf(p, s) {
		offer := offered(line, other)
		if offer == "" {
			continue
		}
		p.At(handoff.Lines{First: n, Last: n}, "next action offers a choice (%q): choose one, put the other under Key Decisions Made", excerpt(offer))
		return
	}
}

// offered are the words with which a line offers alternatives. other means that the document may be in another
// language than English.
func offered(line string, other bool) string {
	if mayOffer(line) {
		if from, to := offer(line); to > 0 {
			return line[from:to]
		}
	}
	if other {
		return choiceIn(line)
	}
	return ""
}

// mayOffer is a fast check before the exact one. It looks for the rarest letter
// of each word.
func mayOffer(line string) bool {
	for i := 0; i < len(line); i++ {
		may, before, rest := false, line[:i], line[i:]
		switch line[i] {
		case 'p':
			may = strings.HasPrefix(rest, "pproach") || strings.HasPrefix(rest, "ption")
		case 'h':
			may = strings.HasSuffix(before, "it") && strings.HasPrefix(rest, "her") || strings.HasPrefix(rest, "hoice")
		case 'R':
			may = strings.HasSuffix(before, "O")
		case 'v':
			may = strings.HasSuffix(before, "lternati")
		case 'w':
			may = strings.HasSuffix(before, "for") && strings.HasPrefix(rest, "ward") || strings.HasPrefix(rest, "ways")
		case 'g':
			may = strings.HasSuffix(before, "trate")
		}
		if may {
			return true
		}
	}
	return strings.EqualFold(prose.Trim(line, " *_-:"), "or")
}

// offer finds the place where a line offers alternatives. A plain "or", "and"
// or "then" is not an offer: most good steps have one.
func offer(line string) (from, to int) {
	text := plain(line)
	start := len(line) - len(text)
	if alone := prose.Trim(text, " *_-:"); strings.EqualFold(alone, "or") {
		return start, start + len(text)
	}
	if startsOr(text) {
		return start, start + len("OR")
	}
	opens, without := true, 0 // the end of the sentence without "or"
	for at := 0; at < len(text); {
		word, rest := nextWord(text[at:])
		if word == "" {
			break
		}
		end := len(text) - len(rest)
		at = end - len(word)
		if i := strings.IndexByte(word, '`'); i >= 0 {
			at, opens = max(prose.AfterCode(text, at+i), at+i+1), false
			continue
		}
		if opens && at >= without && strings.EqualFold(prose.Trim(word, ".,;:()*_"), "either") {
			if s := sentence(rest); hasFold(s, "or") {
				return start + at, start + end
			} else {
				without = end + len(s)
			}
		}
		if n := offerAt(text[at:], opens); n > 0 {
			return start + at, start + at + n
		}
		opens = strings.IndexByte(".:;!?", word[len(word)-1]) >= 0
		at = end
	}
	return 0, 0
}

// startsOr reports whether a line begins with "OR" in capitals and continues in
// prose; formulas continue in other ways.
func startsOr(text string) bool {
	rest, ok := strings.CutPrefix(text, "OR")
	rest = prose.TrimLeft(rest, "*_:, ")
	return ok && len(rest) > 1 && len(rest) < len(text)-2 && 'a' <= rest[0] && rest[0] <= 'z' && prose.WordByte(rest[1]) && rest[1] != '_'
}

// offerAt is the length of the offer at the start of text, 0 if there is none.
// opens means that text begins a sentence.
func offerAt(text string, opens bool) int {
	word, rest := nextWord(text)
	bare := prose.Trim(word, ".,;:()*_")
	switch {
	case opens && strings.EqualFold(bare, "alternatively"):
		return len(word)
	case strings.EqualFold(bare, "option") || strings.EqualFold(bare, "options"):
		return optionHead(text, word, rest)
	case smallNumber(bare) || strings.EqualFold(bare, "one") && startsFold(prose.TrimLeft(rest, " "), "of"):
		return alternatives(text, rest)
	}
	return 0
}

// optionHead reads "Options:", "Options for the next agent", "Option A".
func optionHead(text, word, rest string) int {
	next, _ := nextWord(rest)
	label := prose.Trim(next, ".,;:()*_")
	numbered := len(label) == 1 && (label[0] >= 'A' && label[0] <= 'E' || label[0] >= '1' && label[0] <= '9')
	plural := strings.HasSuffix(strings.ToLower(prose.Trim(word, ".,;:()*_")), "s")
	switch {
	case numbered && !plural:
		return len(text) - len(rest) + len(next) + 1
	case plural && (strings.HasSuffix(prose.TrimRight(word, "*_"), ":") || strings.EqualFold(next, "for") || strings.EqualFold(next, "are")):
		return len(word)
	}
	return 0
}

// alternatives reads what follows a number: "viable approaches", "paths
// forward:", "of the alternative approaches". Nouns that programs also have
// ("options", "paths") need a word that makes them a choice.
func alternatives(text, rest string) int {
	choice := false
	for range 5 {
		var word string
		word, rest = nextWord(rest)
		bare := strings.ToLower(prose.Trim(word, ".,;:()*_"))
		next, _ := nextWord(rest)
		switch bare {
		case "approaches", "alternatives", "strategies", "possibilities", "choices":
			return len(text) - len(rest)
		case "options", "paths", "ways", "routes":
			if choice || startsFold(next, "forward") || startsFold(next, "are") || bare == "options" && strings.HasSuffix(word, ":") {
				return len(text) - len(rest)
			}
			return 0
		case "viable", "possible", "alternative", "different", "candidate":
			choice = true
		case "of", "the", "these", "main", "other", "remaining", "good", "obvious", "potential", "following":
		default:
			return 0
		}
	}
	return 0
}

func smallNumber(word string) bool {
	return prose.OneOf(word, "two", "three", "four", "several", "multiple", "2", "3", "4")
}

// sentence is the text up to the end of its sentence.
func sentence(text string) string {
	if i := strings.Index(text, ". "); i >= 0 {
		return text[:i]
	}
	return text
}
