package thread

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"handoff"
)

// maxID keeps all file names of a thread below 255 bytes.
const maxID = 128

// CheckID checks that a text is a valid id of a thread or run: a name that is safe
// as a file name on every system, such as a UUID. Otherwise it is
// handoff.ErrInvalid.
func CheckID(id string) error {
	bad := id == "" || len(id) > maxID || id[0] == '.' || id[len(id)-1] == '.' || reserved(id)
	for i := range len(id) {
		switch c := id[i]; {
		case '0' <= c && c <= '9', 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '-', c == '_', c == '.':
		default:
			bad = true
		}
	}
	if bad {
		return fmt.Errorf("invalid id %s: want at most %d letters, digits, '-', '_' and '.': %w", clip(id), maxID, handoff.ErrInvalid)
	}
	return nil
}

// reserved reports the names of devices, which exist in every folder on Windows.
func reserved(id string) bool {
	base, _, _ := strings.Cut(strings.ToLower(id), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
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
