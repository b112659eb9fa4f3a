package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// inTree are writers that have written the content and not given it its name yet.
// Each returns what does that.
var inTree = map[string]func(root nofollow.Root, path string) (finish func() error, err error){
	"Begin": func(root nofollow.Root, path string) (func() error, error) {
		p, err := Begin(root, path, 0o644)
		return p.commit(err, (*Pending).Commit)
	},
	"BeginNew": func(root nofollow.Root, path string) (func() error, error) {
		p, err := BeginNew(root, path+".new", 0o644)
		return p.commit(err, (*Pending).CommitNew)
	},
	"BeginSwap": func(root nofollow.Root, path string) (func() error, error) {
		s, err := BeginSwap(root, path, []byte("old"), []byte("new"), 0o644)
		return func() error { return s.Commit() }, err
	},
	"BeginSwap of nothing": func(root nofollow.Root, path string) (func() error, error) {
		s, err := BeginSwap(root, path+".new", nil, []byte("new"), 0o644)
		return func() error { return s.Commit() }, err
	},
}

func (p *Pending) commit(err error, commit func(*Pending) error) (func() error, error) {
	if err == nil {
		_, err = p.Write([]byte("new"))
	}
	return func() error { return commit(p) }, err
}

// TestScratch looks at the folder of a file while each writer writes it.
func TestScratch(t *testing.T) {
	for name, write := range inTree {
		x := killFile(t, true)
		finish, err := write(x.root, x.path)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		onlyFile(t, filepath.Dir(x.path), "f")
		if all := names(t, scratchPath(x.root)); len(all) != 2 || all[0] != ".gitignore" || !IsTemp(all[1]) {
			t.Errorf("%s: the scratch folder holds %q", name, all)
		}
		if err := finish(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := text(t, x.path) + text(t, x.path+".new"); got != "new" && got != "oldnew" {
			t.Errorf("%s: %q", name, got)
		}
		onlyFile(t, scratchPath(x.root), ".gitignore")
	}
}

// TestScratchOfStreams does so with the writers in open folders.
func TestScratchOfStreams(t *testing.T) {
	x := killFile(t, true)
	dir := open(t, filepath.Dir(x.path))
	err := StreamIn(x.root, dir, 0o644, func(w io.Writer) (string, error) {
		onlyFile(t, filepath.Dir(x.path), "f")
		if all := names(t, scratchPath(x.root)); len(all) != 2 {
			t.Errorf("the scratch folder holds %q", all)
		}
		_, err := io.WriteString(w, "new")
		return "f", err
	})
	if err := errors.Join(err, PlaceIn(x.root, dir, "f", []byte("newer"), 0o644)); err != nil || text(t, x.path) != "newer" {
		t.Errorf("%v", err)
	}
	x.onlyFile(t)
}

// TestScratchOfNamed: a file that the user named uses the scratch folder beside it, and
// a symlink there does not matter.
func TestScratchOfNamed(t *testing.T) {
	x := killFile(t, true)
	path := filepath.Join(string(x.root), "report")
	if err := Write(nofollow.Named, path, []byte("new"), 0o644); err != nil || text(t, path) != "new" {
		t.Error(err)
	}
	onlyFile(t, scratchPath(x.root), ".gitignore")
	if err := os.RemoveAll(filepath.Join(string(x.root), scratchIn)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, t.TempDir(), filepath.Join(string(x.root), scratchIn))
	if err := Write(nofollow.Named, path, []byte("newer"), 0o644); err != nil || text(t, path) != "newer" {
		t.Error(err)
	}
	if all := names(t, string(x.root)); !slices.Equal(all, []string{scratchIn, "dir", "report"}) {
		t.Errorf("left behind: %q", all)
	}
}

// TestScratchIgnored: git ignores the folder by a file of its own, which is written
// again if a killed process left it empty, and kept if it has other content.
func TestScratchIgnored(t *testing.T) {
	x := killFile(t, true)
	ignore := filepath.Join(scratchPath(x.root), ".gitignore")
	for _, c := range []struct{ before, want string }{{"", "*\n"}, {"*\n", "*\n"}, {"/*\n", "/*\n"}} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(ignore), 0o755), os.WriteFile(ignore, []byte(c.before), 0o644)); err != nil {
			t.Fatal(err)
		}
		if err := Write(x.root, x.path, []byte("new"), 0o644); err != nil || text(t, ignore) != c.want {
			t.Errorf("%q became %q, %v", c.before, text(t, ignore), err)
		}
	}
}

// TestScratchLink replaces the scratch folder, and the folder above it, by a symlink.
func TestScratchLink(t *testing.T) {
	for _, name := range []string{scratchIn, Scratch} {
		for writer, write := range inTree {
			x, outside := killFile(t, true), t.TempDir()
			link := filepath.Join(string(x.root), filepath.FromSlash(name))
			if err := os.RemoveAll(link); err != nil {
				t.Fatal(err)
			}
			needs.Symlink(t, outside, link)
			if _, err := write(x.root, x.path); !errors.As(err, new(*nofollow.LinkError)) {
				t.Errorf("%s, %s is a link: %v", writer, name, err)
			}
			SweepScratch(x.root)
			if all := names(t, outside); len(all) > 0 {
				t.Errorf("%s followed the link at %s: %q", writer, name, all)
			}
			onlyFile(t, filepath.Dir(x.path), "f")
		}
	}
	x := killFile(t, true)
	victim := filepath.Join(t.TempDir(), "victim")
	if err := errors.Join(os.WriteFile(victim, nil, 0o644), os.Mkdir(scratchPath(x.root), 0o755)); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, victim, filepath.Join(scratchPath(x.root), ".gitignore"))
	if err := Write(x.root, x.path, []byte("new"), 0o644); err != nil || text(t, victim) != "" {
		t.Errorf("%q, %v", text(t, victim), err)
	}
}

