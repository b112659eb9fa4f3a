package brief

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"handoff/internal/visible"
)

// markDigits is the length of the mark that ends the report.
const markDigits = 8

// markFor is a number by which the end of a report is known. It is in none of
// the texts, so that nothing in the report can pass for its end; the same texts
// give the same mark.
func markFor(texts ...string) string {
	for seed := strings.Join(texts, "\x00"); ; {
		sum := sha256.Sum256([]byte(seed))
		seed = hex.EncodeToString(sum[:])
		mark, taken := seed[:markDigits], false
		for _, t := range texts {
			taken = taken || strings.Contains(t, mark)
		}
		if !taken {
			return mark
		}
	}
}

// endMark is the last line of the report.
func endMark(mark string) string { return "[end of report " + mark + "]" }

// argument is a path as it is typed in a shell. The names of files come from
// outside, too: a path with characters that cannot be shown is none to type.
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

// special reports whether a character may mean something to a shell.
func special(r rune) bool {
	return r < 0x80 && strings.IndexRune("_./-+@%,:=", r) < 0 && !('0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z')
}
