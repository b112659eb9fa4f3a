package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/surface/command"
)

// TestFixCorpus fixes a copy of real documents: fixing twice changes nothing
// more, and no word of an author is lost or added.
func TestFixCorpus(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	dir := t.TempDir()
	before := copyDocuments(t, corpus, dir)
	lintAll(t, dir, "lint", "--fix", ".")
	once := readDocuments(t, dir)
	lintAll(t, dir, "lint", "--fix", ".")
	twice := readDocuments(t, dir)
	if len(before) == 0 || len(once) != len(before) {
		t.Fatalf("%d documents, %d after", len(before), len(once))
	}
	changed := 0
	for path, src := range before {
		if once[path] != twice[path] {
			t.Errorf("%s: mended twice is not mended once", path)
		}
		if src == once[path] {
			continue
		}
		changed++
		if want, got := bodyWords(src), bodyWords(once[path]); !slices.Equal(want, got) {
			t.Errorf("%s: words before and after:\n%q\n%q", path, want, got)
		}
	}
	if changed == 0 {
		t.Error("no document was mended")
	}
	t.Logf("%d of %d documents were mended", changed, len(before))
}

// bodyWords are the sorted words of a document without its headings: a fix may
// move a section and rewrite its heading.
func bodyWords(src string) []string {
	var words []string
	for line := range strings.Lines(src) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		if rest, ok := strings.CutPrefix(line, "**"); ok { // bold text used as a heading
			if _, inline, ok := strings.Cut(rest, "**"); ok {
				line = strings.TrimPrefix(inline, ":")
			}
		}
		words = append(words, strings.Fields(line)...)
	}
	slices.Sort(words)
	return words
}

func lintAll(t *testing.T, dir string, args ...string) {
	t.Helper()
	var out, talk bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Dir: dir, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }}
	if code := run(context.Background(), w, args); code == command.Failed {
		t.Fatalf("%q: %s", args, talk.String())
	}
}

func copyDocuments(t *testing.T, from, to string) map[string]string {
	t.Helper()
	docs := readDocuments(t, from)
	for path, src := range docs {
		full := filepath.Join(to, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

func readDocuments(t *testing.T, dir string) map[string]string {
	t.Helper()
	docs := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".md") || filepath.Base(filepath.Dir(path)) != "handoffs" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		docs[rel] = string(src)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs
}
