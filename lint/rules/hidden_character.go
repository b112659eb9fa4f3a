package rules

import (
	"fmt"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/visible"
	"handoff/lint"
)

// hiddenCharacter flags characters that agents read and people do not see, or
// that display text in another order.
func hiddenCharacter(p *lint.Pass) {
	src := p.Doc.Source
	if binary(p.Doc) {
		return
	}
	for at := 0; ; {
		if at = visible.Suspect(src, at); at < 0 {
			return
		}
		r, size := utf8.DecodeRuneInString(src[at:])
		name := visible.Name(r)
		if name == "" || visible.Innocent(src, at, r, size) {
			at += size
			continue
		}
		end, count := hiddenRun(src, at)
		more := ""
		if count > 1 {
			more = fmt.Sprintf(" and %d more after it", count-1)
		}
		reportBytes(p, at, end, fmt.Sprintf("hidden character U+%04X %s%s: remove it", r, name, more))
		at = end
	}
}

// binary reports whether a document is not text at all.
func binary(doc *handoff.Document) bool {
	return len(doc.Problems) > 0 && len(doc.Sections) == 0 && doc.Title.Level == 0 && doc.Preamble.Lines.First == 0
}

// hiddenRun is the end of the adjacent hidden characters at offset at, on one
// line, and their number.
func hiddenRun(src string, at int) (end, count int) {
	for end = at; end < len(src); count++ {
		r, size := utf8.DecodeRuneInString(src[end:])
		if visible.Name(r) == "" {
			break
		}
		end += size
	}
	return end, count
}
