package visible

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Mark is a number that marks the end of quoted texts. It is a hash of the texts, so the
// author of one text cannot predict it, and the same texts have the same mark. None of
// the texts contains it.
func Mark(digits int, texts ...string) string {
	for seed := strings.Join(texts, "\x00"); ; {
		sum := sha256.Sum256([]byte(seed))
		seed = hex.EncodeToString(sum[:])
		mark, taken := seed[:digits], false
		for _, t := range texts {
			taken = taken || strings.Contains(t, mark)
		}
		if !taken {
			return mark
		}
	}
}
