// Package uuid makes UUIDs (RFC 9562).
package uuid

import (
	"crypto/rand"
	"encoding/hex"
)

// New is a random one, of version 4.
func New() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return Of(b, 4)
}

// Of is the one of a version with these bytes.
func Of(b [16]byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}
