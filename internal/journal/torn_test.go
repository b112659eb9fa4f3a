package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// asides are the saved torn bytes, in the order of their names.
func asides(t testing.TB, j *Journal) (list []string) {
	t.Helper()
	names, err := filepath.Glob(j.Path() + ".torn-*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(b))
	}
	return list
}

// sample is a journal of four records, the last two of which are long.
func sample(first uint64) (log []byte, texts []string) {
	texts = []string{"a", "ü {\"}", strings.Repeat("x", 300), strings.Repeat("y", 200)}
	for i, s := range texts {
		log = append(append(log, text(first+uint64(i), s)...), '\n')
	}
	return log, texts
}

// TestTornAtEveryByte truncates a journal at every byte. Complete records are
// served, the next append comes after them, and no byte is lost.
func TestTornAtEveryByte(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		log, all := sample(format.First)
		path := filepath.Join(t.TempDir(), "log")
		for cutAt := 0; cutAt <= len(log); cutAt++ {
			if err := os.WriteFile(path, log[:cutAt], 0o644); err != nil {
				t.Fatal(err)
			}
			whole := bytes.Count(log[:cutAt], []byte{'\n'})
			end := bytes.LastIndexByte(log[:cutAt], '\n') + 1
			if format.Tolerant && cutAt < len(log) && log[cutAt] == '\n' {
				whole++ // complete except for its newline
			}
			j, err := Open(t.Context(), path, format, Options{})
			if err != nil {
				t.Fatal(err)
			}
			wantTexts(t, j, all[:whole]...)
			if n := mustAppend(t, j, "new"); n != format.First+uint64(whole) {
				t.Errorf("cut at %d: the next number was %d, want %d", cutAt, n, whole)
			}
			wantTexts(t, j, append(slices.Clone(all[:whole]), "new")...)
			wantTexts(t, reopen(t, j), append(slices.Clone(all[:whole]), "new")...)
			got, aside := content(t, j), asides(t, j)
			switch {
			case format.Tolerant:
				if !bytes.HasPrefix(got, log[:cutAt]) || len(aside) > 0 {
					t.Errorf("cut at %d: became %q, aside %q", cutAt, got, aside)
				}
			case end == cutAt:
				if len(aside) > 0 {
					t.Errorf("cut at %d: nothing was torn, but %q is aside", cutAt, aside)
				}
			case len(aside) != 1 || aside[0] != string(log[end:cutAt]):
				t.Errorf("cut at %d: %q was torn, %q is aside", cutAt, log[end:cutAt], aside)
			}
			j.Close()
			names, _ := filepath.Glob(path + ".*")
			for _, name := range names {
				os.RemoveAll(name)
			}
		}
	}
}

// A newline does not prove that a line is complete: after a power failure anything
// may be before it.
func TestTornWithLineEnd(t *testing.T) {
	for _, torn := range []string{"{\"n\":2,\"te\n", "\n", "\x00\x00\x00\x00\n", strings.Repeat("\x00", 5000)} {
		var told Torn
		j := create(t, strict, Options{Healed: func(torn Torn) { told = torn }})
		mustAppend(t, j, "a", "b")
		appendBytes(t, j.Path(), torn)
		wantTexts(t, j, "a", "b")
		wantTexts(t, reopen(t, j), "a", "b")
		if n := mustAppend(t, j, "c"); n != 2 {
			t.Errorf("after %q the next number was %d", torn, n)
		}
		wantTexts(t, j, "a", "b", "c")
		if kept := asides(t, j); len(kept) != 1 || kept[0] != torn {
			t.Errorf("%q was torn, %q is aside", torn, kept)
		}
		if told.Bytes != int64(len(torn)) || !strings.HasPrefix(told.Aside, j.Path()+".torn-") {
			t.Errorf("reported %+v", told)
		}
	}
}

// Saved torn bytes are not overwritten: the same offset may be torn again.
func TestTornTwice(t *testing.T) {
	j := create(t, strict, Options{})
	mustAppend(t, j, "a")
	end := int64(len(content(t, j)))
	for _, torn := range []string{"one", "two", "three"} {
		if err := os.Truncate(j.Path(), end); err != nil {
			t.Fatal(err)
		}
		appendBytes(t, j.Path(), torn)
		mustAppend(t, j, "b")
	}
	if got := asides(t, j); !slices.Equal(got, []string{"one", "two", "three"}) {
		t.Errorf("aside: %q", got)
	}
	wantTexts(t, j, "a", "b")
}

func appendBytes(t testing.TB, path, s string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(s); err != nil {
		t.Fatal(err)
	}
}

