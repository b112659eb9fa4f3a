package convert

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/parse"
	"handoff/templates"
)

// TestCorpus converts real documents to all forms and back: the sections are the
// same, byte for byte, and everything missing was reported.
func TestCorpus(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	documents, lost := 0, map[string]int{}
	err := filepath.WalkDir(corpus, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".md") || filepath.Base(filepath.Dir(file)) != handoff.Folder {
			return err
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(file)
		rel = rel[strings.Index(rel, "/specs/")+1:]
		documents++
		for what, n := range thereAndBack(t, src, rel) {
			lost[what] += n
		}
		return nil
	})
	if err != nil || documents == 0 {
		t.Fatal(documents, err)
	}
	t.Logf("%d documents", documents)
	for _, what := range slices.Sorted(maps.Keys(lost)) {
		t.Logf("%4d  %s", lost[what], what)
	}
}

// thereAndBack counts what is lost in each conversion.
func thereAndBack(t *testing.T, src []byte, path string) map[string]int {
	lost := map[string]int{}
	count := func(way string, list []Lost) {
		if len(list) > 0 {
			lost[way+": documents with something lost"]++
		}
		for _, l := range list {
			field, _, _ := strings.Cut(l.Field, "[")
			lost[way+": "+field]++
		}
	}
	h := fromSource(src, path)
	a, gone := h.Anchor()
	count("to an anchor", gone)
	b, gone := h.Bundle()
	count("to a bundle", gone)
	e, gone := h.Envelope(Sending{From: "a", To: "b", TapeRef: "tape:///main/anchor/x", Time: at})
	count("to an envelope", gone)
	if err := e.Check(); err != nil {
		t.Errorf("%s: %v", path, err)
	}
	if viaAnchor := FromAnchor(a); !sameBundle(viaAnchor, b) && h.Profile == "" {
		t.Errorf("%s: the bundle of the anchor is not that of the document", path)
	}
	for way, back := range map[string]Handoff{"anchor": FromAnchor(a), "bundle": FromBundle(b), "envelope": FromEnvelope(e)} {
		v, gone := back.Document()
		count("back to a document, of the "+way, gone)
		v.Time = at
		again, err := templates.Render(v, "", false)
		if err != nil {
			t.Fatal(err)
		}
		if way != "envelope" && (v.Task != h.Task || v.Phase != h.Phase) {
			t.Errorf("%s, by %s: task %d, phase %d", path, way, v.Task, v.Phase)
		}
		sameSections(t, path+", by "+way, src, again, gone)
	}
	return lost
}

// sameSections compares the texts of the sections, except where the result
// reported that one cannot be read back.
func sameSections(t *testing.T, what string, src, again []byte, told []Lost) {
	t.Helper()
	was, is := bodies(src), bodies(again)
	for name, body := range was {
		if slices.ContainsFunc(told, func(l Lost) bool { return strings.Contains(l.Field, name) }) {
			continue
		}
		if name == handoff.NextAction.String() && body == "" {
			body, _ = nextOf(parse.Document(src)) // an empty one gets the step that the document has below another heading
		}
		if got := is[name]; got != body && !(name == handoff.CurrentState.String() && strings.HasSuffix(got, body)) {
			t.Errorf("%s: %s:\n got %q\nwant %q", what, name, got, body)
		}
	}
	if n, all := countWords(again), countWords(src); n < all {
		t.Errorf("%s: %d words of %d", what, n, all)
	}
	if missing := withoutHeadings(src, again); len(missing) > 0 {
		t.Errorf("%s: words of the title and of parentheticals are lost: %q", what, missing)
	}
}

// withoutHeadings returns the words of the title and of the parentheticals of
// the sections that are missing from the new document. The stamp in the
// template's title is that of the new document.
func withoutHeadings(src, again []byte) (missing []string) {
	doc := parse.Document(src)
	text := doc.Title.Text
	if phase, stamp, ok := strings.Cut(text, " Handoff - "); ok && strings.HasPrefix(phase, "Phase ") {
		if _, err := time.Parse(handoff.Stamp, stamp); err == nil {
			text = phase
		}
	}
	for i := range doc.Sections {
		heading := doc.Sections[i].Heading.Text
		if at := strings.LastIndexByte(heading, '('); at > 0 && strings.HasSuffix(heading, ")") {
			text += " " + heading[at:]
		}
	}
	is := strings.ToLower(string(again))
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(is, strings.Trim(word, "()")) {
			missing = append(missing, word)
		}
	}
	return missing
}

// countWords counts those of all sections, and of the text before them.
func countWords(src []byte) int {
	_, preamble, sections := read(string(src))
	n := len(strings.Fields(preamble))
	for _, s := range sections {
		n += len(strings.Fields(s.body))
	}
	return n
}

// bodies are the bodies of sections by name; those with one name are joined.
func bodies(src []byte) map[string]string {
	doc, list := parse.Document(src), map[string]string{}
	_, next := nextOf(doc)
	for i := range doc.Sections {
		s := &doc.Sections[i]
		name := s.Kind.String()
		if s == next {
			name = handoff.NextAction.String()
		} else if s.Kind == handoff.Other {
			name = fmt.Sprintf("%q", strings.Join(strings.Fields(s.Heading.Text), " "))
		}
		list[name] = trimLines(list[name] + "\n\n" + bodyOf(doc, s))
	}
	return list
}
