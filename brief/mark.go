package brief

import (
	"strings"

	"handoff/internal/text/visible"
)

// endMark is the last line of the report. A successor obeys what it reads, so
// no line of a report may look like its end.
func endMark(mark string) string { return "[end of report " + mark + "]" }

// argument is a path as typed in a shell. File names are untrusted: a path with
// invisible characters cannot be typed.
func argument(path string) (typed string, ok bool) {
	if clean, removed := visible.Model(path); clean != path || removed > 0 || strings.ContainsAny(path, "\n\t`") {
		return "", false
	}
	plain := !strings.HasPrefix(path, "-") && strings.IndexFunc(path, special) < 0
	if plain {
		return path, true
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'", true
}

// special reports whether a shell may interpret a character.
func special(r rune) bool {
	return r < 0x80 && !strings.ContainsRune("_./-+@%,:=", r) && !('0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
}
