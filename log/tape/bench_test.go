package tape

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
)

// long is a tape of n lines, with an anchor and its event every 50.
func long(b testing.TB, w *workshop, lines int) *Tape {
	var text bytes.Buffer
	for i := 1; i <= lines; i++ {
		switch i % 50 {
		case 1:
			fmt.Fprintf(&text, `{"id": %d, "kind": "anchor", "payload": {"name": "phase/%d", "state": {"summary": "s"}}, "meta": {}, "date": "2026-11-20T17:41:32+00:00"}`+"\n", i, i/50)
		case 2:
			fmt.Fprintf(&text, `{"id": %d, "kind": "event", "payload": {"name": "handoff", "data": {"name": "phase/%d", "state": {"summary": "s"}}}, "meta": {}, "date": "2026-11-20T17:41:32+00:00"}`+"\n", i, i/50)
		default:
			text.WriteString(say(i, "what was said") + "\n")
		}
	}
	tape := w.tape(Main)
	if err := tape.Ensure(ctx); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(tape.Path(), text.Bytes(), 0o644); err != nil {
		b.Fatal(err)
	}
	return tape
}

// BenchmarkTape compares reads on a short and on a long tape of HANDOFF_ENTRIES
// entries, 100,000 by default: with the index they take the same time.
func BenchmarkTape(b *testing.B) {
	most := 100_000
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_ENTRIES")); err == nil {
		most = n
	}
	for _, lines := range []int{1000, most} {
		w := open(b)
		tape := long(b, w, lines)
		must(tape.Info())(b) // builds the index
		for name, op := range map[string]func() error{
			"slice":   func() error { return second(tape.Slice(FromLastAnchor())) },
			"named":   func() error { return second(tape.All(Query{Window: AfterAnchor(fmt.Sprintf("phase/%d", lines/50-1))})) },
			"anchors": func() error { return second(tape.Anchors(20)) },
			"recover": func() error { return second(tape.Recover()) },
			"info":    func() error { return second(tape.Info()) },
			"open": func() error {
				s, err := Open(w.folder, Options{})
				if err != nil {
					return err
				}
				defer s.Close()
				t, err := s.Tape(Main)
				if err != nil {
					return err
				}
				return second(t.Slice(FromLastAnchor()))
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, lines), func(b *testing.B) {
				for b.Loop() {
					if err := op(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("append/%d", lines), func(b *testing.B) {
			for b.Loop() {
				must(tape.Append(ctx, event("x")))(b)
			}
		})
	}
}
