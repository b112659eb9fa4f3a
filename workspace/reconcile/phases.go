package reconcile

import (
	"strconv"

	"handoff/internal/json/jsonedit"
	"handoff/workspace/reconcile/phases"
)

// phases sets the counts of partial_progress. A count that neither the plan nor
// the metadata has is left out: the phase of a handoff does not show how many
// phases there are.
func (m *metadata) phases() {
	completed, total := m.counted()
	m.count("phases_completed", completed)
	m.count("phases_total", total)
}

// counted returns the counts that partial_progress should have: the plan's if
// they are clear, otherwise those that an agent wrote.
func (m *metadata) counted() (completed, total int) {
	completed, total = phases.Of(m.Plan.Src)
	wrote, of := m.said("phases_completed"), m.said("phases_total")
	switch {
	case total == phases.Unsaid, completed == phases.Unsaid && wrote > total: // the agent counted the phases of another plan
		return wrote, of
	case completed == phases.Unsaid, completed < wrote && wrote <= total && (of == total || of == phases.Unsaid):
		return wrote, total // the same plan, marked late or not at all
	}
	return completed, total
}

// said is a count in the metadata: in partial_progress or in "metadata", where
// agents also write it.
func (m *metadata) said(key string) int {
	v, _ := m.file.Get("partial_progress", key)
	if n, whole := v.Int64(); whole {
		return int(n)
	}
	if v.Kind() == jsonedit.KindArray { // a list of the phases
		return v.Len()
	}
	v, _ = m.file.Get("metadata", key)
	if n, whole := v.Int64(); whole && n >= 0 {
		return int(n)
	}
	return phases.Unsaid
}

// count sets a count that is missing, another number, or a list of phases. Any
// other value stays.
func (m *metadata) count(key string, n int) {
	if n == phases.Unsaid {
		return
	}
	at := jsonedit.Path{"partial_progress", key}
	if v, ok := m.file.Get(at...); ok && v.Kind() != jsonedit.KindNull && v.Kind() != jsonedit.KindArray {
		if _, whole := v.Int64(); !whole {
			m.problem(at, "%s is %s, not a whole number: left alone", key, v.Raw())
			return
		}
	}
	m.set(n, key+" "+strconv.Itoa(n), at...)
}
