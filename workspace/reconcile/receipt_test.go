package reconcile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/parse"
)

// waitState is a task with one handoff and this metadata, "" for none.
func waitState(t *testing.T, metadata string) State {
	t.Helper()
	const path = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"
	doc := parse.Document([]byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test ./parse`.\n"))
	s := State{Dir: "specs/1_first", Documents: []Document{{Path: path, Name: handoff.ParseName(path), Doc: doc}},
		Metadata: File{Path: "specs/1_first/.return-meta.json"}}
	if metadata != "" {
		s.Metadata.Src = []byte(metadata)
	}
	s.World.Added = func() map[string]time.Time {
		t.Errorf("%s: git was asked about a task with one handoff", metadata)
		return nil
	}
	return s
}

// TestWait: what waits, also without metadata.
func TestWait(t *testing.T) {
	for metadata, want := range map[string]struct {
		waits bool
		doubt string
	}{
		"":                         {waits: true},
		`{"status": ""}`:           {waits: true},
		`{"status": "completed"}`:  {},
		`{"status": `:              {doubt: "specs/1_first/.return-meta.json: is not JSON: "},
		`[]`:                       {doubt: "is an array, not an object"},
		`{"status":"","status":1}`: {doubt: `duplicate key "/status"`},
		`{"status": "in_progress", "started_at": "2026-02-12T15:00:00Z"}`: {},
		`{"status": "in_progress", "started_at": "2026-02-12"}`:           {doubt: "cannot tell whether phase-1-handoff-20260212T143022Z.md was taken up"},
	} {
		w := waitState(t, metadata).Wait()
		if w.Waits != want.waits || !strings.Contains(w.Doubt, want.doubt) || w.Doubt != "" && want.doubt == "" {
			t.Errorf("%s: waits %v, doubt %q", metadata, w.Waits, w.Doubt)
		}
		if w.Waits && (w.Name.Task != 1 || w.At.String() != "2026-02-12T14:30:22Z") {
			t.Errorf("%s: %+v", metadata, w)
		}
	}
}

// TestUnreadableReceipts: while it is unknown whether the handoff was taken up,
// nothing changes, and the reason is reported.
func TestUnreadableReceipts(t *testing.T) {
	s := waitState(t, `{"status": ""}`)
	s.World.Receipt = func(string) (Receipt, error) { return Receipt{}, errors.New("x.jsonl:2: damaged") }
	if w := s.Wait(); w.Waits || !strings.Contains(w.Doubt, "x.jsonl:2: damaged") {
		t.Errorf("%+v", w)
	}
}
