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
	later := 0 < before && before < phase
	if done == unsaid {
		done = m.said("phases_completed", func(n int) bool { return later && n == before-1 })
	}
	if total == unsaid {
		total = m.said("phases_total", func(n int) bool { return later && n == before })
	}
	if done == unsaid && phase > 0 {
		done = phase - 1
		if total != unsaid {
			done = min(done, total)
		}
	}
	if total == unsaid && phase > 0 {
		total = max(phase, done+1) // somebody waits, so not all is done
	}
	m.count("phases_completed", done)
	m.count("phases_total", total)
}

// unsaid is a count that nothing tells.
const unsaid = -1

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
// marks as done: "### Phase 2: Extension steps [COMPLETED]". A plan without
// phases tells neither, one without any mark does not tell what is done.
// Headings inside fenced code do not count, and a phase that is named twice
// counts once.
func phasesOf(src []byte) (completed, total int) {
	phases, marked := map[string]mark{}, false
	fence := ""
	for line := range strings.Lines(string(src)) {
		line = strings.TrimRight(line, "\r\n")
		if run := fenceMark(line); run != "" {
			switch {
			case fence == "":
				fence = run
			case strings.HasPrefix(run, fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if phase, status, ok := phaseHeading(line); ok {
			phases[phase] = max(phases[phase], status)
			marked = marked || status != unmarked
		}
	}
	if len(phases) == 0 {
		return unsaid, unsaid
	}
	if !marked {
		return unsaid, len(phases)
	}
	for _, status := range phases {
		if status == phaseDone {
			completed++
		}
	}
	return completed, len(phases)
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
func phaseHeading(line string) (phase string, status mark, ok bool) {
	text := strings.TrimLeft(line, "#")
	if hashes := len(line) - len(text); hashes < 2 || hashes > 4 {
		return "", unmarked, false
	}
	rest, ok := strings.CutPrefix(strings.TrimLeft(text, " *"), "Phase ")
	if !ok {
		return "", unmarked, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && r != '.' })
	if end < 0 {
		end = len(rest)
	}
	phase = strings.TrimRight(rest[:end], ".")
	if phase == "" || phase[0] < '0' || phase[0] > '9' { // "## Phase overview"
		return "", unmarked, false
	}
	return phase, markOf(rest), true
}

// mark is what a heading says of its phase.
type mark int

const (
	unmarked mark = iota
	phaseOpen
	phaseDone
)

// markOf reads the last brackets of a heading. Words in capitals that do not
// mean the end of the phase say that it is not there yet: [NOT STARTED].
func markOf(heading string) mark {
	at := strings.LastIndexByte(heading, '[')
	if at < 0 {
		return unmarked
	}
	capital := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	status := heading[at+1:]
	switch upper := strings.ToUpper(status); {
	case strings.HasPrefix(upper, "COMPLETE"), strings.HasPrefix(upper, "DONE"):
		return phaseDone
	case len(status) > 1 && capital(status[0]) && capital(status[1]):
		return phaseOpen
	}
	return unmarked
}
