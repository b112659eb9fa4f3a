package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// ErrInvalidID reports text that is not an artifact id.
var ErrInvalidID = errors.New("not an artifact id: want 64 lowercase hex digits")

// ID is the id of an artifact: 64 digits of lowercase hex, its SHA-256, or random
// digits that RIP generated. The zero ID is invalid. IDs can be compared with ==.
type ID struct{ hex string }

// Sum is the id of the data.
func Sum(data []byte) ID {
	sum := sha256.Sum256(data)
	return ID{hex.EncodeToString(sum[:])}
}

// ParseID accepts exactly 64 digits of lowercase hex, so no text with a meaning in a
// path. Anything else is [ErrInvalidID].
func ParseID(s string) (ID, error) {
	if !isID(s) {
		const most = 80 // bytes to quote
		if len(s) > most {
			return ID{}, fmt.Errorf("%q... (%d bytes): %w", s[:most], len(s), ErrInvalidID)
		}
		return ID{}, fmt.Errorf("%q: %w", s, ErrInvalidID)
	}
	return ID{s}, nil
}

func isID(s string) bool {
	return len(s) == 2*sha256.Size && strings.Trim(s, "0123456789abcdef") == ""
}

// IsZero reports whether id is the zero ID.
func (id ID) IsZero() bool { return id.hex == "" }

// String is the 64 digits, or "" for the zero ID.
func (id ID) String() string { return id.hex }

// MarshalText is String for JSON; the zero ID is an error.
func (id ID) MarshalText() ([]byte, error) {
	if id.IsZero() {
		return nil, ErrInvalidID
	}
	return []byte(id.hex), nil
}

// UnmarshalText is [ParseID].
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}

// MadeUp reports whether the id has the fixed bits of two random UUIDs in a row. RIP
// generates such ids for bundles, summaries and logs. One SHA-256 in 4,096 has them,
// too.
func (id ID) MadeUp() bool {
	variant := func(c byte) bool { return c == '8' || c == '9' || c == 'a' || c == 'b' }
	h := id.hex
	return len(h) == 64 && h[12] == '4' && variant(h[16]) && h[44] == '4' && variant(h[48])
}
