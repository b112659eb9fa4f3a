package rules

import "strings"

// trimLeft is strings.TrimLeft for a few ASCII bytes. It looks each byte up
// where that builds a table first, which costs more than all the rest where
// there is little to cut: at nearly every word of a document.
func trimLeft(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[0]) >= 0 {
		s = s[1:]
	}
	return s
}

// trimRight is strings.TrimRight for a few ASCII bytes.
func trimRight(s, cut string) string {
	for s != "" && strings.IndexByte(cut, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

// trim is strings.Trim for a few ASCII bytes.
func trim(s, cut string) string { return trimRight(trimLeft(s, cut), cut) }
