package journal

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"unicode/utf8"
)

// plainly reads a journal in a slow and simple way: the lines of its records, and
// whether there is damage after them.
func plainly(format Format, log []byte) (records []string, damaged bool) {
	for len(log) > 0 {
		line, rest, ended := bytes.Cut(log, []byte{'\n'})
		facts, err := format.Read(line)
		if !format.AnyBytes && !utf8.Valid(line) {
			err = errors.New("not UTF-8")
		}
		switch pos := format.First + uint64(len(records)); {
		case format.Tolerant && err != nil:
		case !format.Tolerant && !ended, !format.Tolerant && err != nil && len(rest) == 0:
			return records, false
		case !format.Tolerant && (err != nil || facts.Number != pos):
			return records, true
		default:
			records = append(records, string(line))
		}
		log = rest
	}
	return records, false
}

// FuzzLog compares the reader with the simple one on any bytes, and checks that an
// append loses none of them.
func FuzzLog(f *testing.F) {
	log, _ := sample(0)
	f.Add(log)
	f.Add(log[:len(log)-1])
	f.Add([]byte("{\"n\":0}\n{\"n\":1}\noops\n"))
	f.Add([]byte("{\"n\":0}\n{\"n\":1,\"text\":\"\x80\"}\n{\"n\":1}\n"))
	f.Add([]byte("{\"n\":0}\n\n{\"n\":1}\n"))
	f.Add([]byte("{\"n\":7}\r\n{}\n\x00\x00{\"n\":3}"))
	f.Add([]byte("{\"n\":18446744073709551614}\n"))
	dir := quickDir(f)
	f.Fuzz(func(t *testing.T, log []byte) {
		anyBytes := tolerant
		anyBytes.AnyBytes = true
		for _, format := range []Format{strict, tolerant, anyBytes} {
			dir, err := os.MkdirTemp(dir, "")
			if err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(dir)
			path := filepath.Join(dir, "log")
			if err := os.WriteFile(path, log, 0o644); err != nil {
				t.Fatal(err)
			}
			j, err := Open(t.Context(), path, format, Options{})
			if err != nil {
				t.Fatal(err)
			}
			j.index.lag = int64(len(log) / 2)
			fuzzRead(t, j, log)
			fuzzAppend(t, j, log)
			j.Close()
		}
	})
}

func fuzzRead(t *testing.T, j *Journal, log []byte) {
	want, damaged := plainly(j.format, log)
	for range 2 { // without an index and with one
		var got []string
		var err error
		for rec, e := range j.Since(0) {
			if err = e; e == nil {
				got = append(got, string(rec.Line))
			}
		}
		if !slices.Equal(got, want) || damaged != errors.As(err, new(*DamageError)) || !damaged && err != nil {
			t.Fatalf("%q: got %q, %v; want %q, damaged %v", log, got, err, want, damaged)
		}
	}
}

func fuzzAppend(t *testing.T, j *Journal, log []byte) {
	want, damaged := plainly(j.format, log)
	_, err := j.Append(context.Background(), Any(), add("new"))
	if err != nil { // damage, or no numbers left
		if !bytes.Equal(content(t, j), log) {
			t.Fatalf("%q: %v, and it became %q", log, err, content(t, j))
		}
		return
	}
	if now := content(t, j); j.format.Tolerant {
		if !bytes.HasPrefix(now, log) {
			t.Fatalf("%q became %q", log, now)
		}
	} else if kept := append(now[:bytes.LastIndexByte(now[:len(now)-1], '\n')+1], bytes.Join(asideBytes(t, j), nil)...); !bytes.Equal(kept, log) {
		t.Fatalf("of %q there is %q", log, kept)
	}
	if got, err := texts(j, 0); !damaged && (err != nil || len(got) != len(want)+1 || got[len(want)] != "new") {
		t.Fatalf("%q: after an append %q, %v", log, got, err)
	}
}

func asideBytes(t *testing.T, j *Journal) (list [][]byte) {
	for _, s := range asides(t, j) {
		list = append(list, []byte(s))
	}
	return list
}
