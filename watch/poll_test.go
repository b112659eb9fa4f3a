package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

// counting is a poller that counts the folders it lists.
func counting(root string) (p *poller, listed *[]string) {
	p, listed = newPoller(root, func(string) {}), new([]string)
	p.lists = func(dir string) ([]os.DirEntry, error) {
		*listed = append(*listed, filepath.ToSlash(dir[len(root)+1:]))
		return os.ReadDir(dir)
	}
	return p, listed
}

// At rest no folder is listed; after a change only those of the task that has it.
func TestPollListsWhatChanged(t *testing.T) {
	root := t.TempDir()
	for _, task := range []string{"specs/1_a", "specs/2_b", "specs/archive/3_c"} {
		put(t, root, task+doc, "x")
		put(t, root, task+"/.return-meta.json", "{}")
	}
	p, listed := counting(root)
	if got := p.look(); len(got) != 3 {
		t.Fatalf("at first: %v", got)
	}
	if got := p.look(); len(got) != 0 || len(*listed) == 0 {
		t.Errorf("then: %v", got)
	}
	*listed = nil
	if got := p.look(); len(got) != 0 || len(*listed) != 0 {
		t.Errorf("at rest: %v changed, listed %v", got, *listed)
	}
	put(t, root, "specs/2_b/handoffs/phase-2-handoff-20260101T000000Z.md", "x")
	os.Chtimes(filepath.Join(root, "specs/2_b/handoffs"), time.Time{}, time.Unix(1, 0)) // whatever the clock's steps are
	if got := strings.Join(p.look(), " "); got != "specs/2_b" {
		t.Errorf("changed: %s", got)
	}
	if other := slices.ContainsFunc(*listed, func(dir string) bool { return !strings.HasPrefix(dir, "specs/2_b/") }); other || len(*listed) == 0 {
		t.Errorf("listed %v", *listed)
	}
}

// A file that is written in place changes no folder.
func TestPollInPlace(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a"+doc, "x")
	put(t, root, "specs/1_a/.return-meta.json", "{}")
	p, listed := counting(root)
	for range 3 {
		p.look()
	}
	*listed = nil
	for _, path := range []string{"specs/1_a" + doc, "specs/1_a/.return-meta.json"} {
		put(t, root, path, "longer")
		if got := p.look(); len(got) != 1 || len(*listed) != 0 {
			t.Errorf("%s: %v changed, listed %v", path, got, *listed)
		}
	}
}

// Where times are coarse a folder changes twice within one: what came after the
// first look is found by the next one.
func TestPollCoarseTimes(t *testing.T) {
	root := t.TempDir()
	same := time.Unix(1_700_000_000, 0)
	folder := filepath.Join(root, "specs/1_a/handoffs")
	put(t, root, "specs/1_a"+doc, "x")
	stop := func(dirs ...string) {
		for _, dir := range dirs {
			if err := os.Chtimes(dir, same, same); err != nil {
				t.Fatal(err)
			}
		}
	}
	specs := filepath.Join(root, "specs")
	p, _ := counting(root)
	stop(folder, specs)
	p.look()
	put(t, root, "specs/1_a/handoffs/phase-2-handoff-20260101T000000Z.md", "x")
	put(t, root, "specs/2_b"+doc, "x")
	stop(folder, specs)
	if got := strings.Join(p.look(), " "); got != "specs/1_a specs/2_b" {
		t.Errorf("changed: %q", got)
	}
}

// A folder that appears in a task is found by the task's time, and the files of
// a deleted folder disappear with it.
func TestPollFoldersComeAndGo(t *testing.T) {
	root := t.TempDir()
	put(t, root, "specs/1_a/.return-meta.json", "{}")
	p, _ := counting(root)
	for range 3 {
		p.look()
	}
	put(t, root, "specs/1_a"+doc, "x")
	if got := p.look(); len(got) != 1 {
		t.Errorf("a new folder: %v", got)
	}
	for range 2 {
		p.look()
	}
	if err := os.RemoveAll(filepath.Join(root, "specs/1_a/handoffs")); err != nil {
		t.Fatal(err)
	}
	if got := p.look(); len(got) != 1 {
		t.Errorf("a folder is gone: %v", got)
	}
	if err := os.RemoveAll(filepath.Join(root, "specs/1_a")); err != nil {
		t.Fatal(err)
	}
	if got := p.look(); len(got) != 0 || len(p.tasks) != 0 {
		t.Errorf("the task is gone: %v, %d remembered", got, len(p.tasks))
	}
}

// Looks take at most a twentieth of the time, but no rest is longer than 30 s.
func TestPollRests(t *testing.T) {
	o := Options{Root: "x"}.withDefaults()
	for look, want := range map[time.Duration]time.Duration{
		time.Millisecond:       2 * time.Second,
		100 * time.Millisecond: 2 * time.Second,
		400 * time.Millisecond: 7600 * time.Millisecond,
		time.Minute:            30 * time.Second,
	} {
		if got := o.restAfter(look); got != want {
			t.Errorf("after a look of %v: rests %v, want %v", look, got, want)
		}
	}
}

// The removal of a file to keep is reported, even if its folder was removed and
// created again.
func TestKeep(t *testing.T) {
	for _, poll := range []bool{false, true} {
		root := t.TempDir()
		put(t, root, ".state/lock", "")
		w, _ := start(t, Options{Root: root, Poll: poll, PollEvery: 20 * time.Millisecond, Keep: []string{".state/lock"}})
		lost := func(what string) {
			t.Helper()
			waittest.For(t, fmt.Sprintf("the file to be reported as lost: %s (poll %v)", what, poll), w.Lost)
		}
		lost("at the start")
		for range 2 {
			if err := os.RemoveAll(filepath.Join(root, ".state")); err != nil {
				t.Fatal(err)
			}
			lost("removed")
			put(t, root, ".state/lock", "")
			lost("made again: what happened meanwhile is not known")
			quiet(w)
			select {
			case <-w.Lost: // of the same change
			default:
			}
		}
	}
}
