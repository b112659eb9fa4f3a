package thread

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"handoff"
	"handoff/engine/names"
)

// CheckID checks that a text is a valid id of a thread or run: a name that is safe
// as a file name on every system, such as a UUID. Otherwise it is
// handoff.ErrInvalid.
func CheckID(id string) error {
	if names.IsID(id) {
		return nil
	}
	return fmt.Errorf("invalid id %s: want at most %d letters, digits, '-', '_' and '.': %w", clip(id), names.MaxID, handoff.ErrInvalid)
}

// NewUUID is a random UUID, as RIP's ids are.
func NewUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return uuid(b, 4)
}

// derived is an id that depends only on the parts: a UUID of version 8, which is for
// custom schemes.
func derived(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return uuid([16]byte(h.Sum(nil)), 8)
}

func uuid(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
