package rules

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff"
	"handoff/internal/prose"
	"handoff/lint"
)

// proseOf yields what a person reads of a section: the text behind a bold
// heading, then every line that stands in no fence and is not all comment.
func proseOf(doc *handoff.Document, s *handoff.Section) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if s.Inline != "" && !yield(s.Heading.Lines.First, s.Inline) {
			return
		}
		for n := max(s.Body.First, 1); n <= s.Body.Last; n++ {
			if !fencedIn(s, n) && !commentLine(doc, n) && !yield(n, doc.Line(n)) {
				return
			}
		}
	}
}

// fencedIn reports whether line n of the section is code or the fence around it.
func fencedIn(s *handoff.Section, n int) bool {
	for i := range s.Fences {
		if s.Fences[i].Lines.Has(n) {
			return true
		}
	}
	return false
}

// commentLine reports whether nothing but a comment stands on line n.
func commentLine(doc *handoff.Document, n int) bool {
	for i := range doc.Comments {
		if c := &doc.Comments[i]; c.Alone && c.Lines.Has(n) {
			return true
		}
	}
	return false
}

// everySection yields the preamble and all sections.
func everySection(doc *handoff.Document) iter.Seq[*handoff.Section] { return doc.Parts }

// inFence reports whether line n of the document is fenced code.
func inFence(doc *handoff.Document, n int) bool {
	for s := range everySection(doc) {
		if s.Lines.Has(n) && fencedIn(s, n) {
			return true
		}
	}
	return false
}

// opening is the first text of a section, without list marker, quote mark and
// emphasis, and its line; "" when the section holds none.
func opening(doc *handoff.Document, s *handoff.Section) (line int, text string) {
	for n, l := range proseOf(doc, s) {
		if l = plain(l); l != "" {
			return n, l
		}
	}
	return 0, ""
}

// plain cuts what Markdown puts before the first word of a line.
func plain(line string) string {
	line = strings.TrimSpace(line)
	line = prose.TrimLeft(line, "> ")
	line = prose.TrimLeft(line[marker(line):], " ")
	return prose.TrimLeft(line, "*_")
}

// marker is the length of the list marker a line opens with, 0 for none.
func marker(line string) int {
	n := 0
	for n < len(line) && '0' <= line[n] && line[n] <= '9' {
		n++
	}
	switch {
	case n == len(line):
		return 0
	case n == 0 && strings.IndexByte("-*+", line[0]) < 0:
		return 0
	case n > 0 && line[n] != '.' && line[n] != ')':
		return 0
	case n+1 < len(line) && line[n+1] != ' ' && line[n+1] != '\t':
		return 0
	}
	return n + 1
}

// inCode reports whether the byte at s[at] stands in a code span of s.
func inCode(s string, at int) bool {
	for i := 0; ; {
		next := strings.IndexByte(s[i:], '`')
		if next < 0 || i+next >= at {
			return false
		}
		if i = prose.AfterCode(s, i+next); i > at {
			return true
		}
	}
}

// startsFold reports whether s opens with prefix, which is in lower case,
// whatever the case of s, and a word ends there.
func startsFold(s, prefix string) bool {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return false
	}
	return len(s) == len(prefix) || !prose.WordByte(s[len(prefix)]) || !prose.WordByte(prefix[len(prefix)-1])
}

// findFold is the offset of the word or words in s, whatever the case, where
// no other word runs into them; -1 when they are not there. words is ASCII in
// lower case.
func findFold(s, words string) int {
	for i := 0; i+len(words) <= len(s); i++ {
		if s[i]|0x20 == words[0]|0x20 && (i == 0 || !prose.WordByte(s[i-1])) && startsFold(s[i:], words) {
			return i
		}
	}
	return -1
}

func hasFold(s string, words ...string) bool {
	for _, w := range words {
		if findFold(s, w) >= 0 {
			return true
		}
	}
	return false
}

// short cuts text to what a message has room for.
func short(s string) string {
	const most = 57
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*.,;:", r) })
	if len(s) <= most+3 {
		return s
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strings.TrimRight(s[:cut], " ") + "…"
}

// wholePath is a path as a message has it: all of it, because a reader has to
// find it. Text that is longer than any file system takes is no path, and is cut
// to its end.
func wholePath(s string) string {
	const most = 4096
	if len(s) <= most {
		return s
	}
	cut := len(s) - most
	for !utf8.RuneStart(s[cut]) {
		cut++
	}
	return "…" + s[cut:]
}

// plural is the count with its noun.
func plural(n int, one, many string) (int, string) {
	if n == 1 {
		return n, one
	}
	return n, many
}

// reportBytes reports a message at the bytes from..to of the source.
func reportBytes(p *lint.Pass, from, to int, message string) {
	first, last := p.Doc.LineAt(from), p.Doc.LineAt(to-1)
	p.Report(lint.Finding{
		Lines:   handoff.Lines{First: first, Last: last},
		Col:     from - p.Doc.Offset(first) + 1,
		EndCol:  to - p.Doc.Offset(last) + 1,
		Message: message,
	})
}
