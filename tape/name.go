package tape

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Main is the tape of a workspace that everything is about where no other is
// named.
const Main = "main"

// maxFile is the longest name of a tape's file without its suffix, in bytes:
// journals and archives add to it, and 255 is what file systems take.
const maxFile = 180

// CheckName tells whether a text can be the name of a tape. Colons and slashes
// are fine, as in "telegram:123": in the name of the file they are escaped.
func CheckName(name string) error {
	file := fileName(name)
	switch {
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
	case name[0] == '.' || name[len(name)-1] == '.' || len(file) > maxFile || isDevice(file):
	default:
		return nil
	}
	return invalid("invalid tape name %s: want text without control characters, with no dot at the start or end, and at most %d bytes with all but letters, digits and -_. written as %%XX", clip(name), maxFile)
}

// fileName is the name of a tape's file without its suffix: percent-encoded as
// Bub does it, so that it means nothing in a path.
func fileName(name string) string { return quote(name, "") }

// quote percent-encodes all bytes but letters, digits, -_.~ and those given.
func quote(s, safe string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || strings.IndexByte("-_.~", c) >= 0 || strings.IndexByte(safe, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

// nameOf is the tape whose file has that name.
func nameOf(file string) (name string, ok bool) {
	file, ok = strings.CutSuffix(file, suffix)
	if !ok {
		return "", false
	}
	name, err := url.PathUnescape(file)
	return name, err == nil && fileName(name) == file && CheckName(name) == nil
}

// isDevice tells the names that Windows has in every folder.
func isDevice(file string) bool {
	base, _, _ := strings.Cut(strings.ToLower(file), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
}
