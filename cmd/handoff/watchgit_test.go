package main

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// team adds the commits of a team that has no daemon, and tracks metadata: a branch topic
// with six, and one on main. No metadata has a link.
func (h *hooked) team() {
	h.Helper()
	mate := &hooked{T: h.T, gitRepository: &gitRepository{dir: h.dir, tree: filepath.Join(h.dir, "mate"), env: h.env}, text: h.text, last: h.last}
	h.git("clone", "-q", h.tree, mate.tree)
	task := func(name string) {
		doc := mate.write(name)
		mate.put("specs/"+name+"/.return-meta.json", `{"status": "partial", "partial_progress": {"details": "`+doc+`"}, "artifacts": []}`+"\n")
		mate.git("add", "-A")
		mate.git("commit", "-q", "-m", name)
	}
	task("2_main")
	mate.git("checkout", "-q", "-b", "topic")
	for i := range 6 {
		task(strconv.Itoa(3+i/2) + "_topic")
	}
	mate.git("checkout", "-q", "main")
	task("2_main")
	h.git("remote", "add", "mate", mate.tree)
	h.git("fetch", "-q", "mate")
	h.last = mate.last // what is written later has other names
}

var noHooks = hookKind{name: "none", install: func(*testing.T, *gitRepository, hookSource) {}}

// gitSteps are what a user does while the watch runs, each in a clean checkout of topic.
var gitSteps = map[string][]string{
	"rebase -x":   {"rebase -q -x sleep_0.2 mate/main"},
	"rebase":      {"rebase -q mate/main"},
	"bisect":      {"bisect start topic first", "bisect run sh ../side/bisect", "bisect reset"},
	"checkout":    {"checkout -q main", "checkout -q topic", "checkout -q main", "checkout -q topic", "checkout -q --detach topic~3", "checkout -q topic"},
	"pull":        {"checkout -q main", "pull -q mate main", "checkout -q topic", "pull -q --no-rebase --no-edit mate main", "pull -q --rebase mate main"},
	"reset":       {"reset -q --hard topic~3", "reset -q --hard mate/topic"},
	"cherry-pick": {"checkout -q -B other mate/main", "cherry-pick topic~5 topic~4", "revert --no-edit HEAD"},
	"am":          {"checkout -q -B other mate/main", "format-patch -q -o ../side/patches mate/main..topic", "am -q ../side/patches"},
	"merge":       {"merge -q --no-edit mate/main", "reset -q --hard HEAD^", "checkout -q main", "merge -q --ff-only mate/main"},
	"worktree":    {"worktree add -q ../other main", "worktree remove ../other"},
	"switch away": {"checkout -q main", "branch -q -D topic", "checkout -q --track mate/topic"},
}

// TestGitAndWatch runs git's long commands while the watch runs: none fails, and the tree is
// clean after it and stays so.
func TestGitAndWatch(t *testing.T) {
	needs.Tool(t, "git")
	needs.Unix(t, "the scripts need a shell")
	t.Parallel()
	for name, steps := range gitSteps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHooked(t, noHooks, hookSource{})
			h.git("tag", "first")
			h.put("../side/bisect", "sleep 0.1; test ! -e specs/4_topic\n")
			h.team()
			h.git("checkout", "-q", "-b", "topic", "mate/topic")
			for _, step := range steps {
				args := strings.Fields(step)
				for i := range args {
					args[i] = strings.ReplaceAll(args[i], "_0", " 0")
				}
				h.runs(true, "", args...)
			}
			time.Sleep(1500 * time.Millisecond) // the watch has time to write
			h.settle()
			if got := h.git("status", "--porcelain", "-uno"); got != "" {
				h.Errorf("changed:\n%s%s", got, h.git("diff"))
			}
		})
	}
}