// TestDamage: a strict journal serves nothing from its first bad line on, names the
// line, and does not change it.
func TestDamage(t *testing.T) {
	good := func(n int) string { return string(text(uint64(n), fmt.Sprint(n))) + "\n" }
	for name, c := range map[string]struct {
		log    string
		served int
		line   int64
		append bool // the last line is valid, so the journal still grows
	}{
		"not a record":              {good(0) + "oops\n" + good(1), 1, 2, true},
		"not UTF-8":                 {good(0) + "{\"n\":1,\"text\":\"\xff\"}\n" + good(2), 1, 2, true},
		"a blank line":              {good(0) + good(1) + "\n" + good(2), 2, 3, true},
		"a gap":                     {good(0) + good(2) + good(3), 1, 2, true},
		"a gap at the end":          {good(0) + good(1) + good(3), 2, 3, true},
		"twice":                     {good(0) + good(0), 1, 2, true},
		"does not begin at 0":       {good(1) + good(2), 0, 1, true},
		"two torn lines":            {good(0) + "{\n{", 1, 2, false},
		"wrong before a torn line":  {good(0) + "{\n{\n", 1, 2, false},
		"only wrong, and torn":      {"a\nb", 0, 1, false},
		"glued by another program":  {good(0) + "{\"n\":1" + good(1) + good(2), 1, 2, true},
		"a number beyond all limit": {good(0) + "{\"n\":18446744073709551615}\n", 1, 2, false},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(c.log), 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, strict, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := texts(j, 0)
		var damage *DamageError
		if !errors.As(err, &damage) || len(got) != c.served || damage.Line != c.line || damage.Path != path {
			t.Errorf("%s: served %q, then %v", name, got, err)
			continue
		}
		if want := fmt.Sprintf("%s:%d: ", path, c.line); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %q does not begin with %q", name, err, want)
		}
		for question, err := range map[string]error{
			"Get":    second(j.Get(uint64(c.served))),
			"Last":   third(j.Last()),
			"Len":    second(j.Len()),
			"Find":   second(j.Find("x")),
			"Count":  second(j.Count("x")),
			"Nth":    third(j.Nth("x", 0)),
			"LastOn": third(j.LastOn("x", 1<<60)),
			"Since":  second(texts(j, uint64(c.served)+1)),
		} {
			if !errors.As(err, &damage) {
				t.Errorf("%s: %s was answered: %v", name, question, err)
			}
		}
		if c.served > 0 {
			if rec, err := j.Get(0); err != nil || string(rec.Line)+"\n" != good(0) {
				t.Errorf("%s: the sound record: %v", name, err)
			}
		}
		_, err = j.Append(context.Background(), Any(), add("new"))
		if (err == nil) != c.append || err != nil && !errors.As(err, &damage) {
			t.Errorf("%s: append: %v", name, err)
		}
		if now := content(t, j); !strings.HasPrefix(string(now), c.log) || len(asides(t, j)) > 0 {
			t.Errorf("%s: became %q", name, now)
		}
		j.Close()
	}
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

// TestTolerant checks the rules of tapes: unreadable lines are skipped and
// preserved, numbers are labels, the order is that of the lines.
func TestTolerant(t *testing.T) {
	log := "\ufeff" + `{"n":1,"text":"behind a byte order mark"}` + "\n" +
		`{"n":1,"text":"a"}` + "\r\n" +
		"\n  \n" +
		`{"n":9,"text":"b"}` + "\n" +
		"[1]\n{\"n\":-4}\n" +
		`{"n":2,"text":"c"}` + "\n" +
		`{"n":3,"text":"` + "\xff\xfe\"}\n" +
		`{"n":9,"text":"d"}{"n":10}` + "\n" +
		`{"text":"no number"}` + "\n" +
		`{"n":3,"text":"no line end"}`
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte(log), 0o644); err != nil {
		t.Fatal(err)
	}
	j, err := Open(t.Context(), path, tolerant, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	wantTexts(t, j, "a", "b", "c", "no number", "no line end")
	if n := mustAppend(t, j, "e"); n != 10 {
		t.Errorf("the next number was %d, want 10", n)
	}
	wantTexts(t, j, "a", "b", "c", "no number", "no line end", "e")
	if got := content(t, j); string(got) != log+"\n"+string(text(10, "e"))+"\n" {
		t.Errorf("the file became %q", got)
	}
	passed, err := j.Passed()
	var lines []int64
	for _, p := range passed {
		lines = append(lines, p.Line)
	}
	if err != nil || !slices.Equal(lines, []int64{1, 6, 7, 9, 10}) {
		t.Errorf("passed over %v, %v", passed, err)
	}
	var numbers []uint64
	for rec, err := range j.Since(0) {
		if err != nil {
			t.Error(err)
		}
		numbers = append(numbers, rec.Number)
	}
	if !slices.Equal(numbers, []uint64{1, 9, 2, 4, 3, 10}) {
		t.Errorf("numbers %v", numbers)
	}
	if rec, err := j.Get(2); err != nil || rec.Number != 9 {
		t.Errorf("position 2: %+v, %v", rec, err)
	}
}

