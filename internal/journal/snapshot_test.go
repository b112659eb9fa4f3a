package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestSnapshot queries a snapshot before and after the journal's file is replaced or
// deleted, and the journal in between: the journal answers with the new file, the
// snapshot with the old one.
func TestSnapshot(t *testing.T) {
	const n = 3000 // lines, more than the index keeps in memory only
	for what, change := range map[string]func(path string) error{
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", numbers(7, 5), 0o644); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"taken away": os.Remove,
		"put away":   func(path string) error { return os.Rename(path, path+".old") },
	} {
		path := filepath.Join(t.TempDir(), "j")
		if err := os.WriteFile(path, numbers(0, n), 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, snapped, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		j.index.lag = 1000 // the rest is on the disk, where the next file's index will be
		s, err := j.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		half := s.Since(1)
		check := func(when string) {
			t.Helper()
			rec, err := s.Get(n / 2)
			if err != nil || string(rec.Line) != fmt.Sprint(n/2-1) {
				t.Errorf("%s, %s: %s, %v", what, when, rec.Line, err)
			}
			if _, err := s.Get(n + 1); !errors.Is(err, ErrNoRecord) {
				t.Errorf("%s, %s: %v", what, when, err)
			}
			found, err := s.Find("key 11")
			if err != nil || !slices.Equal(found, []uint64{12}) {
				t.Errorf("%s, %s: %d, %v", what, when, found, err)
			}
			count, err := s.Count("tens")
			pos, ok, nthErr := s.Nth("tens", 2)
			if err != nil || nthErr != nil || count != n/10 || pos != 21 || !ok {
				t.Errorf("%s, %s: %d, the third is %d, %v, %v", what, when, count, pos, err, nthErr)
			}
			if passed, err := s.Passed(); err != nil || len(passed) != 1 || passed[0].Line != n+1 {
				t.Errorf("%s, %s: %v, %v", what, when, passed, err)
			}
			from := uint64(n - 1)
			for rec, err := range s.Since(n - 1) {
				if err != nil || rec.Pos != from {
					t.Errorf("%s, %s: %d, %v", what, when, rec.Pos, err)
				}
				from++
			}
			if from != n+1 || s.Len() != n {
				t.Errorf("%s, %s: up to %d of %d", what, when, from, s.Len())
			}
		}
		check("before")
		read := uint64(0)
		for rec, err := range half { // a started iteration continues
			if err != nil || rec.Pos != read+1 {
				t.Fatalf("%s: %d, %v", what, rec.Pos, err)
			}
			if read++; read == n/2 {
				if err := change(path); err != nil {
					t.Fatal(err)
				}
			}
		}
		if read != n {
			t.Errorf("%s: %d records", what, read)
		}
		check("at once")
		if count, err := j.Len(); what == "replaced" && (err != nil || count != 5) {
			t.Errorf("%s: the journal has %d, %v", what, count, err)
		}
		check("after the journal has looked")
		if _, err := os.Stat(path + ".idx/head"); err != nil {
			t.Errorf("%s: the index of the path: %v", what, err)
		}
	}
}

// snapped has keys and a list; a line without a number is skipped.
var snapped = Format{Version: 1, First: 1, Tolerant: true, Read: func(line []byte) (Facts, error) {
	var n int
	if _, err := fmt.Sscanf(string(line), "%d", &n); err != nil {
		return Facts{}, err
	}
	f := Facts{Number: Unnumbered, Keys: []string{fmt.Sprint("key ", n)}}
	if n%10 == 0 {
		f.Lists = []string{"tens"}
	}
	return f, nil
}}

// numbers are n numbers from first on, and an invalid line.
func numbers(first, n int) (src []byte) {
	for i := range n {
		src = fmt.Appendln(src, first+i)
	}
	return append(src, "none\n"...)
}
