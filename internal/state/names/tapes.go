package names

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The folder of tapes, that of archives in it, and the log that decides which tape
// receives an envelope.
const (
	Tapes     = "tape"
	Archived  = "archived"
	Envelopes = "envelopes.jsonl"
)

// MaxTape is the longest name of a tape's file without its suffix, in bytes: journals and
// archives add to it, and file systems accept 255.
const MaxTape = 180

// generationMark is between the name of a tape's file and a generation. It is escaped in
// names, so no tape has such a file.
const generationMark = "@"

// OfTapes reports whether a path is that of a tape, of an archive, or of the list of
// envelopes.
func OfTapes(path string) bool {
	if path == Envelopes {
		return true
	}
	name, in := strings.CutPrefix(path, Tapes+"/")
	stem, ok := strings.CutSuffix(name, Suffix)
	if !in || !ok {
		return false
	}
	if below, isArchive := strings.CutPrefix(stem, Archived+"/"); isArchive {
		return below != "" && !strings.Contains(below, "/")
	}
	_, _, ok = GenerationOf(stem)
	return ok
}

// Generation is the file of a generation of a tape, from 1, without its suffix.
func Generation(tape string, n int) string {
	if n == 1 {
		return FileName(tape)
	}
	return FileName(tape) + generationMark + strconv.Itoa(n)
}

// GenerationOf is the tape and the generation of a file, by its name without the
// suffix.
func GenerationOf(stem string) (tape string, n int, ok bool) {
	file, number, later := strings.Cut(stem, generationMark)
	if n = 1; later {
		var err error
		if n, err = strconv.Atoi(number); err != nil || n < 2 || strconv.Itoa(n) != number {
			return "", 0, false
		}
	}
	tape, ok = TapeOf(file)
	return tape, n, ok
}

// IsTape reports whether a text can be the name of a tape.
func IsTape(name string) bool {
	file := FileName(name)
	switch {
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
	case name[0] == '.' || name[len(name)-1] == '.' || len(file) > MaxTape || isDevice(file):
	default:
		return true
	}
	return false
}

// FileName is the name of a tape's file without its suffix: percent-encoded as in Bub, so
// that it has no meaning in a path.
func FileName(tape string) string { return Escape(tape, "") }

// TapeOf is the tape whose file has that name; ok is false if there is none.
func TapeOf(file string) (tape string, ok bool) {
	tape, err := url.PathUnescape(file)
	return tape, err == nil && FileName(tape) == file && IsTape(tape)
}

// Escape percent-encodes all bytes but letters, digits, -_.~ and those given.
func Escape(s, safe string) string {
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
