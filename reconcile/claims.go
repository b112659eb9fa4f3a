package reconcile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"handoff"
)

// stageZero is what an agent writes that has only begun.
const stageZero = "initializing"

func (m *metadata) stageZero() bool { return m.text("partial_progress", "stage") == stageZero }

// stageAfter reports whether the stage is one of a later phase than a
// handoff's, or says that its phase is done: phase_4_in_progress.
func (m *metadata) stageAfter(n handoff.Name) bool {
	stage := strings.ToLower(m.text("partial_progress", "stage"))
	_, rest, ok := strings.Cut(stage, "phase")
	rest = strings.TrimLeft(rest, "_- ")
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	phase, err := strconv.Atoi(rest[:end])
	last := n.LastPhase()
	if !ok || err != nil || last < 0 {
		return false
	}
	return phase > last || phase == last && closesPhase(rest[end:]) && n.Plain()
}

// closesPhase reports whether what a stage says of a phase is that it is done: the
// word after its number. "phase_6_analysis_complete" and "phase_6_iteration_2_complete"
// say that a part of it is, and the phase goes on.
func closesPhase(after string) bool {
	word := strings.TrimLeft(after, "_- ")
	if len(word) == len(after) {
		return false // "phase_6a"
	}
	if end := strings.IndexAny(word, "_- "); end >= 0 {
		word = word[:end]
	}
	return slices.Contains([]string{"complete", "completed", "done", "finished", "closed"}, word)
}

// phaseAfter reports whether the counts say that the phase of a handoff is done,
// or that a later one is at work. A plan that begins with phase 0 has more
// phases done than the last of them says.
func (m *metadata) phaseAfter(n handoff.Name) bool {
	last := n.LastPhase()
	if last < 0 {
		return false
	}
	number := func(at ...any) (int, bool) {
		v, _ := m.file.Get(at...)
		i, whole := v.Int64()
		return int(i), whole
	}
	if now, ok := number("partial_progress", "current_phase"); ok && now > last {
		return true
	}
	done, ok := number("partial_progress", "phases_completed")
	if !ok {
		done, ok = number("metadata", "phases_completed")
	}
	return ok && done >= last && last > 0 && !bytes.Contains(m.Plan.Src, []byte("Phase 0"))
}

// blocked reports whether the stage says that nobody can go on.
func (m *metadata) blocked() bool {
	stage := strings.ReplaceAll(strings.ToLower(m.text("partial_progress", "stage")), "unblock", "")
	return strings.Contains(stage, "block") || strings.Contains(stage, "impossible")
}

// records reports whether an agent named the handoff in the metadata. An output
// that is as we write it may be ours.
func (m *metadata) records(l link) bool {
	if m.pointer() == l.Path {
		return true
	}
	for i, e := range m.entries() {
		if e.path == l.Path && !(e.object && m.text("artifacts", i, "bundle_artifact_id") != "" && m.derivedSummary(i, l)) {
			return true
		}
	}
	return false
}

func (m *metadata) derivedSummary(i int, l link) bool {
	summary := m.text("artifacts", i, "summary")
	if summary == l.summary() {
		return true
	}
	old, ok := m.before(i, l)
	return ok && summary == old.summary()
}
