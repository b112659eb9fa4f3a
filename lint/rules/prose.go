package rules

import (
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// proseOf yields the lines of a section that a person reads: the text after a bold
// heading, then every line outside fences and comments.
func proseOf(p *lint.Pass, s *handoff.Section) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		if s.Inline != "" && !yield(s.Heading.Lines.First, s.Inline) {
			return
		}
		doc, fences, last := p.Doc, s.Fences, s.Body.Last
		if n := len(s.Blocks); n > 0 {
			last = s.Blocks[n-1].Lines.Last // also what is below another title
		}
		comments := doc.Comments[firstComment(p, s.Body.First):]
		for n := max(s.Body.First, 1); n <= last; n++ {
			p.Looked++
			for len(fences) > 0 && fences[0].Lines.Last < n {
				fences = fences[1:]
				p.Looked++
			}
			for len(comments) > 0 && comments[0].Lines.Last < n {
				comments = comments[1:]
				p.Looked++
			}
			fenced := len(fences) > 0 && fences[0].Lines.Has(n)
			if !fenced && !(len(comments) > 0 && comments[0].Alone && comments[0].Lines.Has(n)) && !yield(n, doc.Line(n)) {
				return
			}
		}
	}
}

// firstComment is the index of the first comment that ends on line n or later.
func firstComment(p *lint.Pass, n int) int {
	return sort.Search(len(p.Doc.Comments), func(i int) bool {
		p.Looked++
		return p.Doc.Comments[i].Lines.Last >= n
	})
}

// commentAlone is the comment that begins on line n and has its lines to
// itself, or nil. It is the first one that ends there or later.
func commentAlone(p *lint.Pass, n int) *handoff.Comment {
	if i := firstComment(p, n); i < len(p.Doc.Comments) {
		if c := &p.Doc.Comments[i]; c.Alone && c.Lines.First == n {
			return c
		}
	}
	return nil
}

// fencedIn reports whether line n of the section is code or its fence.
func fencedIn(p *lint.Pass, s *handoff.Section, n int) bool {
	i := sort.Search(len(s.Fences), func(i int) bool {
		p.Looked++
		return s.Fences[i].Lines.Last >= n
	})
	return i < len(s.Fences) && s.Fences[i].Lines.Has(n)
}

// inFence reports whether line n of the document is fenced code.
func inFence(p *lint.Pass, n int) bool {
	if p.Doc.Preamble.Lines.Has(n) {
		return fencedIn(p, &p.Doc.Preamble, n)
	}
	s := p.Doc.SectionAt(n)
	return s != nil && fencedIn(p, s, n)
}

// opening is the first text of a section, without list marker, quote mark and
// emphasis, and its line; "" if there is none.
func opening(p *lint.Pass, s *handoff.Section) (line int, text string) {
	for n, l := range proseOf(p, s) {
		if l = plain(l); l != "" {
			return n, l
		}
	}
	return 0, ""
}

// plain removes what Markdown puts before the first word of a line.
func plain(line string) string {
	line = strings.TrimSpace(line)
	line = prose.TrimLeft(line, "> ")
	line = prose.TrimLeft(line[marker(line):], " ")
	return prose.TrimLeft(line, "*_")
}

// marker is the length of the list marker at the start of a line, 0 if there is
// none.
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

// codeSpans finds the code spans of a line.
type codeSpans struct {
	text string
	end  int  // how far the line was read
	done bool // no code span follows
}

// has reports whether the byte at an offset is in a code span. Offsets must
// not decrease from call to call.
func (c *codeSpans) has(at int) bool {
	for !c.done && c.end <= at {
		next := strings.IndexByte(c.text[c.end:], '`')
		switch {
		case next < 0:
			c.done = true
		case c.end+next >= at:
			return false
		default:
			c.end = prose.AfterCode(c.text, c.end+next)
		}
	}
	return c.end > at
}

// startsFold reports whether s begins with the lower-case word prefix, ignoring
// case.
func startsFold(s, prefix string) bool {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return false
	}
	return len(s) == len(prefix) || !prose.WordByte(s[len(prefix)]) || !prose.WordByte(prefix[len(prefix)-1])
}

// findFold is the offset of whole words in s, ignoring case; -1 if they are not
// there. words is lower-case ASCII.
func findFold(s, words string) int {
	for i := 0; i+len(words) <= len(s); i++ {
		if s[i]|0x20 == words[0]|0x20 && (i == 0 || !prose.WordByte(s[i-1])) && startsFold(s[i:], words) {
			return i
		}
	}
	return -1
}

// startsAny reports whether s begins with one of the words, see [startsFold].
func startsAny(s string, words ...string) bool {
	for _, w := range words {
		if startsFold(s, w) {
			return true
		}
	}
	return false
}

func hasFold(s string, words ...string) bool {
	for _, w := range words {
		if findFold(s, w) >= 0 {
			return true
		}
	}
	return false
}

// excerpt shortens text for a message.
func excerpt(s string) string {
	const most = 57
	s = strings.TrimRightFunc(s, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*.,;:", r) })
	return shortened(s, most, most+3)
}

// shortened cuts a text that is longer than longest after most characters.
func shortened(s string, most, longest int) string {
	if len(s) <= longest || utf8.RuneCountInString(s) <= longest {
		return s
	}
	cut := 0
	for i := range s {
		if cut = i; most == 0 {
			break
		}
		most--
	}
	return strings.TrimRight(s[:cut], " ") + "…"
}

// wholePath is a path in a message: complete, so that a reader can find it.
// Only text longer than the paths of any file system is cut at its start.
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

// reportBytes reports a message at bytes from to to of the source.
func reportBytes(p *lint.Pass, from, to int, message string) {
	p.Report(findingAt(p, from, to, message))
}

// findingAt is a finding at a range of bytes.
func findingAt(p *lint.Pass, from, to int, message string) lint.Finding {
	first, last := p.Doc.LineAt(from), p.Doc.LineAt(to-1)
	return lint.Finding{
		Lines:   handoff.Lines{First: first, Last: last},
		Col:     from - p.Doc.Offset(first) + 1,
		EndCol:  to - p.Doc.Offset(last) + 1,
		Message: message,
	}
}
