package claims

import (
	"slices"
	"strings"
	"unicode"

	"handoff/internal/text/prose"
)

// titled is a commit and what a sentence says that it did: `1a2b3c4 "fix the scanner"`, `"fix the scanner" is commit 1a2b3c4`,
// `1a2b3c4 (fix: the scanner)`, `1a2b3c4: fix the scanner`. Only what is in quotation marks is Exact.
func titled(text string) (c Claim, ok bool) {
	text = strings.TrimSpace(text)
	at, end := commitIn(text)
	if at < 0 {
		return c, false
	}
	c = Claim{Kind: Titled, Text: text, Name: text[at:end]}
	rest := strings.TrimLeft(strings.TrimPrefix(text[end:], "`"), " ")
	for _, word := range [...]string{"is ", "was ", "with "} {
		rest = strings.TrimPrefix(rest, word)
	}
	if said, quoted := inQuotes(rest); quoted {
		c.Said, c.Exact = said, true
		return c, true
	}
	if said, quoted := inQuotes(text); quoted && at > len(said) && len(strings.Fields(text[len(said):at])) < 7 {
		c.Said, c.Exact = said, true
		return c, true
	}
	switch {
	case strings.HasPrefix(rest, "("):
		c.Said, ok = inBrackets(rest)
	case at <= len("**`") && strings.HasPrefix(rest, ":"):
		c.Said, ok = strings.TrimSpace(rest[1:]), true
	}
	if did := slices.DeleteFunc(TitleWords(c.Said), statesCommit); len(did) < 3 {
		return c, false // it says how the commit is, or too little to compare
	}
	return c, ok
}

// statesCommit reports whether a word says where a commit is or whether it is good, and not what it did, or says little.
func statesCommit(word string) bool {
	return prose.OneOf(word, "push", "merg", "test", "pass", "gree", "bran", "main", "mast", "orig", "loca", "remo", "head", "unpu", "file", "comm", "squa", "date", "clea", "late", "curr", "base", "veri", "unve", "done",
		"alre", "from", "prio", "prev", "sess", "this", "that", "befo", "afte", "last", "same", "only", "with", "into", "when", "both", "also", "land", "buil", "phas", "step", "work", "rele")
}

// inBrackets is the text in the brackets that a text begins with, if it has the form of a conventional commit, "fix(scan): tabs".
// Most other brackets after a commit say something else of it: with what it was bundled, what was checked.
func inBrackets(text string) (said string, ok bool) {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			said = text[1:i]
			break
		}
	}
	kind, _, ok := strings.Cut(said, ": ")
	kind, _, _ = strings.Cut(strings.TrimSuffix(kind, "!"), "(")
	return said, ok && prose.OneOf(kind, "feat", "fix", "docs", "test", "tests", "chore", "refactor", "perf", "style", "build", "ci", "revert")
}

// commitIn is where a text names its first commit, with a letter and a digit; -1 if it does not.
func commitIn(text string) (from, end int) {
	isHex := func(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b && b <= 'f' }
	for from = 0; from < len(text); from = end + 1 {
		for end = from; end < len(text) && isHex(text[end]); end++ {
		}
		word := text[from:end]
		alone := (from == 0 || !prose.WordByte(text[from-1]) && text[from-1] != '/' && text[from-1] != '-') && (end == len(text) || !prose.WordByte(text[end]) && text[end] != '-')
		if alone && len(word) >= 7 && len(word) <= 40 && strings.ContainsAny(word, "0123456789") && strings.ContainsAny(word, "abcdef") {
			return from, end
		}
	}
	return -1, -1
}

// inQuotes is the text in the quotation marks that a text begins with.
func inQuotes(text string) (said string, ok bool) {
	for _, marks := range [...][2]string{{"\"", "\""}, {"“", "”"}} {
		if rest, begins := strings.CutPrefix(text, marks[0]); begins {
			said, _, ok = strings.Cut(rest, marks[1])
			return said, ok && strings.Contains(said, " ")
		}
	}
	return "", false
}

// TitleWords are the beginnings of the longer words of a text, by which two ways to say the same are compared.
func TitleWords(text string) (list []string) {
	const least, stem = 4, 4
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if runes := []rune(word); len(runes) >= least {
			list = append(list, string(runes[:stem]))
		}
	}
	return list
}
