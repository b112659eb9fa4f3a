package facts_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/internal/testing/needs"
)

// quoted are the strings of one line of a transcript, one on each line: a fact with a
// pointer to the line must be among them. In an export, a line is where a part begins.
type quoted map[int]string

// stringsOf are all strings of a value, and those of JSON in strings.
func stringsOf(to []string, value any) []string {
	switch v := value.(type) {
	case string:
		to = append(to, v)
		var inner any
		if len(v) > 1 && v[0] == '{' && json.Unmarshal([]byte(v), &inner) == nil {
			to = stringsOf(to, inner)
		}
	case []any:
		for _, e := range v {
			to = stringsOf(to, e)
		}
	case map[string]any:
		for key, e := range v {
			to = stringsOf(append(to, key), e)
		}
	}
	return to
}

func quotedBy(src []byte) quoted {
	q := quoted{}
	n := 0
	for line := range bytes.Lines(src) {
		n++
		var value any
		if json.Unmarshal(line, &value) == nil {
			q[n] = strings.Join(stringsOf(nil, value), "\n")
		}
	}
	if isLines(src) {
		return q
	}
	lines := bytes.SplitAfter(src, []byte("\n")) // of an export: parts begin on their lines
	for i := range lines {
		var value any
		rest := bytes.Join(lines[i:], nil)
		if open := bytes.TrimSpace(lines[i]); string(open) == "{" && json.NewDecoder(bytes.NewReader(rest)).Decode(&value) == nil {
			q[i+1] = strings.Join(stringsOf(nil, value), "\n")
		}
	}
	return q
}

// isLines reports whether a transcript is lines of JSON, and not one value.
func isLines(src []byte) bool { return json.Valid(src[:1+bytes.IndexByte(src, '\n')]) }

// check reports facts that are not on the line that they point to. last is the last line
// that is whole.
func (q quoted) check(t *testing.T, f *facts.Facts, last int) {
	t.Helper()
	find := func(what, text string, line int) {
		if line == 0 && text == "" {
			return
		}
		if line < 1 || last > 0 && line > last {
			t.Fatalf("%s points to line %d of %d: %q", what, line, last, text)
		}
		if !strings.Contains(text, "[secret]") && !strings.Contains(q[line], text) {
			t.Fatalf("%s is not on line %d: %q", what, line, text)
		}
	}
	find("first", f.First.Text, f.First.Line)
	find("last", f.Last.Text, f.Last.Line)
	find("said", f.Said.Text, f.Said.Line)
	find("branch", f.Branch.Text, f.Branch.Line)
	find("commit", f.Commit.Text, f.Commit.Line)
	for _, one := range append(f.Written[:len(f.Written):len(f.Written)], f.Read...) {
		if !strings.Contains(q[one.Line], "*** ") { // the name is in a patch
			find("file", one.Path, one.Line)
		}
	}
	for _, one := range f.Commands {
		if !strings.Contains(q[one.Line], "bash\n-lc") {
			find("command", one.Text, one.Line)
		}
		if (one.State == facts.Unseen) != (one.Seen == 0) || last > 0 && one.Seen > last {
			t.Fatalf("command %q: %s, result on line %d", one.Text, one.State, one.Seen)
		}
	}
	for _, one := range f.Failures {
		if one.Command && !strings.Contains(q[one.Call], "bash\n-lc") {
			find("failing command", one.Text, one.Call)
		}
		find("failure", one.Error, one.Lines[len(one.Lines)-1])
	}
	for _, one := range f.Todos {
		find("todo", one.Status, one.Line)
	}
}

// TestPointers: every fact is on the line of the transcript that it names.
func TestPointers(t *testing.T) {
	for _, name := range hosts {
		src := load(t, filepath.Join("testdata", name))
		quotedBy(src).check(t, read(t, src), 0)
	}
}

// TestEveryCut: a transcript that is cut at any byte is read up to the cut, and nothing is
// made of the line that is not whole. HANDOFF_CUTS=all cuts at every byte instead of some.
func TestEveryCut(t *testing.T) {
	step := 509 // a prime, so that all parts of lines are met
	if os.Getenv("HANDOFF_CUTS") == "all" {
		step = 1
	}
	for _, name := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := load(t, filepath.Join("testdata", name))
			cutAt(t, src, quotedBy(src), step)
		})
	}
}

// cutAt cuts a transcript at each step, and before each end of a line.
func cutAt(t *testing.T, src []byte, q quoted, step int) {
	whole := isLines(src)
	read := 0
	for n := 1; n <= len(src); n++ {
		near := whole && n < len(src) && src[n] == '\n'
		if n%step != 0 && !near && n != len(src) {
			continue
		}
		f, err := facts.Read(bytes.NewReader(src[:n]), "")
		if err != nil {
			if read > 0 {
				t.Fatalf("cut after %d of %d bytes: %v", n, len(src), err)
			}
			continue // the format is not known yet
		}
		read++
		last := bytes.Count(src[:n], []byte("\n")) + 1
		if isLines(src) {
			if f.Skipped > 0 || f.Lines > last {
				t.Fatalf("cut after %d of %d bytes: %d skipped, %d lines", n, len(src), f.Skipped, f.Lines)
			}
			if f.Cut {
				last--
			}
		}
		q.check(t, f, last)
	}
	if read == 0 {
		t.Error("nothing was read")
	}
}

// TestCorpus does the same with long recorded transcripts.
func TestCorpus(t *testing.T) {
	dir := filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts")
	var files []string
	for _, pattern := range []string{"*/*.jsonl", "*/*/subagents/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		t.Fatal("no transcripts in " + dir)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			src := load(t, file)
			f := read(t, src)
			q := quotedBy(src)
			q.check(t, f, 0)
			if f.Skipped > 0 || f.Cut {
				t.Errorf("%d lines are not read, cut %v", f.Skipped, f.Cut)
			}
			for k := range 8 { // cuts near the beginning, as long sessions are slow to read
				n := min(len(src), 200_000) * (k*2 + 1) / 16
				if cut, err := facts.Read(bytes.NewReader(src[:n]), ""); err == nil {
					q.check(t, cut, bytes.Count(src[:n], []byte("\n"))+1)
				}
			}
		})
	}
}

// BenchmarkRead reads 50 MB of the sessions in testdata.
func BenchmarkRead(b *testing.B) {
	const size = 50_000_000
	for _, name := range hosts {
		if !strings.HasSuffix(name, ".jsonl") {
			continue // a document cannot be repeated
		}
		src := load(b, filepath.Join("testdata", name))
		src = bytes.Repeat(src, size/len(src)+1)[:size]
		b.Run(strings.TrimSuffix(name, ".jsonl"), func(b *testing.B) {
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := facts.Read(bytes.NewReader(src), ""); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
