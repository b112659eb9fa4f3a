// Package eight reads text eight bytes at a time, as one number with the first byte
// lowest. It is for checks that must read every byte of every document and rarely
// find something: they look closer only if one of the eight bytes may match.
package eight

const (
	Ones = 0x0101010101010101 // times c: the byte c eight times
	High = 0x8080808080808080 // the highest bit of each byte
)

// Bytes returns the eight bytes from at on; src must have them.
func Bytes(src string, at int) uint64 {
	s := src[at : at+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// Below sets the highest bit of every byte of w that is less than c, an ASCII byte. In
// rare cases it also sets that of the byte after such a byte.
func Below(w uint64, c byte) uint64 { return (w - uint64(c)*Ones) &^ w & High }

// NotWord sets the highest bit of every byte of w that is no ASCII letter, digit or underscore.
func NotWord(w uint64) uint64 {
	low := w &^ High
	letter, underscore := low|0x20*Ones, low^'_'*Ones
	is := (letter+(0x80-'a')*Ones)&^(letter+(0x7f-'z')*Ones) | (low+(0x80-'0')*Ones)&^(low+(0x7f-'9')*Ones) | (High - underscore)
	return (^is | w) & High
}
