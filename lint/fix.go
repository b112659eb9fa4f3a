package lint

import (
	"slices"
	"strings"

	"handoff/document/handoff"
)

// rounds bounds the rounds of Fix. Each applies at least one edit; rules that
// need more rounds undo each other's edits.
const rounds = 50

// Fix applies the edits of the findings until none is left, and returns the new
// source and the number of edits. If two edits touch the same lines, the first
// one wins and the other one gets its turn in the next round. Edits are safe:
// they never change an author's words.
//
// parse parses the document of each round. If edits are left after the last
// round, or the input's Done is closed, Fix returns the original source and 0.
func Fix(in Input, rules []*Rule, set *Settings, parse func([]byte) *handoff.Document) (src string, applied int) {
	src = in.Doc.Source
	for range rounds {
		edits := chosen(Document(&in, rules, set))
		if in.ended() {
			break
		}
		if len(edits) == 0 {
			return in.Doc.Source, applied
		}
		applied += len(edits)
		in.Doc = parse([]byte(Apply(in.Doc, edits)))
	}
	return src, 0
}

// chosen picks all or none of each finding's edits, so that no two overlap.
func chosen(list []Finding) []Edit {
	var out []Edit // sorted by their first lines
	for _, f := range list {
		if len(f.Edits) == 0 || slices.ContainsFunc(f.Edits, func(e Edit) bool { return e.touchesAny(out) }) {
			continue
		}
		for _, e := range f.Edits {
			i, _ := e.place(out)
			out = slices.Insert(out, i, e)
		}
	}
	return out
}

// place is the index of an edit among sorted edits; taken means that another
// edit has the same first line.
func (e Edit) place(list []Edit) (i int, taken bool) {
	return slices.BinarySearchFunc(list, e, func(a, b Edit) int { return a.Lines.First - b.Lines.First })
}

// touchesAny reports whether an edit cannot be combined with others, which are
// sorted and do not overlap: only its neighbours can touch it. Two insertions
// at one line are refused, too, because their order would be a guess.
func (e Edit) touchesAny(list []Edit) bool {
	i, taken := e.place(list)
	return taken || i > 0 && e.touches(list[i-1]) || i < len(list) && e.touches(list[i])
}

// touches reports whether two edits with different first lines overlap.
func (e Edit) touches(o Edit) bool {
	return e.Lines.First <= o.Lines.Last && o.Lines.First <= e.Lines.Last
}

// Apply makes the edits, which do not overlap. Inserted lines get the line end
// of the document.
func Apply(doc *handoff.Document, edits []Edit) string {
	edits = slices.Clone(edits)
	slices.SortFunc(edits, func(a, b Edit) int { return a.Lines.First - b.Lines.First })
	end := "\n"
	if strings.Contains(doc.Source, "\r\n") {
		end = "\r\n"
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		start := doc.Offset(e.Lines.First)
		b.WriteString(doc.Source[at:start])
		if e.Text != "" && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString(end) // the last line had no line end
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", end))
		at = doc.Offset(e.Lines.Last + 1)
	}
	b.WriteString(doc.Source[at:])
	return b.String()
}
