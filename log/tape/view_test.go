package tape

import (
	"errors"
	"fmt"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
	"iter"
	"sync"
	"testing"
)

// TestResetInView resets a tape, and the tapes that a linked fork reads from,
// between two reads of one view: the view does not change.
func TestResetInView(t *testing.T) {
	for _, archive := range []bool{true, false} {
		for _, name := range []string{Main, "copied", "linked"} {
			w, root := phases(t)
			must(root.Fork(ctx, ForkRequest{To: "copied"}))(t)
			if name == "linked" {
				must(root.Fork(ctx, ForkRequest{To: name, Link: true}))(t)
				add(t, w.tape(name), message("own"))
			}
			tape := w.tape(name)
			look := func(v *view.View) string {
				t.Helper()
				s := must(v.Slice(FromLastAnchor()))(t)
				var q []Entry
				v.Query(Query{Window: AfterAnchor("p"), FromID: new(int64(5))}, func(e Entry, err error) bool {
					q = append(q, must(e, err)(t))
					return true
				})
				at, ok, err := v.FirstWith(view.AnchorKey("p"), view.Spot{}, entry.IsAnchorNamed("p"))
				entries, anchors, countErr := v.Count()
				if countErr != nil {
					t.Error(countErr)
				}
				var back []Entry
				for e, err := range v.FromEnd() {
					back = append(back, must(e, err)(t))
				}
				return fmt.Sprint(short(s.Entries), "|", short(q), "|", at.ID, ok, err, "|", entries, anchors, "|", short(back))
			}
			v, release, err := tape.view()
			if err != nil {
				t.Fatal(err)
			}
			before := look(v)
			// One entry of a query is read before the reset, the others after it.
			next, stop := iter.Pull2(tape.Query(Query{}))
			first, err, _ := next()
			query := []Entry{must(first, err)(t)}
			for _, over := range []*Tape{root, tape} {
				if name == "linked" && over == root && !archive {
					continue // the reset is refused
				}
				must(over.Reset(ctx, ResetRequest{NoArchive: !archive}))(t)
				add(t, over, message("x"), message("y"), message("z"))
				must(over.Handoff(ctx, "p", nil, nil))(t)
				must(over.Info())(t) // makes the journal read the file
			}
			if after := look(v); after != before {
				t.Errorf("%s, archived %v:\n%s\n%s", name, archive, before, after)
			}
			release()
			for e, err, ok := next(); ok; e, err, ok = next() {
				query = append(query, must(e, err)(t))
			}
			stop()
			got := short(query)
			if want := "a:session/start e:handoff a a:p e:handoff b c" + map[string]string{Main: "", "copied": " e:tape.fork", "linked": " e:tape.fork own"}[name]; got != want {
				t.Errorf("%s, archived %v: %s, want %s", name, archive, got, want)
			}
		}
	}
}

// TestResetWhileReading resets a tape under its readers: each sees its content
// before or after a reset, never an error or a mix of both.
func TestResetWhileReading(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	fill := func(round string) {
		must(tape.Append(ctx, message(round), anchor("p"), message(round), message(round)))(t)
	}
	fill("0")
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		reader := openIn(t, w.folder).tape(Main)
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				seen := map[string]bool{}
				for e, err := range reader.Query(Query{Kinds: []string{KindMessage}}) {
					if err != nil {
						t.Error(err)
						return
					}
					seen[content(e)] = true
				}
				r, err := reader.Recover()
				if len(seen) > 1 || err != nil || r.Anchor == nil {
					t.Errorf("%v, %+v, %v", seen, r, err)
				}
				_, searchErr := reader.Search(Search{Text: "0"})
				_, infoErr := reader.Info()
				_, anchorsErr := reader.Anchors(0)
				_, graphErr := reader.store.Forks(ctx)
				if err := errors.Join(searchErr, infoErr, anchorsErr, graphErr); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for round := range 60 {
		must(tape.Reset(ctx, ResetRequest{NoArchive: round%2 == 0}))(t)
		fill(fmt.Sprint(round + 1))
	}
	close(done)
	wg.Wait()
}
