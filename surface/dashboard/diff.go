package dashboard

import "handoff/internal/text/visible"

// hunk is a run of lines of a comparison, with some unchanged ones around it.
type hunk struct{ Rows []row }

type row struct {
	Kind     string // same, gone, new
	Old, New int    // numbers of the line; 0 for none
	Text     string
}

// Sign is how the row begins in a text.
func (r row) Sign() string { return map[string]string{"same": " ", "gone": "−", "new": "+"}[r.Kind] }

// The lines around a change, and the largest table of a comparison: two documents of 1,400
// changed lines each.
const (
	around   = 2
	maxTable = 2 << 20
)

// diff compares two texts by lines. apart reports that they are too long.
func diff(old, new []string) (hunks []hunk, apart bool) {
	rows, ok := compare(old, new)
	if !ok {
		return nil, true
	}
	quiet := len(rows) // rows since the last change
	var h *hunk
	for i, r := range rows {
		if r.Kind == "same" {
			quiet++
			if h != nil && quiet <= around {
				h.Rows = append(h.Rows, r)
			}
			continue
		}
		if h == nil || quiet > 2*around {
			hunks = append(hunks, hunk{append([]row{}, rows[max(0, i-min(quiet, around)):i]...)})
			h = &hunks[len(hunks)-1]
		} else {
			h.Rows = append(h.Rows, rows[i-max(0, quiet-around):i]...)
		}
		h.Rows = append(h.Rows, r)
		quiet = 0
	}
	return hunks, false
}

// compare finds the longest common subsequence of lines between what both begin and end
// with.
func compare(old, new []string) (rows []row, ok bool) {
	head := 0
	for head < len(old) && head < len(new) && old[head] == new[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(new)-head && old[len(old)-1-tail] == new[len(new)-1-tail] {
		tail++
	}
	a, b := old[head:len(old)-tail], new[head:len(new)-tail]
	if (len(a)+1)*(len(b)+1) > maxTable {
		return nil, false
	}
	add := func(kind string, i, j int) {
		r := row{Kind: kind}
		if kind != "new" {
			r.Old, r.Text = i+1, visible.Line(old[i])
		}
		if kind != "gone" {
			r.New, r.Text = j+1, visible.Line(new[j])
		}
		rows = append(rows, r)
	}
	for i := range head {
		add("same", i, i)
	}
	width := len(b) + 1
	best := make([]int32, (len(a)+1)*width) // of a[i:] and b[j:]
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				best[i*width+j] = best[(i+1)*width+j+1] + 1
			} else {
				best[i*width+j] = max(best[(i+1)*width+j], best[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			add("same", head+i, head+j)
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || best[(i+1)*width+j] >= best[i*width+j+1]):
			add("gone", head+i, 0)
			i++
		default:
			add("new", 0, head+j)
			j++
		}
	}
	for k := range tail {
		add("same", len(old)-tail+k, len(new)-tail+k)
	}
	return rows, true
}
