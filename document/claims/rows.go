package claims

import (
	"strings"

	"handoff/document/handoff"
)

// paragraph yields the claims of a paragraph, and of each row of a table in it.
func (r *reading) paragraph(at Claim, yield func(Claim) bool) bool {
	if !strings.HasPrefix(at.Text, "|") && !strings.Contains(at.Text, "\n|") {
		return r.text(at, false, yield)
	}
	first, heads := at.Lines.First, true
	for line := range strings.Lines(at.Text) {
		c := Claim{Lines: handoff.Lines{First: first, Last: first}, Section: at.Section, Text: strings.TrimRight(line, "\r\n")}
		first++
		if cells, ok := strings.CutPrefix(c.Text, "|"); ok {
			if heads || strings.Trim(cells, "|-: ") == "" {
				heads = heads && strings.Trim(cells, "|-: ") != ""
				continue
			}
			c.Text, c.row = row(cells), true
		}
		if !r.text(c, false, yield) {
			return false
		}
	}
	return true
}

// row is the text of a row: what it is about, and its other cells.
func row(cells string) string {
	var b strings.Builder
	n := 0
	for cell := range strings.SplitSeq(strings.TrimRight(cells, "| "), "|") {
		if cell = strings.TrimSpace(cell); cell == "" {
			continue
		}
		switch n++; n {
		case 1:
		case 2:
			b.WriteString(": ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(cell)
	}
	return b.String()
}
