package facts

import "handoff/document/seen"

// Endings counts checks by what shows how they ended.
type Endings struct{ ByStatus, ByTotal, Unknown int }

// Add counts the checks of a session.
func (e *Endings) Add(f *Facts) {
	for i := range f.Commands {
		c := &f.Commands[i]
		list := parts(c.Text)
		for n := range list {
			switch {
			case list[n].checks() == 0:
			case statusOf(c, list, n) != seen.Unknown:
				e.ByStatus++
			case f.total(c, n, len(list)).status != seen.Unknown:
				e.ByTotal++
			default:
				e.Unknown++
			}
		}
	}
}
