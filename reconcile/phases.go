package reconcile

import (
	"strconv"
	"strings"

	"handoff/internal/jsonedit"
)

// phases sets the counts of partial_progress: from the plan; else as they are;
// else as they stand under "metadata", where agents write them as well; else
// from the phase of the document that waits. A count that was made of the phase
// of the document before it, which waits no more, is made again.
func (m *metadata) phases(phase, before int) {
	done, total := phasesOf(m.Plan.Src)
	if total == 0 {
		done, total = m.phasesSaid(phase, before)
	}
	m.count("phases_completed", done)
	m.count("phases_total", total)
}

// unsaid is a count that nothing tells.
const unsaid = -1

func (m *metadata) phasesSaid(phase, before int) (done, total int) {
	later := 0 < before && before < phase
	done = m.said("phases_completed", func(n int) bool { return later && n == before-1 })
	total = m.said("phases_total", func(n int) bool { return later && n == before })
	if phase == 0 {
		return done, total
	}
	if done == unsaid {
		done = phase - 1
		if total != unsaid {
			done = min(done, total)
		}
	}
	if total == unsaid {
		total = max(phase, done+1) // somebody waits, so not all is done
	}
	return done, total
}

// said is a count that the metadata has, except in partial_progress one that is
// made.
func (m *metadata) said(key string, made func(int) bool) int {
	v, _ := m.file.Get("partial_progress", key)
	if n, whole := v.Int64(); whole && !made(int(n)) {
		return int(n)
	}
	if v.Kind() == jsonedit.KindArray { // of the phases
		return v.Len()
	}
	v, _ = m.file.Get("metadata", key)
	if n, whole := v.Int64(); whole && n >= 0 {
		return int(n)
	}
	return unsaid
}

// count sets a number in the place of none, another one, or a list of phases.
// Anything else is left alone.
func (m *metadata) count(key string, n int) {
	if n == unsaid {
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

// phasesOf counts the phases that a plan names in its headings, and those it
// marks as done: "### Phase 2: Extension steps [COMPLETED]". Headings inside
// fenced code do not count, and a phase that is named twice counts once.
func phasesOf(src []byte) (completed, total int) {
	done := map[string]bool{}
	fence := ""
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		if mark := fenceMark(line); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if phase, isDone, ok := phaseHeading(line); ok {
			done[phase] = done[phase] || isDone
		}
	}
	for _, d := range done {
		if d {
			completed++
		}
	}
	return completed, len(done)
}

// fenceMark is the run of backticks or tildes that opens or closes a fence.
func fenceMark(line string) string {
	t := strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(t) - len(strings.TrimLeft(t, c)); n >= 3 {
			return t[:n]
		}
	}
	return ""
}

// phaseHeading reads "## Phase 3: … [STATUS]".
func phaseHeading(line string) (phase string, done, ok bool) {
	text := strings.TrimLeft(line, "#")
	if hashes := len(line) - len(text); hashes < 2 || hashes > 4 {
		return "", false, false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " *"), "Phase ")
	if !ok {
		return "", false, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && r != '.' })
	if end < 0 {
		end = len(rest)
	}
	phase = strings.TrimRight(rest[:end], ".")
	if phase == "" || phase[0] < '0' || phase[0] > '9' { // "## Phase overview"
		return "", false, false
	}
	if i := strings.LastIndexByte(rest, '['); i >= 0 {
		status := strings.ToUpper(rest[i:])
		done = strings.HasPrefix(status, "[COMPLETE") || strings.HasPrefix(status, "[DONE")
	}
	return phase, done, true
}
