package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// referring is a story in which the thread "t" refers to others, and starts with a handoff that names two files and an
// artifact.
func referring(t *testing.T) (*story, Source, artifact.ID) {
	t.Helper()
	s := newStory()
	s.thread("other")
	for i := range 6 {
		m := s.message("other", fmt.Sprintf("other-m%d", i))
		s.run("other", m.ID, fmt.Sprintf("other-r%d", i), "a long reply that costs some tokens, ", fmt.Sprint(i))
	}
	log := artifact.Sum([]byte("the log"))
	s.blobs[log] = []byte("the log")
	s.handoff("from", 1, "t", bundle.Handoff{SummaryMarkdown: "the summary", Refs: bundle.Refs{
		Threads:   []bundle.ThreadRef{{ThreadID: "from", Seq: 1, Note: new("source cut")}, {ThreadID: "gone", Seq: 7}},
		Artifacts: []bundle.ArtifactRef{{ID: log}},
		Files:     []bundle.FileRef{{Path: "a.go"}, {Path: "no.go"}},
	}})
	s.add("t", "t/ref", &thread.ThreadReferenced{FromThreadID: "t", ToThreadID: "other", Selector: []byte(`{"seq":6}`)})
	s.message("t", "t-m")
	src := FromStore(s.open(t), s.source().Artifact)
	src.File = func(path string) ([]byte, error) {
		if path == "a.go" {
			return []byte("package a\n"), nil
		}
		return nil, fs.ErrNotExist
	}
	return s, src, log
}

// contents are the texts of the references in a context, and why others have none.
func contents(t *testing.T, r Result) string {
	t.Helper()
	var all []string
	for _, item := range r.Bundle.Items {
		if o, ok := item.(bundle.OtherItem); ok {
			for _, f := range o.Fields {
				if strings.HasPrefix(f.Name, "content") {
					all = append(all, fmt.Sprintf("%s %s=%s", o.Type, f.Name, f.Value))
				}
			}
		}
	}
	return strings.Join(all, "\n")
}

// TestThreadsAreResolved: a referenced thread is compiled up to its cut, a missing one is named.
func TestThreadsAreResolved(t *testing.T) {
	_, src, _ := referring(t)
	r, err := Compile(src, Request{ThreadID: "t", Base: true, Refs: true})
	if err != nil {
		t.Fatal(err)
	}
	text := contents(t, r)
	if !strings.Contains(text, "content_missing=\"no such thread here\"") || strings.Count(text, "thread_ref content=") != 1 || strings.Contains(text, "file_ref") {
		t.Error(text)
	}
	whole, err := Compile(src, Request{ThreadID: "other", Seq: new(uint64(6))})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range whole.Bundle.Items {
		if m := item.(bundle.Message); !strings.Contains(text, m.Content) {
			t.Errorf("%q is missing", m.Content)
		}
	}
	if strings.Contains(text, "other-m4") || !strings.Contains(r.Explanation.String(), "text of thread gone up to event 7: no such thread here") {
		t.Errorf("%s\n%s", text, r.Explanation)
	}
	again, err := Compile(src, Request{ThreadID: "t", Base: true, Refs: true})
	if err != nil || string(again.Bundle.Bytes()) != string(r.Bundle.Bytes()) {
		t.Errorf("%v: other bytes", err)
	}
}

// TestTextsInABudget: with any budget the whole is within it, and what has no room is named.
func TestTextsInABudget(t *testing.T) {
	_, src, _ := referring(t)
	most := 0
	for budget := 30; budget < 900; budget += 10 {
		r, err := Compile(src, Request{ThreadID: "t", Base: true, RefsText: true, Budget: budget})
		if errors.As(err, new(*OverBudget)) {
			continue
		}
		if err != nil || r.Explanation.Tokens > budget {
			t.Fatalf("%d: %v, about %d tokens", budget, err, r.Explanation.Tokens)
		}
		n := len(contents(t, r))
		most = max(most, n)
		if n == 0 && !strings.Contains(r.Explanation.String(), "left out") {
			t.Errorf("%d: %s", budget, r.Explanation)
		}
	}
	if most < 400 {
		t.Errorf("at most %d bytes of texts", most)
	}
}

// TestRefsText: texts of files and artifacts are there on request.
func TestRefsText(t *testing.T) {
	s, src, log := referring(t)
	r, err := Compile(src, Request{ThreadID: "t", Base: true, RefsText: true})
	if err != nil {
		t.Fatal(err)
	}
	text := contents(t, r)
	for _, want := range []string{`artifact_ref content="the log"`, `file_ref content_missing="there is no such file now"`, `file_ref content="package a`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	delete(s.blobs, log)
	src.File = nil
	if r, err = Compile(src, Request{ThreadID: "t", Base: true, RefsText: true}); err != nil {
		t.Fatal(err)
	}
	if text := contents(t, r); strings.Count(text, `content_missing="files are not included here"`) != 2 || !strings.Contains(text, `artifact_ref content_missing="there is no such file now"`) {
		t.Error(text)
	}
	if _, err := Compile(src, Request{ThreadID: "t", Base: true, Refs: true, Max: 300}); !errors.As(err, new(*TooLarge)) {
		t.Errorf("%v: the texts are larger than the maximum", err)
	}
}
