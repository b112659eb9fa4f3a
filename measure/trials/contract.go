package trials

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/log/receipt"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/texts"
	"handoff/templates"
	"handoff/workspace/delivery"
	"handoff/workspace/receipts"
	"handoff/workspace/search"
	"handoff/workspace/spawn/prompt"
)

// Texts of the workspace in which the scenarios are played.
const (
	oldDecision = "Offsets count characters: editors do"
	newDecision = "Offsets count bytes: the scanner reads bytes"
	finished    = "The scanner of numbers is complete"
	unfinished  = "The scanner of strings has no escapes yet"
	correction  = "Offsets count bytes from 1"
)

// scenario is one of the core scenarios of ContinuityBench v0.1 (lians, 2026-08-19), and
// has its id there. It counts how many of the required observations were made.
type scenario struct {
	name string
	play func(*world, context.Context) (held, required int, err error)
}

// The hosts of the session that writes a handoff and of another one.
const sameTool, otherTool = "claude", "codex"

var scenarios = []scenario{
	{"CB-01 fresh session, same tool", func(w *world, ctx context.Context) (int, int, error) { return w.fresh(ctx, sameTool) }},
	{"CB-02 fresh session, other tool", func(w *world, ctx context.Context) (int, int, error) { return w.fresh(ctx, otherTool) }},
	{"CB-03 superseded decision", (*world).superseded},
	{"CB-04 unfinished work", (*world).unfinished},
	{"CB-05 correction", (*world).correction},
	{"CB-06 confirmed deletion", (*world).deletion},
	{"CB-07 provenance", (*world).provenance},
}

// Contract plays the scenarios, each in a workspace of its own. The second table has
// CB-08: the length of the text, compared with everything written before.
func (l *Lab) Contract(ctx context.Context) ([]benchmark.Table, error) {
	table := benchmark.Table{Title: "scenarios of ContinuityBench v0.1: what a successor must see, or not see", Columns: []string{"observed"}}
	for _, s := range scenarios {
		w, err := l.parser(ctx)
		if err != nil {
			return nil, err
		}
		held, required, err := s.play(w, ctx)
		if err != nil {
			return nil, errors.Join(errors.New(s.name), err)
		}
		table.Rows = append(table.Rows, benchmark.Row{Name: s.name, Cells: []benchmark.Cell{benchmark.Share(held, required)}})
	}
	bounds, err := l.bounds(ctx)
	return []benchmark.Table{table, bounds}, err
}

