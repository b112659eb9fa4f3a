package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// swapSteps are all steps, in order, of a swap that succeeds, and of one that finds
// another writer's content after the exchange.
var (
	swapSteps   = []string{"mark", "check", "exchange", "look", "drop"}
	backSteps   = []string{"mark", "check", "exchange", "look", "put-back", "look-again", "drop-ours"}
	finishSteps = []string{"finish", "put-back", "look-again", "drop-ours"}
)

// TestKilledSwap kills a swap before each of its steps: the file has the old or the
// new content, and no other file is left.
func TestKilledSwap(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		for _, die := range slices.Concat(swapSteps, []string{""}) {
			x := killFile(t, scratch)
			killPlan{Root: x.root, Path: x.path, Die: die}.run(t)
			want := "old"
			if !slices.Contains(swapSteps[:3], die) {
				want = ours
			}
			if got := x.recovered(t); !reflect.DeepEqual(got, map[string]string{"f": want}) {
				t.Errorf("killed before %q: %q", die, got)
			}
		}
	})
}

// TestKilledSwapKeepsAgent lets an agent write at the last moment, and kills the
// swap before each later step. After the next run the file has the agent's content,
// and no other file is left.
func TestKilledSwapKeepsAgent(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		for _, rename := range []bool{false, true} {
			for _, die := range slices.Concat(backSteps[2:], []string{""}) {
				x := killFile(t, scratch)
				killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs}, Rename: rename, Die: die}.run(t)
				if got := x.recovered(t); !reflect.DeepEqual(got, map[string]string{"f": theirs}) {
					t.Errorf("by rename %v, killed before %q: %q", rename, die, got)
				}
			}
		}
	})
}

// TestKilledSwapKeepsBoth lets an agent write at the last moment and again before
// each later step, and kills the swap before each step. Both contents exist after
// the next run: the first was displaced when the second was written, so the second
// cannot be based on it.
func TestKilledSwapKeepsBoth(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		for i, again := range []string{"look", "put-back"} {
			for _, die := range append([]string{""}, backSteps[3+i:6]...) { // the displaced file is not ours, so it is not dropped
				for _, rename := range []bool{false, true} {
					x := killFile(t, scratch)
					killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs, again: newer}, Rename: rename, Die: die}.run(t)
					got := x.recovered(t)
					texts := []string{got["f"], got["saved"]}
					slices.Sort(texts)
					if len(got) != 2 || !slices.Equal(texts, []string{theirs, newer}) || die == "" && got["f"] != newer {
						t.Errorf("written again before %q by rename %v, killed before %q: %q", again, rename, die, got)
					}
				}
			}
		}
	})
}

// TestKilledSwapFileGone removes the file at the moment when the agent's content is
// displaced: that content is saved.
func TestKilledSwapFileGone(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		for _, die := range []string{"put-back", ""} {
			x := killFile(t, scratch)
			killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs}, Gone: "put-back", Die: die}.run(t)
			if got := x.recovered(t); !reflect.DeepEqual(got, map[string]string{"saved": theirs}) {
				t.Errorf("killed before %q: %q", die, got)
			}
		}
	})
}

// TestWrittenAfterKill lets an agent write after the swap was killed: its content
// stays, and the displaced content is saved beside it.
func TestWrittenAfterKill(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		x := killFile(t, scratch)
		killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs}, Die: "look"}.run(t)
		if err := os.WriteFile(x.path, []byte(newer), 0o644); err != nil {
			t.Fatal(err)
		}
		left := x.sweep()
		if len(left) != 1 {
			t.Fatalf("unfinished: %q", left)
		}
		var saved *SavedError
		if err := Finish(x.root, left[0]); !errors.As(err, &saved) || saved.Path != x.path || !strings.HasPrefix(saved.As, "f.handoff-saved-") {
			t.Errorf("%v", err)
		}
		if got := x.recovered(t); !reflect.DeepEqual(got, map[string]string{"f": newer, "saved": theirs}) {
			t.Errorf("%q", got)
		}
	})
}

