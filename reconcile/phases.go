package reconcile

import "strings"

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
