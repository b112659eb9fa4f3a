package lint

import (
	"slices"
	"strings"

	"handoff"
)

// rounds bounds how often Fix starts over. Each round applies at least one
// edit; a set of rules that needs more undoes its own work.
const rounds = 50

// Fix applies the edits of the findings to a document until none is left, and
// returns the new source and how many were applied. Of two edits that touch
// the same lines the first wins and the other gets its turn on the next
// round. A rule's edits are safe: they never change an author's words.
//
// parse makes the document of each round. When the rules do not come to rest,
// or when the input's Done is closed, the source is returned as it was, with 0.
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

// chosen picks, of each finding's edits, all or none, so that no two overlap.
func chosen(list []Finding) []Edit {
	var out []Edit // by their first lines
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

// place is where an edit goes among others that are in their order; taken says
// that another one has the same first line.
func (e Edit) place(list []Edit) (i int, taken bool) {
	return slices.BinarySearchFunc(list, e, func(a, b Edit) int { return a.Lines.First - b.Lines.First })
}

// touchesAny reports whether an edit cannot be made together with others, which
// are in their order and do not touch one another: only the neighbours can touch
// it. Two insertions at one line are also refused: their order would be a guess.
func (e Edit) touchesAny(list []Edit) bool {
	i, taken := e.place(list)
	return taken || i > 0 && e.touches(list[i-1]) || i < len(list) && e.touches(list[i])
}

// touches reports whether two edits, which begin at different lines, overlap.
func (e Edit) touches(o Edit) bool {
	return e.Lines.First <= o.Lines.Last && o.Lines.First <= e.Lines.Last
}

// Apply makes the edits, which do not overlap. The document's own line end is
// used for the lines that come in.
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
			b.WriteString(end) // the last line had none
		}
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(e.Text, "\r\n", "\n"), "\n", end))
		at = doc.Offset(e.Lines.Last + 1)
	}
	b.WriteString(doc.Source[at:])
	return b.String()
}
