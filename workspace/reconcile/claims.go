package reconcile

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
)

// stageZero is the stage that an agent writes when it starts.
const stageZero = "initializing"

func (m *metadata) stageZero() bool { return m.text("partial_progress", "stage") == stageZero }

// stageAfter reports whether the stage is of a later phase than the handoff's,
// or closes its phase: phase_4_in_progress.
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

// closesPhase reports whether the word after the phase's number closes the
// phase. "phase_6_analysis_complete" and "phase_6_iteration_2_complete" close a
// part of it.
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

// phaseAfter reports whether the counts show that the handoff's phase is done
// or a later one is running. If the plan begins with phase 0, agents count one
// completed phase more than the last number shows.
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

// blocked reports whether the stage means that no one can continue.
func (m *metadata) blocked() bool {
	stage := strings.ReplaceAll(strings.ToLower(m.text("partial_progress", "stage")), "unblock", "")
	return strings.Contains(stage, "block") || strings.Contains(stage, "impossible")
}

// records reports whether an agent named the handoff in the metadata. An output
// in exactly our form does not count: we may have written it.
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
	return summary == l.summary() || summary != "" && summary == m.summaryBefore(i, l)
}
