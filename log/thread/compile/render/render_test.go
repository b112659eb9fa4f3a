package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/internal/testing/frametest"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

var update = flag.Bool("update", false, "write the renderings into the archives")

// shape is an archive of testdata: a bundle, the blobs that it names, and what
// each format makes of it.
type shape struct {
	path    string
	archive *txtar.Archive
	bundle  bundle.Context
	options Options
}

func shapes(t *testing.T) map[string]shape {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no archives", err)
	}
	all := map[string]shape{}
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := shape{path: path, archive: a}
		blobs := map[string][]byte{}
		for _, f := range a.Files {
			if f.Name == "bundle.json" {
				if s.bundle, err = bundle.ParseContext(f.Data); err != nil {
					t.Fatal(path, err)
				}
			} else if id, ok := strings.CutPrefix(f.Name, "blobs/"); ok {
				blobs[id] = f.Data
			}
		}
		s.options.Artifact = func(id artifact.ID) ([]byte, error) {
			if b, ok := blobs[id.String()]; ok {
				return b, nil
			}
			return nil, fs.ErrNotExist
		}
		if _, err := fmt.Sscanf(lastLine(a.Comment), "inline %d", &s.options.InlineBytes); err != nil {
			s.options.InlineBytes = 0
		}
		all[strings.TrimSuffix(filepath.Base(path), ".txtar")] = s
	}
	return all
}

func lastLine(comment []byte) string {
	lines := strings.Split(strings.TrimSpace(string(comment)), "\n")
	return lines[len(lines)-1]
}