// A program that does not know the lock may still be writing a line without a
// newline.
func TestCompletedByAnother(t *testing.T) {
	j := create(t, tolerant, Options{})
	whole := string(text(1, "one"))
	appendBytes(t, j.Path(), whole[:5])
	wantTexts(t, j)
	appendBytes(t, j.Path(), whole[5:])
	wantTexts(t, j, "one")
	appendBytes(t, j.Path(), "\n"+string(text(2, "two")))
	wantTexts(t, j, "one", "two")
	appendBytes(t, j.Path(), "glued\n")
	wantTexts(t, j, "one")
	appendBytes(t, j.Path(), string(text(7, "three"))+"\n")
	wantTexts(t, j, "one", "three")
	if n := mustAppend(t, j, "four"); n != 8 {
		t.Errorf("the next number was %d", n)
	}
}

// TestBegun: a writer cannot damage the first record that a journal was created
// with. A journal that has lost it is neither truncated nor appended to.
func TestBegun(t *testing.T) {
	format := strict
	format.Begun = true
	for _, text := range []string{"", "\n", "no record", "no record\n", "{\"n\":0,\"te"} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = j.Append(t.Context(), Any(), func(uint64) ([]Line, error) { t.Error("asked for records"); return nil, nil })
		if damage := (*DamageError)(nil); !errors.As(err, &damage) || damage.Line != 1 {
			t.Errorf("%q: %v", text, err)
		}
		if got, kept := content(t, j), asides(t, j); string(got) != text || len(kept) > 0 {
			t.Errorf("%q became %q, aside %q", text, got, kept)
		}
		j.Close()
	}
}

// TestDamageOfWholeLog changes bytes of a whole log, one at a time, also of its last line: it is never
// read as another log or as a shorter one, unless the change is a valid record again, and
// nothing is appended to it. SetAside loses no byte.
func TestDamageOfWholeLog(t *testing.T) {
	format := strict
	format.Whole, format.Repair = true, "repair it"
	format.Read = func(line []byte) (Facts, error) {
		if !utf8.Valid(line) {
			return Facts{}, errors.New("not UTF-8")
		}
		return strict.Read(line)
	}
	log, all := sample(format.First)
	for i := range log {
		if i%7 > 0 && log[i] != '\n' {
			continue
		}
		path := filepath.Join(t.TempDir(), "log")
		bad := bytes.Clone(log)
		bad[i] ^= 0x80 // no longer UTF-8
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := Open(t.Context(), path, format, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := texts(j, format.First)
		damage := (*DamageError)(nil)
		if i == len(log)-1 { // the last line has no end: it is torn
			if err != nil || len(got) != len(all)-1 {
				t.Fatalf("byte %d: %q, %v", i, got, err)
			}
			continue
		}
		if !errors.As(err, &damage) || !strings.HasSuffix(err.Error(), "(repair it)") || !slices.Equal(got, all[:len(got)]) {
			t.Fatalf("byte %d: %q, %v", i, got, err)
		}
		if _, err := j.Append(context.Background(), Any(), func(n uint64) ([]Line, error) { return Lines([][]byte{text(n, "new")}), nil }); !errors.As(err, &damage) {
			t.Fatalf("byte %d: appended: %v", i, err)
		}
		if after := content(t, j); !bytes.Equal(after, bad) {
			t.Fatalf("byte %d: became %q", i, after)
		}
		sound, err := j.Sound()
		if err != nil {
			t.Fatal(err)
		}
		if n, err := sound.Len(); err != nil || n != uint64(len(got)) {
			t.Errorf("byte %d: %d sound records, %v", i, n, err)
		}
		sound.Close()
		rest, err := j.SetAside(context.Background())
		if err != nil || rest.Offset != damage.Offset {
			t.Fatalf("byte %d: %+v, %v", i, rest, err)
		}
		aside := strings.Join(asides(t, j), "")
		if rest.Offset == 0 {
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) || aside != string(bad) {
				t.Errorf("byte %d: aside is %q, %v", i, aside, err)
			}
			continue
		}
		if after := string(content(t, j)) + aside; after != string(bad) {
			t.Fatalf("byte %d: became %q", i, after)
		}
		if n := mustAppend(t, j, "new"); n != format.First+uint64(len(got)) {
			t.Errorf("byte %d: the next number was %d", i, n)
		}
		if rest, err := j.SetAside(context.Background()); rest.Aside != "" || err != nil {
			t.Errorf("byte %d: again %+v, %v", i, rest, err)
		}
		j.Close()
	}
}
