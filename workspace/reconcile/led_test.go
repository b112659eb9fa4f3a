package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/parse"
)

// led makes tasks of which names may decide what waits.
type led struct {
	*rand.Rand
	metadata []byte // nil for none
	receipts map[string]Receipt
	modified map[string]time.Time
	odd      bool // some names have no second, or no zone
}

const ledTask = "specs/1_a"

// The texts that a document of such a task may have: each way in which a text can count for the order, or for what waits.
var ledTexts = []string{
	"# Handoff\n\n## Immediate Next Action\nRun it.\n",
	"# Handoff\n\n**Timestamp**: 2027-05-01T10:00:00Z\n\n## Immediate Next Action\nRun it.\n",
	"---\ncreated: 2020-01-01T00:00:00+05:30\nstatus: superseded\n---\n# Handoff\n\n## Immediate Next Action\nRun it.\n",
	"# Handoff - 20290101T000000Z\n\n## Immediate Next Action\nRun it.\n",
	"# Phase 1 Completion Report\n\n**Status**: COMPLETED\n\n## Summary\nAll is done.\n",
	"# Handoff\n\n## Immediate Next Action\n[What to do]\n",
	"# Handoff\n\n## Immediate Next Action\nNone. The work is complete.\n",
	"# Handoff\n\n<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n\n## Immediate Next Action\nRun it.\n",
	"\xff\xfe binary \x00", "", "text",
}

func (l *led) one(list ...string) string { return list[l.IntN(len(list))] }

func (l *led) name() string {
	stamp := fmt.Sprintf("2026021%dT1%d0%d00", l.IntN(3), l.IntN(3), l.IntN(10))
	if !l.odd {
		return fmt.Sprintf(ledTask+"/handoffs/phase-%d-handoff-%sZ.md", 1+l.IntN(3), stamp)
	}
	return ledTask + "/handoffs/" + l.one(
		fmt.Sprintf("phase-%d-handoff-%sZ.md", 1+l.IntN(3), stamp), fmt.Sprintf("phase-%d-handoff-%sZ.md", 1+l.IntN(3), stamp),
		fmt.Sprintf("phase-%d-handoff-%s.md", 1+l.IntN(3), stamp), "phase-2-handoff-20260212.md", "phase-2b-handoff-20260211T110000Z.md",
		"phase-3-handoff-20261212T100000Z.md", "phase-1-handoff-20260212T120000.02Z.md", "HANDOFF.md", "phase-2-handoff.md")
}

func (l *led) written(names []string) []byte {
	status := l.one("partial", "partial", "partial", "in_progress", "")
	pointer := l.one(append(names, names[len(names)-1], ledTask+"/handoffs/gone.md", "", "")...)
	outputs := ""
	for i, name := range names {
		if l.IntN(2) == 0 {
			continue
		}
		if outputs != "" {
			outputs += ","
		}
		outputs += fmt.Sprintf(`{"type":"handoff","path":%q%s}`, name, l.one("", "", fmt.Sprintf(`,"written_at":"2026-02-1%dT18:00:00Z"`, i%4), `,"done_at":"2026-02-13T18:00:00Z"`))
	}
	return fmt.Appendf(nil, `{"status":%q,"timestamp":%q,"partial_progress":{"stage":%q,"phases_completed":%d,"handoff_path":%q},"artifacts":[%s]}`,
		status, l.one("", "2026-02-11T10:00:00Z", "2026-02-20T10:00:00Z"), l.one("", "handoff", "phase_2", "handoff_done"), l.IntN(4), pointer, outputs)
}

// state is a state of the task whose documents have random texts, but for one. One that is no text, and one that cannot be
// read, are missing.
func (l *led) state(names []string, but Document) State {
	s := State{Dir: ledTask, Metadata: File{Path: ledTask + "/.return-meta.json", Src: l.metadata}, Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), facts: new(facts)}
	for _, name := range names {
		text := ledTexts[max(0, l.IntN(2*len(ledTexts))-len(ledTexts))]
		d := Document{Path: name, Name: handoff.ParseName(name), Doc: parse.Document([]byte(text))}
		if name == but.Path {
			d = but
		} else if but.Path != "" && l.IntN(20) == 0 {
			continue
		}
		s.Documents = append(s.Documents, d)
	}
	slices.SortFunc(s.Documents, func(a, b Document) int { return a.Name.Compare(b.Name) })
	s.World = World{
		Receipt:  func(path string) (Receipt, error) { return l.receipts[path], nil },
		Exists:   func(path string) bool { return slices.Contains(names, path) },
		Modified: func(path string) time.Time { return l.modified[path] },
	}
	return s
}

// TestLed: where names decide what waits, the texts of the other documents change nothing.
func TestLed(t *testing.T) {
	const tasks = 20_000
	found := 0
	for seed := range tasks {
		l := &led{Rand: rand.New(rand.NewPCG(uint64(seed), 7)), odd: seed%2 == 0, receipts: map[string]Receipt{}, modified: map[string]time.Time{}}
		var names []string
		for range 2 + l.IntN(3) {
			name := l.name()
			if l.IntN(4) == 0 {
				l.receipts[name] = Receipt{Taken: l.IntN(2) == 0, Again: l.IntN(2) == 0, Since: time.Date(2026, 2, 14, 0, 0, 0, 0, time.UTC)}
			}
			l.modified[name] = time.Date(2026, 2, 10+l.IntN(5), 0, 0, 0, 0, time.UTC)
			names = append(names, name)
		}
		slices.Sort(names)
		names = slices.Compact(names)
		if l.IntN(4) > 0 {
			l.metadata = l.written(names)
			l.modified[ledTask+"/.return-meta.json"] = time.Date(2026, 2, 10+l.IntN(5), 0, 0, 0, 0, time.UTC)
		}
		state := l.state(names, Document{})
		want := state.Wait()
		if _, lasts := state.Lasting(); !lasts || !state.Led(want) {
			continue
		}
		found++
		last := state.Documents[len(state.Documents)-1]
		for range 12 {
			other := l.state(names, last)
			got := other.Wait()
			if got.Path != want.Path || got.Waits != want.Waits || got.Doubt != want.Doubt || got.At != want.At || got.Doc != want.Doc || other.Ahead() {
				t.Fatalf("%d: %s waits %v %q, and with other texts %s %v %q\n%q\n%s", seed, want.Path, want.Waits, want.Doubt, got.Path, got.Waits, got.Doubt, names, l.metadata)
			}
		}
	}
	if found < tasks/10 {
		t.Errorf("names decided in %d of %d tasks", found, tasks)
	}
}
