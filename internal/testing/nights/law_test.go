//go:build linux

package nights

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// law is what must hold in the morning.
func (n *night) law() {
	t := n.t
	if s := n.summary(); s.State != "ended" || s.Reason != "done" {
		t.Errorf("the relay is %s: %s: %s", s.State, s.Reason, s.Why)
	}
	if out, err := n.command("sh", "test.sh").CombinedOutput(); err != nil {
		t.Errorf("the tests fail: %s", out)
	}
	if out, err := n.command("handoff", "next").CombinedOutput(); err == nil || !strings.Contains(string(out), "no handoff waits") {
		t.Errorf("next: %s (%v)", out, err)
	}
	if list, _ := filepath.Glob(filepath.Join(n.dir, ".handoff/relays/*.asks")); len(list) > 0 {
		t.Errorf("a question is open: %s", list)
	}
	n.tree()
	n.effects()
	for _, line := range lines(filepath.Join(n.night, "wrong")) {
		t.Errorf("%s", strings.TrimSpace(line))
	}
}

// tree compares the files with those that the work and the user make, by their hash: all of the work is
// committed, and nothing of the user's is, and no line is lost or there twice.
func (n *night) tree() {
	squares := ""
	for i := range n.plan.Steps {
		squares += fmt.Sprintf("%d %d\n", i+1, (i+1)*(i+1))
	}
	n.t.Helper()
	for name, want := range map[string]string{"src/squares.txt": squares, "README.md": "# Squares\n\nof mine\n", "notes/mine.txt": "mine\n"} {
		if src, err := os.ReadFile(filepath.Join(n.dir, name)); err != nil || string(src) != want {
			n.t.Errorf("%s is %q, want %q (%v)", name, src, want, err)
		}
	}
	hash := func(index string) string {
		return n.must("sh", "-c", "export GIT_INDEX_FILE="+index+"; rm -f $GIT_INDEX_FILE; git read-tree HEAD && git add -A -- . ':!specs' ':!.handoff' && git write-tree")
	}
	got := hash(filepath.Join(n.night, "index"))
	want := n.must("sh", "-c", "export GIT_INDEX_FILE="+filepath.Join(n.night, "want")+"; rm -f $GIT_INDEX_FILE; git read-tree $(git rev-list --max-parents=0 HEAD) && "+
		"add() { git update-index --add --cacheinfo 100644,$(printf \"$2\" | git hash-object -w --stdin),\"$1\"; } && "+
		"add src/squares.txt '"+strings.ReplaceAll(squares, "\n", "\\n")+"' && add README.md '# Squares\\n\\nof mine\\n' && add notes/mine.txt 'mine\\n' && git write-tree")
	if got != want {
		n.t.Errorf("the tree is %s, want %s", got, want)
	}
	if out := n.must("git", "status", "--porcelain", "--untracked-files=all", "--", ".", ":!specs", ":!.handoff"); out != " M README.md\n?? notes/mine.txt\n" {
		n.t.Errorf("not committed:\n%s", out)
	}
}

// effects checks that each step was done once.
func (n *night) effects() {
	times := map[string]int{}
	for _, line := range lines(filepath.Join(n.night, "effects")) {
		times[strings.TrimSpace(line)]++
	}
	for step := range n.plan.Steps {
		if k := times[fmt.Sprint(step+1)]; k > 1 {
			n.t.Errorf("step %d was done %d times", step+1, k)
		}
	}
}

// report prints the night if something was wrong, and what it was in one line.
func (n *night) report() {
	seen := map[string]int{}
	for _, line := range lines(filepath.Join(n.night, "agents")) {
		for _, what := range []string{" turn ", " mishap ", " reset "} {
			if strings.Contains(line, what) {
				seen[strings.TrimSpace(what)]++
			}
		}
	}
	n.t.Logf("night: %d turns, %d mishaps, %d resets of the tree, %d kills, %d answers, %.0f s", seen["turn"], seen["mishap"], seen["reset"], n.ended, n.asked, n.took.Seconds())
	if !n.t.Failed() {
		return
	}
	agents, _ := os.ReadFile(filepath.Join(n.night, "agents"))
	n.t.Logf("%s\nthe agents:\n%s\nthe relay:\n%s\nHANDOFF_NIGHT_FROM=%d HANDOFF_NIGHT=1 go test ./internal/testing/nights -run TestNight -v repeats it", n.plan, agents, n.said.String(), n.plan.Seed)
}
