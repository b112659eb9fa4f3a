package hidden

import (
	"cmp"
	"slices"
	"strings"

	"handoff/document/handoff"
)

// All lists the pieces and the HTML comments in their order. Empty comments and
// those for the linter are [Piece.Mute].
func All(doc *handoff.Document) []Piece {
	list := Text(doc)
	if len(doc.Comments) == 0 {
		return list
	}
	for i := range doc.Comments {
		list = append(list, comment(doc, &doc.Comments[i]))
	}
	slices.SortFunc(list, func(a, b Piece) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(b.To, a.To)) })
	return apart(list)
}

func comment(doc *handoff.Document, c *handoff.Comment) Piece {
	from := doc.Offset(c.Lines.First) + c.Col - 1
	to := doc.Offset(c.Lines.Last) + len(doc.Line(c.Lines.Last))
	if i := strings.Index(doc.Source[from+2:], "-->"); i >= 0 { // from "-->": "<!-->" is a whole comment
		to = from + 2 + i + len("-->")
	}
	return Piece{From: from, To: to, What: "a comment", Mute: c.Text == "" || strings.HasPrefix(c.Text, handoff.LintDirective)}
}