// TestScratchUnusable: without a usable scratch folder the file is written all the same.
func TestScratchUnusable(t *testing.T) {
	needs.NotRoot(t, func() {
		for name, spoil := range map[string]func(tmp string) error{
			"missing":              func(tmp string) error { return os.Remove(filepath.Dir(tmp)) },
			"a file":               func(tmp string) error { return os.WriteFile(tmp, nil, 0o644) },
			"read-only":            func(tmp string) error { return errors.Join(os.Mkdir(tmp, 0o755), os.Chmod(tmp, 0o555)) },
			"in a read-only place": func(tmp string) error { return os.Chmod(filepath.Dir(tmp), 0o555) },
		} {
			for writer, write := range inTree {
				x := killFile(t, true)
				if err := spoil(scratchPath(x.root)); err != nil {
					t.Fatal(err)
				}
				finish, err := write(x.root, x.path)
				if err == nil {
					err = finish()
				}
				if got := text(t, x.path) + text(t, x.path+".new"); err != nil || got != "new" && got != "oldnew" {
					t.Errorf("%s, the scratch folder is %s: %q, %v", writer, name, got, err)
				}
				if all := names(t, filepath.Dir(x.path)); slices.ContainsFunc(all, IsTemp) || slices.ContainsFunc(all, IsHeld) {
					t.Errorf("%s, the scratch folder is %s: left behind: %q", writer, name, all)
				}
				os.Chmod(filepath.Dir(scratchPath(x.root)), 0o755) // so that it can be removed
			}
		}
	})
}

// TestScratchElsewhere has the scratch folder on another file system.
func TestScratchElsewhere(t *testing.T) {
	needs.Linux(t, "/dev/shm is a file system of its own on Linux")
	elsewhere, err := os.MkdirTemp("/dev/shm", "handoff")
	if err != nil {
		needs.Missing(t, "another file system", err.Error())
	}
	defer os.RemoveAll(elsewhere)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if os.Rename(filepath.Join(elsewhere, "f"), filepath.Join(dir, "f")) == nil {
		needs.Missing(t, "another file system", "/dev/shm and the folder for temporary files are the same one")
	}
	if err := os.Remove(filepath.Join(elsewhere, "f")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "f")
	start := func(base string, like fileMode) *Pending {
		p := &Pending{dir: open(t, dir), at: open(t, elsewhere), borrowed: true, name: tempName(), base: base, path: filepath.Join(dir, base), mode: like}
		if err := p.create(); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Write([]byte("new")); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for name, write := range map[string]func() error{
		"Commit":    func() error { return start("f", fileMode{0o640, true}).Commit() },
		"CommitNew": func() error { os.Remove(path); return start("f", fileMode{0o640, false}).CommitNew() },
		"Swap": func() error {
			s := &Swapping{pending: start("f", fileMode{0o640, true}), below: "f", old: []byte("old"), data: []byte("new")}
			return errors.Join(s.pending.flush(), s.Commit())
		},
	} {
		if err := os.WriteFile(path, []byte("old"), 0o640); err != nil {
			t.Fatal(err)
		}
		err := write()
		if st, statErr := os.Stat(path); err != nil || statErr != nil || text(t, path) != "new" || st.Mode() != 0o640 {
			t.Errorf("%s: %v, %v, %q", name, err, st, text(t, path))
		}
		onlyFile(t, dir, "f")
		if all := names(t, elsewhere); len(all) != 0 {
			t.Errorf("%s left behind %q", name, all)
		}
	}
	if err := start("f", fileMode{0o640, false}).CommitNew(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the name is taken: %v", err)
	}
	onlyFile(t, dir, "f")
}

// TestSwapLongPath swaps files whose path is too long for a name in the scratch folder,
// also if the process is killed: then the other file is beside the file.
func TestSwapLongPath(t *testing.T) {
	needExchange(t)
	for i, die := range slices.Concat(backSteps, []string{""}) {
		x := killFile(t, true)
		deep := filepath.Join(string(x.root), strings.Repeat("d", 120), strings.Repeat("e", 120))
		if err := errors.Join(os.MkdirAll(deep, 0o755), os.Rename(x.path, filepath.Join(deep, "f"))); err != nil {
			t.Fatal(err)
		}
		x.path = filepath.Join(deep, "f")
		killPlan{Root: x.root, Path: x.path, Agent: map[string]string{"exchange": theirs}, Die: die}.run(t)
		got, want := x.recovered(t), theirs
		if i < slices.Index(backSteps, "exchange") {
			want = "old"
		}
		if !maps.Equal(got, map[string]string{"f": want}) {
			t.Errorf("killed before %q: %q", die, got)
		}
	}
}

// TestSweepScratch: temporary files of dead processes are removed from the scratch
// folder, those of living ones and its .gitignore stay.
func TestSweepScratch(t *testing.T) {
	needs.Unix(t, "processes cannot be asked for on Windows")
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	x := killFile(t, true)
	if err := Write(x.root, x.path, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	living := tempName()
	for _, name := range []string{TempPrefix + machine() + "-" + strconv.Itoa(cmd.Process.Pid) + "-x", living} {
		if err := os.WriteFile(filepath.Join(scratchPath(x.root), name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if left := SweepScratch(x.root); len(left) != 0 {
		t.Errorf("unfinished: %q", left)
	}
	if all := names(t, scratchPath(x.root)); !slices.Equal(all, []string{".gitignore", living}) {
		t.Errorf("the scratch folder holds %q", all)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// text is the content of a file, "" if there is none.
func text(t *testing.T, path string) string {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(src)
}