// parser is a workspace in which a second handoff corrects the first.
func (l *Lab) parser(ctx context.Context) (*world, error) {
	w, err := l.world("")
	if err != nil {
		return nil, err
	}
	for phase, v := range []templates.Values{texts.Values(1, 1), texts.Values(1, 2)} {
		v.Decisions = []string{[...]string{oldDecision, newDecision}[phase]}
		v.Context = []string{finished, unfinished}
		if _, err := w.add(ctx, v, "parser"); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// sessionOf is the text that a fresh session of a tool is shown.
func (w *world) sessionOf(ctx context.Context, host string) (string, error) {
	w.now = w.now.Add(time.Minute)
	ws, err := w.open(".")
	if err != nil {
		return "", err
	}
	d, err := delivery.Open(ws, delivery.Desk{Session: receipt.Session{Host: host, ID: "fresh"}, Max: maxText, Show: prompt.Shown})
	if err != nil {
		return "", err
	}
	return d.Start(ctx)
}

// held counts the parts that a text has.
func held(text string, parts ...string) (n int) {
	for _, p := range parts {
		n += count(strings.Contains(text, p))
	}
	return n
}

func (w *world) fresh(ctx context.Context, host string) (int, int, error) {
	text, err := w.sessionOf(ctx, host)
	parts := []string{"Add the test of step 2", "Line 20", "inside `readToken`", "`go test ./...` passes", newDecision, "A regular expression: it cannot count brackets", finished, unfinished}
	return held(text, parts...), len(parts), err
}

func (w *world) superseded(ctx context.Context) (int, int, error) {
	text, err := w.sessionOf(ctx, sameTool)
	return held(text, newDecision) + 1 - held(text, oldDecision), 2, err
}

func (w *world) unfinished(ctx context.Context) (int, int, error) {
	text, err := w.sessionOf(ctx, sameTool)
	next := strings.Index(text, "## Immediate Next Action")
	state := strings.Index(text, "## Current State")
	facts := strings.Index(text, "## Critical Context")
	return count(next >= 0 && next < state && strings.Contains(text[next:max(next, state)], "Add the test of step 2")) + held(text[max(facts, 0):], finished, unfinished), 3, err
}

// newest is the document that the next session gets, by its path and text.
func (w *world) newest(ctx context.Context) (path, text string, err error) {
	if path, err = w.nextPath(ctx, "."); err == nil {
		text, err = w.read(path)
	}
	return path, text, err
}

// correction replaces a line of the document by hand.
func (w *world) correction(ctx context.Context) (int, int, error) {
	path, text, err := w.newest(ctx)
	if err == nil {
		err = w.write(path, strings.Replace(text, newDecision, correction, 1))
	}
	if err != nil {
		return 0, 0, err
	}
	shown, err := w.sessionOf(ctx, sameTool)
	return held(shown, correction) + 1 - held(shown, newDecision), 2, err
}

// deletion removes the newest document. No session may get its text again, and no search.
func (w *world) deletion(ctx context.Context) (int, int, error) {
	path, _, err := w.newest(ctx)
	if err == nil {
		err = os.Remove(filepath.Join(w.root, filepath.FromSlash(path)))
	}
	if err != nil {
		return 0, 0, err
	}
	shown, err := w.sessionOf(ctx, sameTool)
	if err != nil {
		return 0, 0, err
	}
	ws, err := w.open(".")
	if err != nil {
		return 0, 0, err
	}
	found, err := search.Run(ctx, ws, search.Request{Query: newDecision})
	return 1 - held(shown, newDecision) + count(found.Total == 0), 2, err
}

// provenance: the text names the document, when it was written and for which task, and the
// receipts say who got it.
func (w *world) provenance(ctx context.Context) (int, int, error) {
	path, _, err := w.newest(ctx)
	if err != nil {
		return 0, 0, err
	}
	text, err := w.sessionOf(ctx, sameTool)
	if err != nil {
		return 0, 0, err
	}
	ws, err := w.open(".")
	if err != nil {
		return 0, 0, err
	}
	book, err := receipts.Open(ws)
	if err != nil {
		return 0, 0, err
	}
	items, err := book.Of(ctx, receipt.Session{Host: sameTool, ID: "fresh"})
	return held(text, "The document: "+path, "2026-02-12T09:02:00Z", "task 1, phase 2") + count(len(items) == 1 && items[0].Path == path), 4, err
}

// bounds compares the length of what a session is shown with that of all documents.
func (l *Lab) bounds(ctx context.Context) (benchmark.Table, error) {
	table := benchmark.Table{Title: "CB-08 boundedness: bytes after so many handoffs", Columns: []string{"1", "10", "40"},
		Rows: []benchmark.Row{{Name: "what a session is shown"}, {Name: "all documents"}}}
	w, err := l.world("")
	if err != nil {
		return table, err
	}
	all := 0
	for n := range 40 {
		path, err := w.add(ctx, texts.Values(1, n+1), "parser")
		if err != nil {
			return table, err
		}
		text, err := w.read(path)
		if err != nil {
			return table, err
		}
		all += len(text)
		if n+1 == 1 || n+1 == 10 || n+1 == 40 {
			shown, err := w.sessionOf(ctx, sameTool)
			if err == nil && shown == "" {
				err = w.finish(ctx, path)
			}
			if err != nil {
				return table, err
			}
			table.Rows[0].Cells = append(table.Rows[0].Cells, benchmark.Number(len(shown)))
			table.Rows[1].Cells = append(table.Rows[1].Cells, benchmark.Number(all))
		}
	}
	return table, nil
}
