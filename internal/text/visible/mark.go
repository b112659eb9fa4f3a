package visible

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Mark is a number by which the end of quoted texts is known. It is made out of
// the texts themselves: whoever writes one of them cannot know it, and the same
// texts give the same mark. That it is in none of them is checked all the same.
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
