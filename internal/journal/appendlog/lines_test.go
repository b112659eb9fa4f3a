package appendlog

import (
	"bytes"
	"strings"
	"testing"
)

// replaced is a file that another process changes before each read but the first.
type replaced struct {
	texts []string
	reads int
}

func (f *replaced) ReadAt(p []byte, at int64) (int, error) {
	text := f.texts[min(f.reads, len(f.texts)-1)]
	f.reads++
	if at > int64(len(text)) {
		at = int64(len(text))
	}
	return bytes.NewReader([]byte(text)).ReadAt(p, at)
}

// TestReplacedWhileRead: a long torn line is removed, or replaced by a record, between two
// reads of it.
func TestReplacedWhileRead(t *testing.T) {
	torn := strings.Repeat("x", 2*chunkBytes)
	for _, now := range []string{"", "short", "record\n", "record\nanother\n", torn[:chunkBytes-1] + "\n" + torn} {
		file := &replaced{texts: []string{torn, now}}
		r := lines{file: file, size: int64(len(torn))}
		l, ok, err := r.read()
		text, _, whole := strings.Cut(now, "\n")
		if err != nil || ok != (now != "") || ok && (l.fragment == whole || string(l.text) != text) {
			t.Errorf("%.20q: %.20q, fragment %v, %v, %v", now, l.text, l.fragment, ok, err)
		}
	}
}
