package workspace_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/log/artifact"
	"handoff/workspace"
)

// TestStateIgnoreKept keeps a list that the user has changed.
func TestStateIgnoreKept(t *testing.T) {
	w := open(t)
	path := filepath.Join(w.Root, workspace.StateDir, ".gitignore")
	if _, err := w.CreateStateDir(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.CreateStateDir(); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "*\n" {
		t.Errorf("%q", got)
	}
}

// outputs are files of agents' outputs, and files that git gets in any case.
var outputs = map[string][]string{
	"threads": {".handoff/threads/t.jsonl", ".handoff/threads.jsonl", ".handoff/sessions/r.jsonl", ".handoff/sessions.jsonl", ".handoff/tasks/t.jsonl", artifact.Blobs + "/" + strings.Repeat("a", 64)},
	"tapes":   {".handoff/tape/main.jsonl", ".handoff/tape/archived/old.jsonl", ".handoff/envelopes.jsonl", ".handoff/session_graph.jsonl"},
	"":        {".handoff/templates/handoff.md.tmpl", ".handoff/agents/mine.yaml"},
}

// TestOutputsArePrivate asks git what `git add -A` would take: outputs of agents only if the
// configuration shares them or git has some already, and nothing of running processes.
func TestOutputsArePrivate(t *testing.T) {
	needs.Tool(t, "git")
	for name, c := range map[string]struct {
		share   string   // the configuration
		before  string   // the .gitignore that there is
		tracked []string // what git has
		want    []string // groups that git sees
	}{
		"new":                {want: []string{""}},
		"shared":             {share: "share: [threads, tapes]\n", want: []string{"", "threads", "tapes"}},
		"tapes":              {share: "share: [tapes]\n", want: []string{"", "tapes"}},
		"an older list":      {before: "# created by handoff: files that only running processes need\n/.gitignore\n/lock\n/runs/\n*.idx/\n", want: []string{""}},
		"a changed list":     {before: "# created by handoff: files that only running processes need\n/.gitignore\n/mine\n", want: []string{"", "threads", "tapes"}},
		"threads are in git": {tracked: []string{".handoff/threads/old.jsonl"}, want: []string{"", "threads"}},
		"tapes are in git":   {before: "# created by handoff: files that only running processes need\n/.gitignore\n/lock\n", tracked: []string{".handoff/tape/old.jsonl"}, want: []string{"", "tapes"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			git := func(args ...string) string {
				t.Helper()
				out, err := exec.Command("git", append([]string{"-C", root, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...).CombinedOutput()
				if err != nil {
					t.Fatalf("git %v: %v, %s", args, err, out)
				}
				return string(out)
			}
			git("init", "-q")
			for _, name := range c.tracked {
				treetest.Write(t, root, name, "x")
			}
			git("add", "-A")
			git("commit", "-qm", "x", "--allow-empty")
			if c.before != "" {
				treetest.Write(t, root, ".handoff/.gitignore", c.before)
			}
			treetest.Write(t, root, ".handoff.yaml", c.share)
			w, err := workspace.Open(root, workspace.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
			if _, _, _, err := w.PutArtifact(strings.NewReader("x"), artifact.ID{}); err != nil {
				t.Fatal(err)
			}
			var want []string
			for group, files := range outputs {
				for _, name := range files {
					treetest.Write(t, root, name, "x")
					if slices.Contains(c.want, group) {
						want = append(want, name)
					}
				}
			}
			if slices.Contains(c.want, "threads") && name != "a changed list" {
				want = append(want, artifact.Blobs+"/"+artifact.Sum([]byte("x")).String())
			} else {
				want = slices.DeleteFunc(want, func(name string) bool { return strings.HasPrefix(name, artifact.Blobs) }) // .rip has its own list
			}
			for _, name := range []string{".handoff/runs/r.json", ".handoff/threads/t.jsonl.idx/head", ".handoff/tape/main.jsonl.lock", ".handoff/tape/receive.lock",
				".handoff/outbox/1.json", ".handoff/gauge.json", ".handoff/gauge.json.lock", ".handoff/hook-errors.json", ".handoff/settings/x", ".handoff/settings-changed.json"} {
				if !strings.Contains(c.before, "/mine") {
					treetest.Write(t, root, name, "x")
				}
			}
			if _, err := w.CreateStateDir(); err != nil {
				t.Fatal(err)
			}
			workspace.CreateStateDir(root) // knows no configuration
			got := strings.Fields(strings.ReplaceAll(git("status", "--porcelain", "-uall", "--", ".handoff", ".rip"), "?? ", ""))
			if slices.Sort(want); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("git sees\n%q, want\n%q", got, want)
			}
		})
	}
}

// TestShareChanges: the lists follow the configuration, in both directions.
func TestShareChanges(t *testing.T) {
	root := t.TempDir()
	at := func(share string) (hidden string) {
		t.Helper()
		treetest.Write(t, root, ".handoff.yaml", share)
		w, err := workspace.Open(root, workspace.Options{})
		if err == nil {
			_, _, _, err = w.PutArtifact(strings.NewReader("x"), artifact.ID{})
		}
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		state, _ := os.ReadFile(filepath.Join(root, ".handoff/.gitignore"))
		rip, _ := os.ReadFile(filepath.Join(root, ".rip/.gitignore"))
		for _, line := range []string{"/threads/", "/tape/", "/relays/"} {
			if strings.Contains(string(state), "\n"+line+"\n") {
				hidden += line
			}
		}
		if string(rip) == artifact.Ignore {
			hidden += ".rip"
		}
		return hidden
	}
	for _, c := range [][2]string{{"", "/threads//tape//relays/.rip"}, {"share: [threads]\n", "/tape//relays/"}, {"share: [tapes]\n", "/threads//relays/.rip"}, {"share: [threads, tapes]\n", "/relays/"}, {"", "/threads//tape//relays/.rip"}} {
		if got := at(c[0]); got != c[1] {
			t.Errorf("%q hides %s, want %s", c[0], got, c[1])
		}
	}
}

// TestScratchIgnored asks git which files it sees in a clone whose .handoff/.gitignore is
// older than the scratch folder, after a write.
func TestScratchIgnored(t *testing.T) {
	needs.Tool(t, "git")
	w := open(t)
	treetest.Write(t, w.Root, workspace.StateDir+"/.gitignore", "/.gitignore\n")
	if _, _, _, err := w.PutArtifact(strings.NewReader("x"), artifact.ID{}); err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, w.Root, workspace.ScratchDir+"/.handoff-swap-1", "x")
	if out, err := exec.Command("git", "-C", w.Root, "init", "-q").CombinedOutput(); err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := exec.Command("git", "-C", w.Root, "status", "--porcelain", "-uall", "--", workspace.StateDir).Output()
	if err != nil || len(out) > 0 {
		t.Errorf("git sees, %v:\n%s", err, out)
	}
}
