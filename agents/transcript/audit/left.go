package audit

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// stems are the beginnings of the words that make an item what it is.
type stems map[string]bool

// plain are words of rules that say nothing of what they are about, as they are cut.
var plain = sync.OnceValue(func() stems {
	m := stems{}
	for _, w := range strings.Fields("always never should must please sure make ensure avoid only just with that this these those there their they them then than from have been being will would could shall when what which while where into also some more most very like want need lets going instead with without about after before over other each your you're it's don't dont doesn't isn't aren't can't cannot were does done keep prefer rather okay yeah think maybe remember note here now both same such because since until unless really actually let's i'll i'd we'll that's yes") {
		m[stem(w)] = true
	}
	return m
})

// stem cuts a word: "deployed" and "deploys" are the same, "test" and "testing", "lint" and "linting".
func stem(w string) string {
	const runes, least = 5, 4
	for _, end := range []string{"ing", "ed", "es", "s"} {
		if cut, ok := strings.CutSuffix(w, end); ok && len(cut) >= least {
			w = cut
			break
		}
	}
	n := 0
	for i := range w {
		if n++; n > runes {
			return w[:i]
		}
	}
	return w
}

// stemsOf are the stems of the words of a text with four letters, a digit, or in capitals.
func stemsOf(text string) stems {
	const least = 4
	list, common := stems{}, plain()
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' }) {
		w = strings.Trim(w, "'’")
		capital := len(w) > 1 && strings.ToUpper(w) == w
		if low := stem(strings.ToLower(w)); !common[low] && (capital || utf8.RuneCountInString(w) >= least || strings.ContainsFunc(w, unicode.IsDigit)) {
			list[low] = true
		}
	}
	return list
}

// left is a text that may have items.
type left struct {
	text  string
	lines []stems
}

func newLeft(text string) left {
	l := left{text: text}
	for line := range strings.Lines(text) {
		if w := stemsOf(line); len(w) > 0 {
			l.lines = append(l.lines, w)
		}
	}
	return l
}

// enough is the share of the words of an item from which a line, or two of them, has it.
const enough = 0.5

// has reports whether a line, with the one after it, has enough of some words.
func (l left) has(words stems) bool {
	for i := range l.lines {
		n := 0
		for w := range words {
			if l.lines[i][w] || i+1 < len(l.lines) && l.lines[i+1][w] {
				n++
			}
		}
		if float64(n) >= enough*float64(len(words)) {
			return true
		}
	}
	return len(words) == 0
}

// names reports whether the text has the name of a file.
func (l left) names(file string) bool { return strings.Contains(l.text, base(file)) }

// unredacted is a text without placeholders: "[REDACTED_TEXT len=32]".
func unredacted(text string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, "[REDACTED")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		_, text, _ = strings.Cut(after, "]")
	}
}
