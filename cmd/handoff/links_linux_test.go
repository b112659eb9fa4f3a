package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/surface/command"
)

// TestTracedLinks plants a symbolic link at every path that any command opens for
// writing, creates, renames, removes or binds, and at every folder above it, and
// runs the command. Whatever the link leads to must not change.
//
// The paths are not from a list: strace reports them while the commands run. Each
// planted run starts from a copy of the tree as it was just before the command.
// HANDOFF_LINKS=paths, as in CI, plants one link at each path, but for the ids in it, for one of the
// commands that touch it; =kinds one of each kind there, and =all each kind for each of the commands.
// By default every third path gets one.
func TestTracedLinks(t *testing.T) {
	needs.Strace(t)
	for _, name := range leafCommands() {
		if !slices.ContainsFunc(linkScenarios, func(s linkScenario) bool { return s.runs(name) }) {
			t.Errorf("%s: no scenario runs this command: add it to linkScenarios", name)
		}
	}
	t.Parallel()
	if withoutRace(t) {
		return
	}
	var total tally
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range linkScenarios {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				total.add(plantAll(t, s))
			})
		}
	})
	t.Logf("%d commands, %d paths, %d links planted of %d, %d commands refused or failed, %d changed something outside",
		total.commands, total.paths, total.planted, total.possible, total.refused, total.changed)
	least := total.planted / 2
	if os.Getenv("HANDOFF_LINKS") == "" {
		least = total.planted * 2 / 5 // one in three paths: 68 to 70 of 139 were refused, by which paths these are
	}
	if !t.Failed() && (total.paths < 80 || total.planted < 100 || total.refused < least) {
		t.Error("too few: does the trace still see what the commands write?")
	}
}

// tally counts the runs and their results. It is safe for concurrent use.
type tally struct {
	sync.Mutex
	commands, paths, possible, planted, refused, changed int
}

func (a *tally) add(b *tally) {
	a.Lock()
	defer a.Unlock()
	a.commands += b.commands
	a.paths += b.paths
	a.possible += b.possible
	a.planted += b.planted
	a.refused += b.refused
	a.changed += b.changed
}

// linked is what a planted link leads to.
type linked string

const (
	toFile    linked = "a link to a file"
	toFolder  linked = "a link to a folder"
	toMissing linked = "a link to a missing file"
)

// plant is a link that replaces the file at a path before a step.
type plant struct {
	step int
	path string // relative to the world
	to   linked
}

// plantAll traces the steps of a scenario and then plants the links.
func plantAll(t *testing.T, s linkScenario) *tally {
	b := newLinkBase(t)
	count := &tally{}
	paths := map[string]bool{}
	var plants []plant
	for i, st := range s.steps() {
		b.save(t, i)
		if st.setup != "" {
			b.shell(t, st.setup)
			continue
		}
		count.commands++
		touched := b.trace(t, i, st)
		for path := range touched {
			paths[path] = true
		}
		plants = append(plants, b.plants(i, touched)...)
	}
	count.paths = len(paths)
	count.possible = len(plants)
	steps := s.steps()
	list := chosen(plants, func(p plant) bool { return steps[p.step].visit == nil })
	slices.SortStableFunc(list, func(a, b plant) int { return a.step - b.step }) // the trees of two steps differ in much
	for _, p := range list {
		count.planted++
		changed, code := b.plant(t, p, steps[p.step])
		if code != 0 {
			count.refused++
		}
		if changed != "" {
			count.changed++
			t.Error(changed)
		}
	}
	return count
}

