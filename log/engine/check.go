package engine

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrInvalid: the caller asked for something that no engine can do, such as a log
// with an invalid name or a record with a newline.
var ErrInvalid = errors.New("invalid")

// Check reports what is invalid in an append, as an error that wraps ErrInvalid.
// Every engine calls it first, so all of them refuse the same.
func Check(batches ...Batch) error {
	if len(batches) == 0 {
		return fmt.Errorf("%w append: it has no records", ErrInvalid)
	}
	seen := make(map[string]bool, len(batches))
	for _, b := range batches {
		if err := CheckLog(b.Log); err != nil {
			return err
		}
		if seen[b.Log] {
			return fmt.Errorf("%w append: it has two batches for %s", ErrInvalid, b.Log)
		}
		seen[b.Log] = true
		if len(b.Records) == 0 {
			return fmt.Errorf("%w append to %s: it has no records", ErrInvalid, b.Log)
		}
		for _, record := range b.Records {
			if len(record) == 0 {
				return fmt.Errorf("%w record for %s: it is empty", ErrInvalid, b.Log)
			}
			if bytes.IndexByte(record, '\n') >= 0 {
				return fmt.Errorf("%w record for %s: it has a newline", ErrInvalid, b.Log)
			}
		}
	}
	return nil
}

// Suffix is the end of the name of each log. So a file next to a log, such as a lock,
// never has the name of another log.
const Suffix = ".jsonl"

// MaxName is the length of the longest name of a log, in bytes. File systems limit a
// segment to 255 bytes, which each engine has to store as well.
const MaxName = 512

// CheckLog reports what is invalid in the name of a log: see [Logs].
func CheckLog(name string) error {
	bad := func(why string) error { return fmt.Errorf("%w name of a log %.60q: %s", ErrInvalid, name, why) }
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > MaxName:
		return bad(fmt.Sprintf("it has more than %d bytes", MaxName))
	case !utf8.ValidString(name):
		return bad("it is not UTF-8")
	case strings.ContainsFunc(name, unicode.IsControl):
		return bad("it has a control character")
	case strings.Contains(name, `\`):
		return bad(`it has a \`)
	}
	if !strings.HasSuffix(name, Suffix) {
		return bad("it does not end with " + Suffix)
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." || len(segment) > 255 {
			return bad("each part between slashes must be a file name")
		}
	}
	return nil
}

// CheckID reports what is invalid in the id of a blob: see [Blobs].
func CheckID(id string) error {
	if len(id) != 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return fmt.Errorf("%w id of a blob %.70q: want 64 lowercase hexadecimal digits", ErrInvalid, id)
	}
	return nil
}
