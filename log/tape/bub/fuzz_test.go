package bub

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/log/tape"
)

// FuzzFix checks that a fixed file has all entries of the original, needs no
// other fix, and has at most one entry per line.
func FuzzFix(f *testing.F) {
	for _, c := range damaged {
		f.Add([]byte(c.content))
	}
	f.Add([]byte(generations))
	f.Fuzz(func(t *testing.T, content []byte) {
		var r Report
		var fixed bytes.Buffer
		if err := r.read(bytes.NewReader(content), &fixed); err != nil {
			t.Fatal(err)
		}
		var again Report
		var twice bytes.Buffer
		if err := again.read(bytes.NewReader(fixed.Bytes()), &twice); err != nil || !again.OK() || !bytes.Equal(twice.Bytes(), fixed.Bytes()) {
			t.Errorf("%q became %q, and then %q: %+v, %v", content, fixed.Bytes(), twice.Bytes(), again, err)
		}
		if r.OK() && !bytes.Equal(fixed.Bytes(), content) {
			t.Errorf("%q needs no fix and became %q", content, fixed.Bytes())
		}
		if !utf8.Valid(fixed.Bytes()) {
			t.Errorf("%q became %q", content, fixed.Bytes())
		}
		before, after := entriesIn(t, string(content), 1<<30), entriesIn(t, fixed.String(), 1)
		if before != after {
			t.Errorf("%q had\n%s\nand has\n%s", content, before, after)
		}
	})
}

func entriesIn(t *testing.T, file string, most int) string {
	var all []string
	for line := range strings.SplitSeq(file, "\n") {
		entries, err := tape.Parse([]byte(line))
		if err == nil && len(entries) > most {
			t.Errorf("%d entries on %q", len(entries), line)
		}
		for _, e := range entries {
			text, err := e.Line()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(text))
		}
	}
	return strings.Join(all, "\n")
}
