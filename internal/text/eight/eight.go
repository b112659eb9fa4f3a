// Package eight reads text eight bytes at a time. It is for checks that must
// read every byte of every document and find something in hardly any: they take
// eight bytes as one number, the first byte lowest, and look closer where one of
// them may be what they look for.
package eight

const (
	Ones = 0x0101010101010101 // times c: the byte c eight times
	High = 0x8080808080808080 // the highest bit of each byte
)

// Bytes are the bytes from at on; src is that long.
func Bytes(src string, at int) uint64 {
	s := src[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Below has the highest bit set of every byte of w that is less than c, which
// is ASCII; of no other byte but, rarely, the one behind such a byte.
func Below(w uint64, c byte) uint64 { return (w - uint64(c)*Ones) &^ w & High }
