package rules

import (
	"strings"

	"handoff/lint"
)

// sharedTimestamp flags a time that a document of another phase also has.
func sharedTimestamp(p *lint.Pass) {
	if p.Path == "" || !p.Name.Class.HasClock() {
		return
	}
	phase, stamp, _ := cutName(p.Name.Base)
	for _, sibling := range p.Siblings {
		other, otherStamp, ok := cutName(sibling)
		if ok && !samePhase(other, phase) && sameDigits(stamp, otherStamp) {
			p.File("%s has the same time: two phases do not end in the same second, use the clock", `"`+sibling+`"`)
			return
		}
	}
}

// cutName splits "phase-3-handoff-20260212T143022Z.md" into phase and stamp.
func cutName(base string) (phase, stamp string, ok bool) {
	rest, ok := strings.CutPrefix(base, "phase-")
	if !ok {
		return "", "", false
	}
	phase, stamp, ok = strings.Cut(rest, "-handoff-")
	return phase, strings.TrimSuffix(stamp, ".md"), ok
}

// sameDigits compares the digits of two times: 20260212T143022Z is
// 20260212-143022. A stamp with a suffix may repeat intentionally.
func sameDigits(a, b string) bool {
	for {
		a, b = pastMarks(a), pastMarks(b)
		if a == "" || b == "" || a[0] != b[0] {
			return a == b
		}
		a, b = a[1:], b[1:]
	}
}

// pastMarks removes the separators of a time.
func pastMarks(s string) string {
	for s != "" && (s[0] == 'T' || s[0] == 'Z' || s[0] == '-' || s[0] == '_') {
		s = s[1:]
	}
	return s
}