// TestKilledFinish kills Finish before each of its steps: the next call completes
// it.
func TestKilledFinish(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		for _, die := range finishSteps {
			x := killFile(t, scratch)
			killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs}, Die: "look"}.run(t)
			left := x.sweep()
			if len(left) != 1 {
				t.Fatalf("unfinished: %q", left)
			}
			killPlan{Root: x.root, Path: left[0], Finish: true, Die: die}.run(t)
			if got := x.recovered(t); !reflect.DeepEqual(got, map[string]string{"f": theirs}) {
				t.Errorf("killed before %q: %q", die, got)
			}
		}
	})
}

// TestSweepLeavesRunning: Sweep ignores the exchange of a running process.
func TestSweepLeavesRunning(t *testing.T) {
	needExchange(t)
	inEachPlace(t, func(t *testing.T, scratch bool) {
		x := killFile(t, scratch)
		s, err := BeginSwap(x.root, x.path, []byte("old"), []byte(ours), 0o644)
		if err != nil {
			t.Fatal(err)
		}
		seen := 0
		s.steps = func(name string) {
			if left := x.sweep(); len(left) > 0 {
				t.Errorf("before %q: %q", name, left)
			}
			seen++
		}
		if err := s.Commit(); err != nil || seen != len(swapSteps) {
			t.Errorf("%d steps, %v", seen, err)
		}
		x.onlyFile(t)
	})
}

// TestSwapOpenFile: a file that another process keeps open for writing is put back,
// because writes to a displaced file would be lost.
func TestSwapOpenFile(t *testing.T) {
	needs.Linux(t, "other systems do not tell who has a file open")
	inEachPlace(t, func(t *testing.T, scratch bool) {
		x := killFile(t, scratch)
		f, err := os.OpenFile(x.path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := Swap(x.root, x.path, []byte("old"), []byte(ours), 0o644); !errors.Is(err, errOpen) {
			t.Errorf("%v", err)
		}
		if _, err := f.WriteString(theirs); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(x.path); string(got) != theirs {
			t.Errorf("%q", got)
		}
		x.onlyFile(t)
	})
}

func TestHeldName(t *testing.T) {
	name := heldName(".return-meta.json", []byte("old"), []byte(ours), noon)
	h, ok := parseHeld(name)
	if !ok || h.base != ".return-meta.json" || h.old != digest([]byte("old")) || h.data != digest([]byte(ours)) ||
		h.pid != os.Getpid() || !h.begun.Equal(noon) {
		t.Errorf("%s: %+v", name, h)
	}
	if !IsHeld(name) || IsTemp(name) {
		t.Errorf("%s is not distinguished", name)
	}
	for _, name := range []string{"", heldPrefix, heldPrefix + "a-1-2-3-4-5-f", strings.Replace(name, ".return-meta.json", "../f", 1)} {
		if IsHeld(name) {
			t.Errorf("%q counts as a file of an exchange", name)
		}
		if err := Finish(nofollow.Named, filepath.Join(t.TempDir(), "x"+name)); err == nil {
			t.Errorf("%q was finished", name)
		}
	}
}

// TestHeldPath is the name of an exchange in the scratch folder, which has the path.
func TestHeldPath(t *testing.T) {
	const path = "specs/50%_a/100%2F/f"
	h, ok := parseHeld(heldName(escaped.Replace(path), nil, nil, noon))
	if !ok {
		t.Fatal("no name of an exchange")
	}
	for at, want := range map[string]string{"/w/" + Scratch + "/x": "/w/" + path, "/w/specs/x": "/w/specs/" + h.base, "/w/a/" + Scratch + "/x": "/w/a/" + Scratch + "/" + h.base} {
		if got := h.file("/w", filepath.FromSlash(at)); got != filepath.FromSlash(want) {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
	for _, path := range []string{"../f", "/f", "a/../../f"} {
		if name := heldName(escaped.Replace(path), nil, nil, noon); IsHeld(name) {
			t.Errorf("%s leads out", name)
		}
	}
}

// TestSwapLongName swaps a file whose name is too long for the name of an exchange.
func TestSwapLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("n", 250))
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		needs.Missing(t, "names of 250 bytes", err.Error())
	}
	if err := Swap(nofollow.Named, path, []byte("old"), []byte(ours), 0o644); err != nil {
		t.Error(err)
	}
	onlyFile(t, filepath.Dir(path), filepath.Base(path))
}
