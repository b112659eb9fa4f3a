package compile

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"handoff/log/thread"
)

// counted counts the bytes of the texts that a source gives.
func counted(src Source, given *int) Source {
	recent, output := src.Recent, src.Output
	src.Recent = func(threadID string, upTo uint64, limit int) ([]Message, error) {
		messages, err := recent(threadID, upTo, limit)
		for _, m := range messages {
			*given += len(m.Content)
		}
		return messages, err
	}
	src.Output = func(sessionID string, max int) (string, bool, error) {
		text, more, err := output(sessionID, max)
		*given += len(text)
		return text, more, err
	}
	return src
}

// TestMaxStops: a context that is too large is refused when that is known, not
// when all of it was read.
func TestMaxStops(t *testing.T) {
	const most = 100_000
	for what, tell := range map[string]func(s *story){
		"messages": func(s *story) {
			for i := range 16 {
				s.add("t", fmt.Sprint("m", i), &thread.Message{ActorID: "a", Origin: "o", Content: strings.Repeat("x", 30_000)})
			}
		},
		"a reply": func(s *story) {
			s.message("t", "m0")
			says := make([]string, 100)
			for i := range says {
				says[i] = strings.Repeat("y", 10_000)
			}
			s.run("t", "m0", "r", says...)
		},
	} {
		s := newStory()
		s.thread("t")
		tell(s)
		given := 0
		src := counted(FromStore(s.open(t), nil), &given)
		_, err := Compile(src, Request{ThreadID: "t", Max: most})
		var large *TooLarge
		if !errors.As(err, &large) || large.Max != most {
			t.Errorf("%s: %v, want a TooLarge", what, err)
		}
		if given > most+2*30_000 { // finding the cut reads the last one, too
			t.Errorf("%s: %d bytes were read, %d may be in the context", what, given, most)
		}
		if _, err := Compile(src, Request{ThreadID: "t"}); err != nil {
			t.Errorf("%s, without a bound: %v", what, err)
		}
	}
}

// TestMaxSame: a bound that holds changes nothing, also where a summary covers
// more than it.
func TestMaxSame(t *testing.T) {
	s := newStory()
	s.thread("t")
	for i := range 5 {
		s.message("t", fmt.Sprint("m", i))
		s.run("t", fmt.Sprint("m", i), fmt.Sprint("r", i), "reply")
	}
	src := FromStore(s.open(t), nil)
	free, err := Compile(src, Request{ThreadID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	bound, err := Compile(src, Request{ThreadID: "t", Max: 1 << 20})
	if err != nil || string(bound.Bundle.Bytes()) != string(free.Bundle.Bytes()) {
		t.Errorf("%v: %s, want %s", err, bound.Bundle.Bytes(), free.Bundle.Bytes())
	}
	covered := src
	covered.Checkpoint = func(string, uint64, uint64, string) (*thread.SelectedCheckpoint, error) {
		head, err := src.Head("t", 0)
		return &thread.SelectedCheckpoint{CheckpointID: "c", SummaryArtifactID: strings.Repeat("a", 64), ToSeq: head}, err
	}
	r, err := Compile(covered, Request{ThreadID: "t", Max: 1})
	if err != nil || len(r.Bundle.Items) == 0 {
		t.Errorf("%v: covered messages were counted", err)
	}
}
