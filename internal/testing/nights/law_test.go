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
	if s := n.summary(); s.State != "ended" || s.Reason != "done" {
		n.errorf("the relay is %s: %s: %s", s.State, s.Reason, s.Why)
	}
	if out, err := n.command("sh", "test.sh").CombinedOutput(); err != nil {
		n.errorf("the tests fail: %s", out)
	}
	if out, err := n.command("handoff", "next").CombinedOutput(); err == nil || !strings.Contains(string(out), "no handoff waits") {
		n.errorf("next: %s (%v)", out, err)
	}
	if list, _ := filepath.Glob(filepath.Join(n.dir, ".handoff/relays/*.asks")); len(list) > 0 {
		n.errorf("a question is open: %s", list)
	}
	n.tree()
	n.effects()
	for _, line := range lines(filepath.Join(n.night, "wrong")) {
		n.errorf("%s", strings.TrimSpace(line))
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
			n.errorf("%s is %q, want %q (%v)", name, src, want, err)
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
		n.errorf("the tree is %s, want %s", got, want)
	}
	if out := n.must("git", "status", "--porcelain", "--untracked-files=all", "--", ".", ":!specs", ":!.handoff"); out != " M README.md\n?? notes/mine.txt\n" {
		n.errorf("not committed:\n%s", out)
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
			n.errorf("step %d was done %d times", step+1, k)
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
	n.t.Logf("%s\nthe agents:\n%s\nthe relay:\n%s\nits journal:\n%s\nthe repository:\n%s\nwhat is wrong:\n%s\nHANDOFF_NIGHT_FROM=%d HANDOFF_NIGHT=1 go test ./internal/testing/nights -run TestNight -v repeats it", n.plan, agents, n.said.String(), n.facts(), n.left(), strings.Join(n.failed, "\n"), n.plan.Seed)
}

// errorf reports what is wrong. The report repeats it at its end, because a long log is read and kept from there.
func (n *night) errorf(format string, args ...any) {
	n.t.Helper()
	n.failed = append(n.failed, fmt.Sprintf(format, args...))
	n.t.Errorf(format, args...)
}

// fatalf is errorf, and ends the night.
func (n *night) fatalf(format string, args ...any) {
	n.t.Helper()
	n.errorf(format, args...)
	n.t.FailNow()
}

// facts are the journals of the relays.
func (n *night) facts() string {
	var all strings.Builder
	list, _ := filepath.Glob(filepath.Join(n.dir, ".handoff/relays/*.jsonl"))
	for _, path := range list {
		src, _ := os.ReadFile(path)
		all.Write(src)
	}
	return all.String()
}

// left is what the night has left: commits, changes, the tasks and the receipts.
func (n *night) left() string {
	var all strings.Builder
	for _, args := range [][]string{{"git", "log", "--oneline", "-20"}, {"git", "status", "--short"}, {"git", "for-each-ref", "refs/handoff"}, {"handoff", "ls"}, {"handoff", "next"}, {"sh", "-c", "cat .git/handoff/receipts/*.jsonl"}, {"ps", "-eo", "pid,ppid,pgid,etimes,stat,args", "--sort", "-etimes"}} {
		out, _ := n.command(args[0], args[1:]...).CombinedOutput()
		text := string(out)
		if args[0] == "ps" { // of this night only
			text = ""
			for line := range strings.Lines(string(out)) {
				if strings.Contains(line, n.dir) || strings.Contains(line, n.night) || strings.Contains(line, bin) {
					text += line
				}
			}
		}
		fmt.Fprintf(&all, "$ %s\n%s", strings.Join(args, " "), text)
	}
	return all.String()
}
