package thread

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

// large writes a thread of n events: messages, each with a run.
func large(b *testing.B, root string, n int) (id, message string) {
	b.Helper()
	id = "00000000-0000-4000-8000-00000000000f"
	path := filepath.Join(root, ".handoff/threads", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	defer w.Flush()
	for i := range n {
		var p Payload
		eventID := fmt.Sprintf("e0000000-0000-4000-8000-%012d", i)
		switch {
		case i == 0:
			p = &Created{Workspace: workspaceName}
		case i%3 == 1:
			message = eventID
			p = &Message{ActorID: "user", Origin: "cli", Content: fmt.Sprintf("message %d: todo look at the frames", i)}
		case i%3 == 2:
			p = &RunSpawned{RunSessionID: fmt.Sprint("r", i), MessageID: message}
		default:
			p = &RunEnded{RunSessionID: fmt.Sprint("r", i-1), MessageID: message, Reason: "completed"}
		}
		line, err := Event{ID: eventID, StreamID: id, TimestampMS: uint64(i), Seq: uint64(i), Payload: p}.Line()
		if err != nil {
			b.Fatal(err)
		}
		w.Write(append(line, '\n'))
	}
	return id, message
}

// BenchmarkOperations does each operation like a new process, on a thread of that
// many events with an index.
func BenchmarkOperations(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		root := b.TempDir()
		id, message := large(b, root, n)
		if _, err := openFixture(b, root, new(atomic.Uint64)).CompactionStatus(b.Context(), id, StrideRequest{}); err != nil { // makes the index
			b.Fatal(err)
		}
		for name, do := range map[string]func(*Store) error{
			"post":    func(s *Store) error { return second(s.PostMessage(ctx, id, MessageRequest{Content: "x"})) },
			"branch":  func(s *Store) error { return second(s.Branch(ctx, id, BranchRequest{FromMessageID: &message})) },
			"handoff": func(s *Store) error { return second(s.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s")})) },
			"status":  func(s *Store) error { return second(s.CompactionStatus(b.Context(), id, StrideRequest{})) },
			"cursors": func(s *Store) error { return second(s.CursorStatus(b.Context(), id)) },
			"recent":  func(s *Store) error { return second(s.Messages(id, 1<<40, 16)) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					w := openFixture(b, root, new(atomic.Uint64))
					w.options.NewID = NewUUID
					if err := do(w.Store); err != nil {
						b.Fatal(err)
					}
					w.Close()
					w.artifacts.Close()
				}
			})
		}
	}
}

func BenchmarkParse(b *testing.B) {
	src, err := os.ReadFile("frame/testdata/frames.jsonl")
	if err != nil {
		b.Fatal(err)
	}
	line, _, _ := bytes.Cut(src, []byte("\n"))
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := Parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
