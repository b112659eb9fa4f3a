package jsonedit

import "unicode/utf8"

// FirstInvalid is the offset of the first byte that is not part of UTF-8 text; -1
// for none. [Parse] takes such bytes in strings, as encoding/json does.
func FirstInvalid(src []byte) int {
	if utf8.Valid(src) {
		return -1
	}
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}
