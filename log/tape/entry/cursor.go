package entry

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// Cursor is the position of a reader: after one entry, which stays valid when
// its file is archived. The zero value is the start of a tape.
type Cursor struct {
	Place
	digest string // of the entry's line
}

// digestDigits is how many hex digits of the SHA-256 a cursor has: enough to
// distinguish a tape from what it was before a reset.
const digestDigits = 16

// Cursor is the entry's; the start if it was not read from a file.
func (e Entry) Cursor() Cursor {
	if e.At.Pos == 0 {
		return Cursor{}
	}
	sum := sha256.Sum256([]byte(e.line))
	return Cursor{e.At, hex.EncodeToString(sum[:])[:digestDigits]}
}

// String is the cursor as opaque text: 12-9f86d081884c7d65.
func (c Cursor) String() string {
	s := strconv.FormatUint(c.Pos, 10)
	if c.Part > 0 {
		s += "." + strconv.Itoa(c.Part)
	}
	return s + "-" + c.digest
}

// ParseCursor reads what [Cursor.String] has written; the error is
// handoff.ErrInvalid.
func ParseCursor(text string) (c Cursor, err error) {
	at, digest, _ := strings.Cut(text, "-")
	line, part, joined := strings.Cut(at, ".")
	if c.Pos, err = strconv.ParseUint(line, 10, 64); err == nil && joined {
		c.Part, err = strconv.Atoi(part)
	}
	if c.digest = digest; err != nil || len(digest) != digestDigits || c.String() != text || c.Pos == 0 {
		return Cursor{}, Invalid("%.60q is not a position on a tape", text)
	}
	return c, nil
}
