package prose

import "strings"

// TrimLeft is strings.TrimLeft for a few ASCII bytes. strings.TrimLeft builds a table
// first, which takes most of its time if there is little to cut, as at nearly every
// word of a document.
func TrimLeft(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[0]) >= 0 {
		s = s[1:]
	}
	return s
}

// TrimRight is strings.TrimRight for a few ASCII bytes.
func TrimRight(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

// Trim is strings.Trim for a few ASCII bytes.
func Trim(s, cut string) string { return TrimRight(TrimLeft(s, cut), cut) }
