package compile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/bundle"
	"handoff/log/thread"
)

// open writes the story's streams into the folder of a store.
func (s *story) open(t *testing.T) *thread.Store {
	t.Helper()
	dir := t.TempDir()
	for _, folder := range []string{"threads", "sessions"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for id, events := range s.streams {
		folder := map[thread.StreamKind]string{thread.Continuity: "threads", thread.Session: "sessions"}[events[0].Kind()]
		var lines strings.Builder
		for _, e := range events {
			line, err := e.Line()
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&lines, "%s\n", line)
		}
		if err := os.WriteFile(filepath.Join(dir, folder, id+".jsonl"), []byte(lines.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := thread.Open(dir, thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// dense adds messages with runs whose tools leave many events, of which some
// end late, some twice, and some never.
func (s *story) dense(threadID string, messages, tools int, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 1))
	var waiting []string
	for i := range messages {
		m := fmt.Sprintf("%s-m%d", threadID, i)
		s.message(threadID, m)
		session := fmt.Sprintf("%s-r%d", threadID, i)
		s.add(threadID, session+"/spawned", &thread.RunSpawned{RunSessionID: session, MessageID: m})
		for range random.IntN(tools + 1) {
			s.add(threadID, fmt.Sprint(session, "/", s.clock), &thread.SideEffects{RunSessionID: session, ToolID: "x", ToolName: "write", AffectedPaths: []string{"a"}, ActorID: "user", Origin: "cli"})
		}
		waiting = append(waiting, m)
		for len(waiting) > 0 && random.IntN(3) > 0 {
			at := random.IntN(len(waiting))
			ended := fmt.Sprintf("%s-end%d", threadID, s.clock)
			s.says(ended, "answer ", ended)
			s.add(threadID, ended+"/ended", &thread.RunEnded{RunSessionID: ended, MessageID: waiting[at], Reason: "completed"})
			if random.IntN(4) > 0 {
				waiting = append(waiting[:at], waiting[at+1:]...)
			}
		}
	}
}

// TestStoreEqualsReplay compiles from a store's indexes and from whole
// streams: tail, window, many events between the messages, summaries, and a
// family of threads.
func TestStoreEqualsReplay(t *testing.T) {
	for _, c := range []struct {
		name            string
		messages, tools int
		checkpoints     []uint64 // as messages
	}{
		{"short", 3, 2, nil},
		{"tail", 40, 3, nil},
		{"dense", 60, 250, nil},
		{"dense with summaries", 60, 250, []uint64{5, 48, 11, 24, 48}},
		{"all covered", 30, 0, []uint64{29}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStory()
			s.thread("p")
			s.dense("p", c.messages, c.tools, uint64(c.messages))
			var seqs []uint64
			for _, e := range s.streams["p"] {
				if _, ok := e.Payload.(*thread.Message); ok {
					seqs = append(seqs, e.Seq)
				}
			}
			for i, m := range c.checkpoints {
				s.checkpoint("p", map[bool]string{true: "topical_v1", false: bundle.Cumulative}[i == 2], seqs[m])
			}
			for i, seq := range seqs { // runs that came late, and summaries between them
				next := seq
				if i+1 < len(seqs) {
					next = seqs[i+1] - 1
				}
				if m := s.streams["p"][seq].ID; i%8 < 2 {
					s.recorded("p", m, fmt.Sprintf("late%d", i), seq)
					s.recorded("p", m, fmt.Sprintf("late%d-again", i), next)
					s.checkpoint("p", bundle.Cumulative, seq)
				}
			}
			s.handoff("p", seqs[1], "h", handoffBundle())
			s.dense("h", 4, 2, 7)
			s.branch("h", 6, "hb")
			s.branch("p", uint64(len(s.streams["p"])-3), "b")
			s.dense("b", 5, 3, 9)
			s.compareSources(t, FromStore(s.open(t), s.source().Artifact))
		})
	}
}

func (s *story) compareSources(t *testing.T, got Source) {
	t.Helper()
	want := s.source()
	compare := func(req Request) {
		t.Helper()
		a, errA := Compile(got, req)
		b, errB := Compile(want, req)
		if fmt.Sprint(errA != nil) != fmt.Sprint(errB != nil) || !reflect.DeepEqual(a, b) {
			t.Fatalf("%+v: %v, %v\n got %s\n%s\nwant %s\n%s", req, errA, errB, a.Bundle.Bytes(), a.Explanation, b.Bundle.Bytes(), b.Explanation)
		}
	}
	for _, id := range []string{"p", "h", "hb", "b", "nowhere"} {
		messages := 0
		for i, e := range s.streams[id] {
			_, ok := e.Payload.(*thread.Message)
			if ok && messages%8 < 2 {
				compare(Request{ThreadID: id, MessageID: e.ID, Base: messages&1 > 0, Refs: messages&8 > 0})
			} else if i%997 == 0 || i < 9 {
				compare(Request{ThreadID: id, Seq: &e.Seq, Base: true})
			}
			if ok {
				messages++
			}
		}
		compare(Request{ThreadID: id, Base: true, Budget: 200})
		compare(Request{ThreadID: id, MessageID: "none"})
	}
}
