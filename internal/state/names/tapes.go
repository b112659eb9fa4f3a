package names

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
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

// MaxName is the longest name of a tape, in bytes. The name of its file is shortened: see [FileName].
const MaxName = 4096

// generationMark is between the name of a tape's file and a generation, and before the hash of
// a name that is shortened. It is escaped in names, so no tape has such a file.
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
// suffix. The tape is "" if its name is too long for that: see [Within].
func GenerationOf(stem string) (tape string, n int, ok bool) {
	file, number, later := strings.Cut(stem, generationMark)
	if hash, more, _ := strings.Cut(number, generationMark); later && isHash(hash) {
		file, number, later = file+generationMark+hash, more, len(hash) < len(number)
	}
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
	case name == "" || len(name) > MaxName || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
	case name[0] == '.' || name[len(name)-1] == '.' || isDevice(file):
	default:
		return true
	}
	return false
}

// FileName is the name of a tape's file without its suffix: percent-encoded as in Bub, so
// that it has no meaning in a path. One that is too long for a file system is shortened: its
// beginning, and the hash of the tape's name, which is in the first line of the file.
func FileName(tape string) string {
	file := Escape(tape, "")
	if len(file) <= MaxTape {
		return file
	}
	begin := file[:100]
	if at := strings.LastIndexByte(begin, '%'); at > len(begin)-3 { // half of an escaped byte
		begin = begin[:at]
	}
	hash := sha256.Sum256([]byte(tape))
	return begin + generationMark + hex.EncodeToString(hash[:])
}

func isHash(s string) bool { return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == "" }

// TapeOf is the tape whose file has that name; ok is false if there is none. The tape is ""
// if its name is too long for that: see [Within].
func TapeOf(file string) (tape string, ok bool) {
	file, hash, short := strings.Cut(file, generationMark)
	tape, err := url.PathUnescape(file)
	if short {
		return "", err == nil && isHash(hash) && tape != "" && tape[0] != '.' && len(file) <= 100 && Escape(tape, "") == file && !isDevice(file)
	}
	return tape, err == nil && FileName(tape) == file && IsTape(tape)
}

// Signed is the first line of a tape's file, with the name of the tape if that of the file is
// shortened.
func Signed(tape string, line []byte) []byte {
	file, end := FileName(tape), bytes.LastIndexByte(line, '}')
	if !strings.Contains(file, generationMark) || end < 0 || Within(file, line) == tape {
		return line
	}
	name, err := json.Marshal(tape)
	if err != nil {
		return line // cannot be: it is text
	}
	return append(append(append(line[:end:end], `, "tape": `...), name...), '}')
}

// Within is the tape of a file whose name, without the suffix, is shortened, by the first line
// of the file; "" if that does not have it.
func Within(stem string, line []byte) string {
	var first struct{ Tape string }
	if json.Unmarshal(line, &first) != nil || !IsTape(first.Tape) {
		return ""
	}
	if file := FileName(first.Tape); stem != file && !strings.HasPrefix(stem, file+generationMark) {
		return ""
	}
	return first.Tape
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
