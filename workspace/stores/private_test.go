package stores_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/workspace/config"
	"handoff/workspace/stores"
)

// list is the .gitignore of a folder; "" if there is none.
func list(t *testing.T, root, dir string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, dir, ".gitignore"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(src)
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
	return string(out)
}

func update(t *testing.T, root string, wants *config.Share) {
	t.Helper()
	if err := (&stores.Private{Root: root, State: ".handoff"}).Update(wants); err != nil {
		t.Fatal(err)
	}
}

func has(text string, lines ...string) bool {
	for _, l := range lines {
		if !strings.Contains("\n"+text, "\n"+l+"\n") {
			return false
		}
	}
	return true
}

// TestUpdate: what git gets of our own folder is what the configuration shares, and the list follows it.
func TestUpdate(t *testing.T) {
	root := t.TempDir()
	update(t, root, nil)
	nothing := list(t, root, ".handoff")
	if !has(nothing, "/runs/", "/threads/", "/tape/", "/.gitignore") || !stores.IsOwnIgnore(nothing) {
		t.Fatalf("without a configuration git gets nothing:\n%s", nothing)
	}
	for _, c := range []struct {
		share          config.Share
		threads, tapes bool
	}{
		{config.Share{Threads: true}, false, true},
		{config.Share{Tapes: true}, true, false},
		{config.Share{Threads: true, Tapes: true}, false, false},
		{config.Share{}, true, true},
	} {
		update(t, root, &c.share)
		got := list(t, root, ".handoff")
		if has(got, "/threads/") != c.threads || has(got, "/tape/") != c.tapes || !has(got, "/runs/") || !stores.IsOwnIgnore(got) {
			t.Errorf("%+v:\n%s", c.share, got)
		}
		if update(t, root, nil); list(t, root, ".handoff") != got {
			t.Errorf("%+v: without a known configuration the list is kept", c.share)
		}
	}
	if got := list(t, root, ".handoff"); got != nothing {
		t.Errorf("%s\nwant what an empty configuration has\n%s", got, nothing)
	}
}

// TestOwnList: a list of the user is his, an older one of ours is not.
func TestOwnList(t *testing.T) {
	root := t.TempDir()
	update(t, root, nil)
	ours := list(t, root, ".handoff")
	for name, c := range map[string]struct {
		text string
		ours bool
	}{
		"fewer lines":      {strings.Replace(ours, "/runs/\n", "", 1), true},
		"a line more":      {ours + "notes/\n", false},
		"a line of a user": {"notes/\n", false},
		"another head":     {strings.Replace(ours, "# created", "# made", 1), false},
		"empty":            {"", false},
	} {
		write(t, root, ".handoff/.gitignore", c.text)
		if stores.IsOwnIgnore(c.text) != c.ours {
			t.Errorf("%s: ours is %t", name, !c.ours)
		}
		if update(t, root, &config.Share{}); (list(t, root, ".handoff") == ours) != c.ours || !c.ours && list(t, root, ".handoff") != c.text {
			t.Errorf("%s: becomes\n%s", name, list(t, root, ".handoff"))
		}
	}
}

// TestLinkedList: nothing is written through a symlink.
func TestLinkedList(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "x")
	write(t, root, ".handoff/keep", "")
	needs.Symlink(t, outside, filepath.Join(root, ".handoff", ".gitignore"))
	update(t, root, &config.Share{})
	if _, err := os.Lstat(outside); !os.IsNotExist(err) {
		t.Errorf("%v: the list was written through a link", err)
	}
}

// TestArtifacts: artifacts repeat outputs, so git gets them with the threads alone.
func TestArtifacts(t *testing.T) {
	rip := strings.SplitN(artifact.Blobs, "/", 2)[0]
	root := t.TempDir()
	if update(t, root, &config.Share{}); list(t, root, rip) != "" {
		t.Error("a folder of artifacts is listed that does not exist")
	}
	if update(t, root, &config.Share{Threads: true}); list(t, root, rip) != "" {
		t.Error("shared artifacts are ignored")
	}
	if _, err := os.Stat(filepath.Join(root, rip)); err != nil {
		t.Errorf("%v: the artifact store would exclude a folder that it creates", err)
	}
	if update(t, root, &config.Share{}); list(t, root, rip) != artifact.Ignore {
		t.Errorf("%q: git gets artifacts that are not shared", list(t, root, rip))
	}
	if update(t, root, &config.Share{Threads: true}); list(t, root, rip) != "" {
		t.Error("shared artifacts stay ignored")
	}
	write(t, root, rip+"/.gitignore", "mine\n")
	for _, share := range []config.Share{{}, {Threads: true}, {}} {
		if update(t, root, &share); list(t, root, rip) != "mine\n" {
			t.Errorf("%+v: the user's list became %q", share, list(t, root, rip))
		}
	}
}

// TestTracked: what git has already stays shared, also for a workspace below the top.
func TestTracked(t *testing.T) {
	needs.Tool(t, "git")
	for _, below := range []string{"", "app/"} {
		top := t.TempDir()
		git(t, top, "init", "-q")
		root := filepath.Join(top, filepath.FromSlash(below))
		tree := &stores.Private{Root: root, State: ".handoff"}
		for _, name := range []string{".handoff/threads/a.jsonl", ".handoff/tape/a.jsonl", ".handoff/relays/r.jsonl", ".handoff/watch.json", ".handoff/.gitignore", ".handoff/agents/x.yaml", ".handoff/of-a-later-version",
			artifact.Blobs + "/c0f3", "specs/1_a/x.md"} {
			write(t, root, name, "x")
		}
		if got := tree.Tracked(t.Context()); got.Threads != nil || got.Tapes != nil || got.Private != nil {
			t.Errorf("%q: %+v before anything is added", below, got)
		}
		git(t, top, "add", "-f", ".")
		got := tree.Tracked(t.Context())
		for what, c := range map[string]struct {
			got  []string
			want string
		}{
			"threads": {got.Threads, below + ".handoff/threads/a.jsonl " + below + artifact.Blobs + "/c0f3"},
			"tapes":   {got.Tapes, below + ".handoff/tape/a.jsonl"},
			"private": {got.Private, below + ".handoff/relays/r.jsonl"},
		} {
			if strings.Join(c.got, " ") != c.want {
				t.Errorf("%q: %s are %q, want %q", below, what, c.got, c.want)
			}
		}
		git(t, top, "rm", "-q", "--cached", below+".handoff/tape/a.jsonl", below+".handoff/.gitignore")
		if err := os.Remove(filepath.Join(root, ".handoff", ".gitignore")); err != nil {
			t.Fatal(err)
		}
		if update(t, root, &config.Share{}); has(list(t, root, ".handoff"), "/threads/") || !has(list(t, root, ".handoff"), "/tape/") {
			t.Errorf("%q: new threads of a team that commits them are hidden:\n%s", below, list(t, root, ".handoff"))
		}
	}
}
