package uri

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff"
)

// Main is the default tape of a workspace.
const Main = "main"

// maxFile is the longest name of a tape's file without its suffix, in bytes:
// journals and archives add to it, and file systems accept 255.
const maxFile = 180

// CheckName reports whether a text can be the name of a tape. Colons and
// slashes are allowed, as in "telegram:123": they are escaped in the file name.
func CheckName(name string) error {
	file := FileName(name)
	switch {
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
	case name[0] == '.' || name[len(name)-1] == '.' || len(file) > maxFile || isDevice(file):
	default:
		return nil
	}
	return fmt.Errorf("invalid tape name %.60q: want text without control characters, with no dot at the start or end, and at most %d bytes with all but letters, digits and -_. written as %%XX: %w", name, maxFile, handoff.ErrInvalid)
}

// FileName is the name of a tape's file without its suffix: percent-encoded as
// in Bub, so that it has no meaning in a path.
func FileName(name string) string { return quote(name, "") }

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

// NameOf is the tape whose file has that name; ok is false if there is none.
func NameOf(file string) (name string, ok bool) {
	name, err := url.PathUnescape(file)
	return name, err == nil && FileName(name) == file && CheckName(name) == nil
}

// isDevice reports the names that Windows reserves in every folder.
func isDevice(file string) bool {
	base, _, _ := strings.Cut(strings.ToLower(file), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
}
