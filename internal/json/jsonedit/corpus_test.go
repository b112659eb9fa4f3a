package jsonedit

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

// realFiles reads the real metadata and progress files below HANDOFF_CORPUS.
func realFiles(t *testing.T) map[string]string {
	root := needs.Folder(t, "HANDOFF_CORPUS")
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".json" {
			return err
		}
		src, err := os.ReadFile(path)
		files[path] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("%s holds no JSON files", root)
	}
	return files
}

// TestCorpus makes one edit of each kind in every real file and counts the
// lines that it changes.
func TestCorpus(t *testing.T) {
	var bytes, sets, inserts, appends, lines int
	files := realFiles(t)
	for path, src := range files {
		f, err := Parse([]byte(src))
		if err != nil {
			t.Errorf("%s:%v", path, err)
			continue
		}
		bytes += len(src)
		if string(f.Bytes()) != src || len(f.Duplicates()) > 0 {
			t.Errorf("%s: not the same without an edit, or duplicates %v", path, f.Duplicates())
		}
		for _, p := range paths(f.Root(), nil, 1000) {
			v, _ := f.Get(p...)
			switch v.Kind() {
			case KindObject:
				inserts++
				lines += corpusInsert(t, path, src, p, v)
			case KindArray:
				appends++
				corpusAppend(t, path, src, p, v)
			default:
				sets++
				corpusEdit(t, path, src, 1, 1, set("<new> & é", p...))
			}
		}
	}
	t.Logf("%d files, %d bytes: %d values set, 1 line each; %d members inserted, %d lines gone or new; %d elements appended",
		len(files), bytes, sets, inserts, lines, appends)
}

// corpusEdit fails unless an edit removes and adds that many lines.
func corpusEdit(t *testing.T, path, src string, gone, come int, edit edit) {
	t.Helper()
	f := mustParse(t, src)
	if err := edit(f); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	g, c := changedLines(src, string(f.Bytes()))
	if len(g) != gone || len(c) != come {
		t.Errorf("%s: lines %v became %v: want %d to become %d\n%s", path, g, c, gone, come, f.Bytes())
	}
}

// corpusInsert: the edit adds a line, and a comma to the line before. In an object
// on one line it changes only that line; an empty object becomes three lines.
func corpusInsert(t *testing.T, path, src string, p Path, v Value) int {
	t.Helper()
	gone, come := 1, 2
	if v.Len() > 0 && !isSpread(src, v.n) {
		come = 1
	} else if v.Len() == 0 {
		come = 3
	}
	corpusEdit(t, path, src, gone, come, set(true, append(p[:len(p):len(p)], "a_new_key")...))
	return gone + come
}

func corpusAppend(t *testing.T, path, src string, p Path, v Value) {
	t.Helper()
	come := 1
	if isSpread(src, v.n) {
		come = 2
	}
	if v.Len() == 0 && measure(v.src, mustParse(t, src).root).spread {
		come = 3
	}
	corpusEdit(t, path, src, 1, come, push("new", p...))
}
