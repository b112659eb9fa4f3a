package reconcile

import (
	"fmt"
	"maps"
	"slices"

	"handoff/internal/json/jsonedit"
)

// counts sets handoff_count of each phase's progress file to the number of its
// documents. Without documents it only changes a count that is there: they were deleted.
func counts(s State, p *Plan) {
	written := s.Handoffs()
	for _, phase := range slices.Sorted(maps.Keys(s.Progress)) {
		f := s.Progress[phase]
		if f.Src == nil {
			continue
		}
		file, ok := editable(f, p)
		if !ok || written[phase] == 0 && !Counted(file) {
			continue
		}
		if err := file.Set(jsonedit.Path{"handoff_count"}, written[phase]); err != nil {
			p.Problems = append(p.Problems, Problem{Path: f.Path, Text: err.Error()})
			continue
		}
		if file.Changed() && s.leave(f) {
			p.Left = append(p.Left, f.Path)
		} else if file.Changed() {
			p.Writes = append(p.Writes, Write{f.Path, f.Src, file.Bytes()})
			p.Changes = append(p.Changes, fmt.Sprintf("handoff_count of phase %d is %d", phase, written[phase]))
		}
	}
}

// Counted reports whether a progress file counts handoffs. In that of a phase without any only
// a count that is not 0 is wrong.
func Counted(file *jsonedit.File) bool {
	v, _ := file.Get("handoff_count")
	n, whole := v.Int64()
	return whole && n > 0
}

// Handoffs counts the documents of each phase that has any.
func (s State) Handoffs() map[int]int {
	count := map[int]int{}
	for _, d := range s.Documents {
		if d.Name.Plain() {
			count[d.Name.Phase]++
		}
	}
	return count
}