// TestGolden renders every shape in every format.
func TestGolden(t *testing.T) {
	for name, s := range shapes(t) {
		t.Run(name, func(t *testing.T) {
			for _, f := range Formats {
				r, err := f.Render(s.bundle, s.options)
				if err != nil {
					t.Fatal(f.Name, err)
				}
				s.compare(t, f.Name, r.Bytes)
				var notes strings.Builder
				for _, n := range r.Notes {
					fmt.Fprintln(&notes, n)
				}
				s.compare(t, f.Name+".notes", []byte(notes.String()))
			}
			if *update {
				if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func (s *shape) compare(t *testing.T, name string, got []byte) {
	t.Helper()
	for i := range s.archive.Files {
		if f := &s.archive.Files[i]; f.Name == name {
			if !bytes.Equal(f.Data, got) && !*update {
				t.Errorf("%s\n got %s\nwant %s", name, got, f.Data)
			}
			f.Data = got
			return
		}
	}
	if !*update {
		t.Errorf("%s: not in the archive; run with -update", name)
	}
	s.archive.Files = append(s.archive.Files, txtar.File{Name: name, Data: got})
}

// TestRulesOfAnthropic checks what the Messages API requires, for every shape.
func TestRulesOfAnthropic(t *testing.T) {
	for name, s := range shapes(t) {
		t.Run(name, func(t *testing.T) { checkAnthropic(t, s.bundle, s.options) })
	}
}

// TestPromptHoldsItsParts splits a prompt by its mark alone and must find the parts
// again, whatever they contain.
func TestPromptHoldsItsParts(t *testing.T) {
	for name, s := range shapes(t) {
		r, err := Prompt(s.bundle, s.options)
		if err != nil {
			t.Fatal(name, err)
		}
		parts, _, _ := Parts(s.bundle, s.options)
		_, mark, _ := strings.Cut(string(r.Bytes), `"--- `)
		mark, _, _ = strings.Cut(mark, " ")
		var found []string
		for _, piece := range strings.Split(string(r.Bytes), "\n--- "+mark+" begin ")[1:] {
			_, text, _ := strings.Cut(piece, "\n")
			text, _, ok := strings.Cut(text, "--- "+mark+" end\n")
			if !ok {
				t.Fatalf("%s: no end in %q", name, piece)
			}
			found = append(found, text)
		}
		if len(found) != len(parts) {
			t.Fatalf("%s: found %d parts, want %d", name, len(found), len(parts))
		}
		for i, p := range parts {
			if strings.TrimSuffix(found[i], "\n") != strings.TrimSuffix(p.Text, "\n") {
				t.Errorf("%s: part %d is %q, want %q", name, i, found[i], p.Text)
			}
		}
	}
}

// TestMark has a text with the mark that would be the first choice.
func TestMark(t *testing.T) {
	first := markFor("a", "b")
	if first != markFor("a", "b") {
		t.Error("two marks for the same texts")
	}
	text := "x"
	for range 3 { // no text can hold its own mark, but the search must not rely on that
		text += markFor(text)
		if m := markFor(text); strings.Contains(text, m) {
			t.Errorf("%s is in %s", m, text)
		}
	}
}

func TestErrors(t *testing.T) {
	id := artifact.Sum([]byte("x"))
	ref := bundle.Context{Items: []bundle.Item{bundle.Message{Role: "user"}, bundle.SummaryRef{ArtifactID: id}}}
	hand := bundle.Context{Items: []bundle.Item{bundle.OtherItem{Type: "handoff_bundle_ref",
		Fields: []bundle.Field{{Name: "artifact_id", Value: json.RawMessage(`"` + id.String() + `"`)}}}}}
	gone := func(artifact.ID) ([]byte, error) { return nil, fs.ErrNotExist }
	other := func(artifact.ID) ([]byte, error) { return []byte(`{"schema":"x"}`), nil }
	for _, f := range Formats {
		for _, c := range []struct {
			bundle   bundle.Context
			artifact func(artifact.ID) ([]byte, error)
			want     string
		}{
			{ref, gone, "item 1 (summary_ref): artifact " + id.String() + ": file does not exist"},
			{ref, nil, "item 1 (summary_ref): artifact " + id.String() + ": no store to read it from"},
			{ref, other, "item 1 (summary_ref): " + id.String() + ": not a rip.compaction_summary.v1: "},
			{hand, gone, "item 0 (handoff_bundle_ref): artifact " + id.String() + ": file does not exist"},
			{hand, other, "item 0 (handoff_bundle_ref): " + id.String() + ": not a rip.handoff_context_bundle.v1: "},
		} {
			_, err := f.Render(c.bundle, Options{Artifact: c.artifact})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.HasSuffix(c.want, "exist") && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v, want %s", f.Name, err, c.want)
			}
		}
	}
	if _, ok := FormatOf("yaml"); ok {
		t.Error("a format that is none")
	}
	if f, ok := FormatOf("chat"); !ok || f.Name != "chat" {
		t.Error(f, ok)
	}
}

// TestInvisibleCharacters has a message with tags, zero-width characters and an
// escape sequence: no format passes them on, and a note lists what was removed.
func TestInvisibleCharacters(t *testing.T) {
	c := bundle.Context{Items: []bundle.Item{bundle.Message{Role: "user", Content: "hi"}, bundle.Message{Role: "user", Content: "a\u200b\U000e0041b\x1b[8m\u202e"}}}
	for _, f := range Formats {
		r, err := f.Render(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if text := string(r.Bytes); strings.ContainsAny(text, "\u200b\U000e0041\x1b\u202e") || strings.Contains(text, `\u200b`) || strings.Contains(text, `\u001b`) ||
			!strings.Contains(strings.ReplaceAll(text, `\\`, `\`), `ab\x1b[8m\u202e`) {
			t.Errorf("%s: %q", f.Name, text)
		}
		if len(r.Notes) != 1 || r.Notes[0].String() != "item 1: taken out: 2 invisible characters" {
			t.Errorf("%s: %v", f.Name, r.Notes)
		}
	}
}

// TestNamesInTheFrame: the lines around the parts have no words of an actor or a thread.
func TestNamesInTheFrame(t *testing.T) {
	name := frametest.Name
	c := bundle.Context{Source: bundle.Source{ThreadID: name}, Items: []bundle.Item{
		bundle.Message{Role: "user", Content: "hi", ActorID: &name, Origin: &name},
		bundle.Message{Role: "assistant", Content: "ok", Extra: []bundle.Field{{Name: FailedField, Value: []byte(strconv.Quote("exit status " + name))}}},
	}}
	r, err := Prompt(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	frametest.Check(t, "prompt", string(r.Bytes), "thread a name that is not shown", `actor "a name that is not shown"`, "failed: exit status its reason is not shown]")
}
