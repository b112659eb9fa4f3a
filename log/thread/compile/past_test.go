package compile

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/log/bundle"
	"handoff/log/thread"
)

// TestPastEqualsQueries compiles random families of threads, some of them damaged, with and without
// reading ancestors at once: contexts, decisions, explanations and errors must be the same.
func TestPastEqualsQueries(t *testing.T) {
	passed, failed := 0, 0
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 20))
		s := newStory()
		ids := s.family(random)
		store := s.open(t)
		damageSome(t, random, store.Root(), ids)
		fast := FromStore(store, s.source().Artifact)
		slow := fast
		slow.Pasts = nil
		fast.Pasts = func(id string, upTo uint64) iter.Seq[thread.Past] {
			return func(yield func(thread.Past) bool) {
				for p := range store.Pasts(id, upTo) {
					if passed++; !yield(p) {
						return
					}
				}
			}
		}
		for range 8 {
			req := Request{ThreadID: ids[len(ids)-1-random.IntN(len(ids)/2)], Base: true, Refs: random.IntN(3) == 0,
				Limits: Limits{Messages: random.IntN(5), Summaries: random.IntN(3)}, Incomplete: random.IntN(4) == 0}
			if random.IntN(4) == 0 {
				req.Budget = 40 + random.IntN(300)
			}
			a, errA := Compile(fast, req)
			b, errB := Compile(slow, req)
			if fmt.Sprint(errA) != fmt.Sprint(errB) || !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, %+v: %v, %v\n got %s\n%s\nwant %s\n%s", seed, req, errA, errB, a.Bundle.Bytes(), a.Explanation, b.Bundle.Bytes(), b.Explanation)
			}
			if errA != nil {
				failed++
			}
		}
	}
	if passed < 500 || failed < 20 {
		t.Errorf("only %d ancestors were read at once, and %d contexts failed", passed, failed)
	}
}

// family is a chain of threads, each of them a branch or a handoff, with messages, answers, summaries and
// references.
func (s *story) family(random *rand.Rand) (ids []string) {
	for g := range 6 + random.IntN(30) {
		id := fmt.Sprint("t", g)
		switch {
		case g == 0:
			s.thread(id)
		case random.IntN(15) == 0:
			s.handoff(ids[g-1], uint64(len(s.streams[ids[g-1]])-1), id, bundle.Handoff{SummaryMarkdown: "# From " + id})
		default:
			s.branch(ids[g-1], uint64(random.IntN(len(s.streams[ids[g-1]]))), id)
		}
		for i := range random.IntN(6) {
			name := fmt.Sprintf("%s-e%d", id, i)
			switch random.IntN(8) {
			case 0:
				s.checkpoint(id, bundle.Cumulative, uint64(random.IntN(len(s.streams[id]))))
			case 1:
				s.add(id, name, &thread.ThreadReferenced{FromThreadID: id, ToThreadID: "t0", Selector: []byte(`{"seq":0}`), ActorID: "a", Origin: "o"})
			case 2:
				s.message(id, name)
				s.run(id, name, name+"-run", "answer")
			default:
				s.message(id, name)
			}
		}
		ids = append(ids, id)
	}
	return ids
}

// damageSome removes a thread, makes one its own ancestor, or spoils or tears a line, in every other family.
func damageSome(t *testing.T, random *rand.Rand, root string, ids []string) {
	if random.IntN(2) == 0 {
		return
	}
	at := random.IntN(len(ids))
	path := filepath.Join(root, "threads", ids[at]+".jsonl")
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(src), "\n")
	switch random.IntN(5) {
	case 0:
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return
	case 1:
		lines[random.IntN(len(lines)-1)] = "{}\n"
	case 2:
		n := random.IntN(len(lines) - 1)
		lines = append(lines[:n], lines[n+1:]...)
	case 3:
		last := lines[len(lines)-2]
		lines = append(lines[:len(lines)-2], last[:len(last)/2])
	case 4:
		for i := range lines {
			lines[i] = strings.Replace(lines[i], fmt.Sprintf(`"parent_thread_id":"t%d"`, at-1), fmt.Sprintf(`"parent_thread_id":"%s"`, ids[random.IntN(len(ids))]), 1)
		}
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