// anyID is an id in a path: of a thread, a run or a blob.
var anyID = regexp.MustCompile(`[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// chosen selects one plant for each path (ignoring ids in it), of any kind or of each one, if
// possible a quick one; or a third of these, or all of them.
func chosen(plants []plant, quick func(plant) bool) []plant {
	form := os.Getenv("HANDOFF_LINKS")
	if form == "all" {
		return plants
	}
	plants = slices.Clone(plants)
	seed := rand.New(rand.NewPCG(11, 11))
	seed.Shuffle(len(plants), func(i, j int) { plants[i], plants[j] = plants[j], plants[i] })
	slices.SortStableFunc(plants, func(a, b plant) int {
		switch {
		case quick(a) == quick(b):
			return 0
		case quick(a):
			return -1
		}
		return 1
	})
	seen, paths := map[any]bool{}, 0
	type what struct {
		path string
		to   linked
	}
	return slices.DeleteFunc(plants, func(p plant) bool {
		at := what{path: anyID.ReplaceAllString(p.path, "ID")}
		if form == "kinds" {
			at.to = p.to
		}
		if seen[at] {
			return true
		}
		seen[at] = true
		paths++
		return form == "" && paths%3 != 0
	})
}

// unguessed reports whether nobody can plant a link at a name, because it
// differs each time: temporary files, folders of sockets, and ids that a server
// assigns in the order in which it finishes requests.
func unguessed(name string) bool {
	return atomicfile.IsTemp(name) || atomicfile.IsHeld(name) || mintedID.MatchString(name)
}

var mintedID = regexp.MustCompile(`^(\.s-[0-9a-z]+$|[0-9a-f]{64}$|[0-9a-f]{8}-0000-4000-8000-\d{12}\.)`)

// trace runs a step twice from the same world. It returns the paths that both
// runs write, and the folders of those whose names differ.
func (b *linkBase) trace(t *testing.T, i int, st linkStep) map[string]bool {
	t.Helper()
	first := b.traced(t, st)
	b.restore(t, i)
	again := b.traced(t, st)
	both := map[string]bool{}
	for _, one := range []map[string]bool{first, again} {
		for path := range one {
			switch base := filepath.Base(path); {
			case first[path] && again[path]:
				both[path] = true
			case unguessed(base):
				both[filepath.Dir(path)] = true
			default:
				t.Errorf("handoff %q writes %s, but not each time that it runs in the same tree", st.args, path)
			}
		}
	}
	return both
}

// traced runs a step and returns the paths that it writes in the planted
// folders.
func (b *linkBase) traced(t *testing.T, st linkStep) map[string]bool {
	t.Helper()
	log := filepath.Join(b.dir, "trace")
	os.Remove(log)
	args := append(needs.TraceArgs(log), filepath.Join(b.bin, "handoff"))
	out, code := b.run(t, st, exec.Command("strace", append(args, b.arguments(t, st)...)...), log)
	if code != 0 && !(st.fails && (code == command.Findings || code == command.Asks)) {
		t.Errorf("handoff %q: exit code %d: the scenario must work: %s", st.args, code, out)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	for _, path := range writtenIn(string(text), b.world("tree")) {
		rel, err := filepath.Rel(b.world("."), path)
		if err == nil && !writtenByGit(rel) && slices.ContainsFunc(planted, func(p string) bool { return strings.HasPrefix(rel, p+"/") }) {
			paths[rel] = true
		}
	}
	return paths
}

// writtenByGit reports whether git writes a path: objects and refs of kept work, in a bare
// repository below the git folder, or in the remote, whose paths are relative to a folder that
// strace does not show. It follows links there, as everywhere in its own folders.
// That is as safe as git: no clone and no checkout creates anything in a git folder.
func writtenByGit(path string) bool {
	for _, own := range []string{"/.git/objects/", "/.git/refs/handoff", "/.git/logs/refs/handoff"} {
		if strings.Contains(path, own) {
			return true
		}
	}
	return strings.Contains(path, "/.git/handoff/store/") || strings.Contains(path, "/.git/handoff/store.new/") || strings.HasPrefix(path, "tree/objects/")
}

// plants are the links to plant for the paths that a step touches.
func (b *linkBase) plants(step int, touched map[string]bool) (plants []plant) {
	isFolder := func(path string) bool {
		for _, dir := range []string{b.saved(step), b.world(".")} { // before and after the step
			if st, err := os.Stat(filepath.Join(dir, path)); err == nil {
				return st.IsDir()
			}
		}
		return false
	}
	all := map[plant]bool{}
	for path := range touched {
		all[plant{step, path, toMissing}] = true
		if !isFolder(path) {
			all[plant{step, path, toFile}] = true
			path = filepath.Dir(path)
		}
		for ; !slices.Contains(planted, path); path = filepath.Dir(path) {
			all[plant{step, path, toFolder}] = true
		}
	}
	for p := range all {
		if !slices.Contains(planted, p.path) {
			plants = append(plants, p)
		}
	}
	sort.Slice(plants, func(i, j int) bool { return fmt.Sprint(plants[i]) < fmt.Sprint(plants[j]) })
	return plants
}

// plant runs a step with one link planted, and returns what changed outside and
// the exit code.
func (b *linkBase) plant(t *testing.T, p plant, st linkStep) (changed string, code int) {
	t.Helper()
	b.restore(t, p.step)
	outside := filepath.Join(b.dir, "outside")
	target, link, old := filepath.Join(outside, "target"), b.world(p.path), filepath.Join(b.saved(p.step), p.path)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.RemoveAll(outside))
	must(os.MkdirAll(outside, 0o755))
	must(os.WriteFile(filepath.Join(outside, "kept"), []byte("kept\n"), 0o640))
	switch was, err := os.Lstat(old); {
	case p.to == toMissing:
	case err == nil && was.IsDir() == (p.to == toFolder):
		treetest.Mirror(t, old, target) // so that a command that follows the link finds the same content as before
	case p.to == toFolder:
		must(os.Mkdir(target, 0o755))
	default:
		must(os.WriteFile(target, []byte("{}\n"), 0o640))
	}
	must(os.MkdirAll(filepath.Dir(link), 0o755))
	must(os.RemoveAll(link))
	leads, err := filepath.Rel(filepath.Dir(link), target)
	must(err)
	must(os.Symlink(leads, link))
	before := everything(t, outside)
	out, code := b.run(t, st, exec.Command(filepath.Join(b.bin, "handoff"), b.arguments(t, st)...), "")
	changes := differences(before, everything(t, outside))
	if len(changes) == 0 {
		return "", code
	}
	return fmt.Sprintf("handoff %q follows %s at %s: %s\n%s", st.args, p.to, p.path, strings.ReplaceAll(strings.Join(changes, ", "), b.dir+"/", ""), out), code
}

// TestFollowedLinksAreSeen runs a command that does follow links: the test must
// report each link that leads to a written path.
func TestFollowedLinksAreSeen(t *testing.T) {
	needs.Strace(t)
	b := newLinkBase(t)
	b.bin = t.TempDir()
	const script = "#!/bin/sh\nmkdir -p .handoff/d; echo x >> .handoff/d/f; chmod 600 .handoff/d/g; : > .handoff/d/new\n"
	if err := os.WriteFile(filepath.Join(b.bin, "handoff"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	b.shell(t, "mkdir -p .handoff/d; echo f > .handoff/d/f; echo g > .handoff/d/g")
	b.save(t, 0)
	seen := map[plant]bool{}
	for _, p := range b.plants(0, b.trace(t, 0, linkStep{args: []string{"x"}})) {
		changed, _ := b.plant(t, p, linkStep{args: []string{"x"}})
		seen[p] = changed != ""
	}
	want := map[plant]bool{}
	for name, kinds := range map[string][]linked{
		"": {toFolder}, "/d": {toFolder}, "/d/f": {toFile, toMissing}, "/d/g": {toFile}, "/d/new": {toFile, toMissing},
	} {
		for _, to := range kinds {
			want[plant{0, "tree/.handoff" + name, to}] = true
		}
	}
	for p := range want {
		if !seen[p] {
			t.Errorf("%s at %s was not seen: %v", p.to, p.path, seen)
		}
	}
}

// everything describes the files of a folder: mode, modification time, number
// of links, and content.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := e.Info()
		if err != nil {
			return err
		}
		var content []byte
		switch {
		case st.Mode().IsRegular():
			if content, err = os.ReadFile(path); err != nil {
				return err
			}
		case st.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			if err != nil {
				return err
			}
			content = []byte(to)
		}
		all[path] = fmt.Sprintf("%s %s %d %q", st.Mode(), st.ModTime(), names(st), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func differences(before, after map[string]string) (changes []string) {
	for path, was := range before {
		if is, ok := after[path]; !ok {
			changes = append(changes, path+" is gone")
		} else if is != was {
			changes = append(changes, fmt.Sprintf("%s was %s and is %s", path, was, is))
		}
	}
	for path, is := range after {
		if _, ok := before[path]; !ok {
			changes = append(changes, fmt.Sprintf("%s is new: %s", path, is))
		}
	}
	sort.Strings(changes)
	return changes
}
