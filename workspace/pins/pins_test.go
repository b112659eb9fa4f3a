package pins_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/pinned"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/lint/rules"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/pins"
)

// author writes handoffs of one task, a minute after each other.
type author struct {
	t      *testing.T
	root   string
	random *rand.Rand
	now    time.Time
	hops   int
	made   int
	open   map[string]bool // texts that were not retired, as written
}

func newAuthor(t *testing.T, seed uint64) *author {
	a := &author{t: t, root: t.TempDir(), random: rand.New(rand.NewPCG(seed, 0)), now: time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC), open: map[string]bool{}}
	if err := os.Mkdir(filepath.Join(a.root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *author) workspace() *workspace.Workspace {
	now := a.now
	ws, err := workspace.Open(a.root, workspace.Options{Rules: rules.All, Now: func() time.Time { return now }})
	if err != nil {
		a.t.Fatal(err)
	}
	return ws
}

// fresh is a new item, as strange as an item may be.
func (a *author) fresh() string {
	a.made++
	text := fmt.Sprintf("Attempt %d: `f(%d)` fails <ü> & \"so\"", a.made, a.random.IntN(1000))
	switch a.random.IntN(6) {
	case 0:
		text += fmt.Sprintf(" ^k%d", a.made)
	case 1:
		text += " [unverified: nobody looked]"
	case 2:
		text += "\nand on a second line"
	case 3:
		text += "\n\n    indented code\n\nA paragraph.\n- nested\n  - deeper\n- again"
	case 4:
		text += "\n```go\nfunc f() {\n\treturn\n}\n```"
	}
	a.open[text] = true
	return text
}

// hop writes the next handoff: new items, and perhaps one that is retired.
func (a *author) hop(old []pinned.Item) (string, error) {
	a.now, a.hops = a.now.Add(time.Minute), a.hops+1
	v := templates.Values{Task: 1, Phase: a.hops, NextAction: "Run `go test`.", State: templates.State{Location: "Line 1", Goal: "It passes"},
		Decisions: []string{"None"}, DeadEnds: []string{"None"}, Context: []string{"None"}, References: []string{"None"}}
	if a.random.IntN(3) > 0 {
		v.DeadEnds = []string{a.fresh()}
	}
	if a.random.IntN(2) > 0 {
		v.Context = []string{a.fresh()}
	}
	if len(old) > 0 && a.random.IntN(3) == 0 {
		it := old[a.random.IntN(len(old))]
		delete(a.open, it.Source)
		v.Context = append(v.Context, "~~"+strings.Join(strings.Fields(it.Source), " ")+"~~ (not any more)")
	}
	ws := a.workspace()
	made, _, err := pins.Create(a.t.Context(), ws, create.Request{Values: v, Slug: "first"})
	return made.Path, err
}

// items are the items of the newest handoff, with those in artifacts.
func (a *author) items(path string) []pinned.Item {
	ws := a.workspace()
	store, err := ws.Artifacts()
	if err != nil {
		a.t.Fatal(err)
	}
	defer store.Close()
	doc, err := documents.Read(ws, documents.EntryAt(ws, path))
	if err != nil {
		a.t.Fatal(err)
	}
	return pinned.All(doc, func(id string) []byte {
		for info, err := range store.List() {
			if err == nil && info.ID.String() == id {
				src, _ := store.Get(info.ID)
				return src
			}
		}
		return nil
	})
}

// TestCarriedChains makes chains of 20 handoffs in which each takes over what the one
// before has. No item is lost, and each is as its author wrote it, byte for byte, though
// only nine have room. In between the store may be gone, as in a clone.
func TestCarriedChains(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			a := newAuthor(t, seed)
			var old []pinned.Item
			path, most := "", 0
			for range 20 {
				next, err := a.hop(old)
				if err != nil {
					t.Fatalf("handoff %d: %v", a.hops, err)
				}
				path, old = next, a.items(next)
				most = max(most, len(old))
				has := map[string]bool{}
				for _, it := range old {
					has[it.Source] = true
				}
				for text := range a.open {
					if !has[text] {
						t.Fatalf("%s lacks %q; it has %v", path, text, has)
					}
				}
			}
			if most < 12 {
				t.Errorf("at most %d items: nothing had to be moved", most)
			}
			steps, err := pins.Chain(t.Context(), a.workspace(), documents.EntryAt(a.workspace(), path))
			if err != nil || len(steps) != 20 {
				t.Fatal(len(steps), err)
			}
			for _, s := range steps {
				if s.Lost() > 0 || len(s.Missing) > 0 {
					t.Errorf("%s: %d lost, %v missing", s.Path, s.Lost(), s.Missing)
				}
			}
			if err := os.RemoveAll(filepath.Join(a.root, ".rip")); err != nil {
				t.Fatal(err)
			}
			clone, err := pins.Chain(t.Context(), a.workspace(), documents.EntryAt(a.workspace(), path))
			if err != nil || fmt.Sprint(clone) != fmt.Sprint(steps) {
				t.Errorf("without the store the items have other fates (%v)", err)
			}
		})
	}
}

// TestCarriedAtOnce: of handoffs that are written at the same time each takes over what the
// one before it has, so that none is lost, also if each replaces the one before.
func TestCarriedAtOnce(t *testing.T) {
	for _, preset := range []string{"specs", "single"} {
		t.Run(preset, func(t *testing.T) {
			a := newAuthor(t, 1)
			if preset != "specs" {
				if err := os.WriteFile(filepath.Join(a.root, ".handoff.yaml"), []byte("documents: [{preset: "+preset+"}]\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := a.hop(nil); err != nil {
				t.Fatal(err)
			}
			a.now = a.now.Add(time.Minute)
			var all sync.WaitGroup
			errs := make([]error, 8)
			for n := range errs {
				all.Go(func() {
					_, _, errs[n] = pins.Create(t.Context(), a.workspace(), create.Request{Slug: "first", Replace: "HANDOFF.md", Values: templates.Values{Task: 1, Phase: 2, NextAction: "Run `go test`.",
						State: templates.State{Location: "Line 1", Goal: "It passes"}, Decisions: []string{"None"}, DeadEnds: []string{fmt.Sprintf("Attempt of process %d: fails", n)}, Context: []string{"None"},
						References: []string{"None"}}})
				})
			}
			all.Wait()
			for n, err := range errs {
				if err != nil {
					t.Fatalf("%d: %v", n, err)
				}
			}
			ws := a.workspace()
			last, err := documents.Find(t.Context(), ws, a.root, "latest")
			if err != nil {
				t.Fatal(err)
			}
			steps, err := pins.Chain(t.Context(), ws, last)
			if err != nil || len(steps) != len(errs)+1 {
				t.Fatal(len(steps), err)
			}
			for _, s := range steps {
				if s.Lost() > 0 {
					t.Errorf("%s lost %d items", s.Path, s.Lost())
				}
			}
		})
	}
}
