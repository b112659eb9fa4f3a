package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// gitWriter is a script that writes in a repository, again and again.
type gitWriter struct {
	name  string
	begin string // runs once
	round string // $n is the number of the round; ../side is a folder on the same file system
	watch bool   // `handoff watch` runs meanwhile
	fresh bool   // the folder .handoff is away at the beginning of each round, as in a new clone
}

// gitTask is a task with a handoff. What an agent writes is renamed into place, because
// git fails if a file is truncated while it reads it.
const gitTask = `
	mkdir -p specs/1_first/handoffs specs/1_first/progress
	cp ../side/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
	cp ../side/progress.json specs/1_first/progress/phase-1-progress.json`

const gitMetadata = `
	echo "{\"status\": \"in_progress\", \"round\": $n, \"artifacts\": []}" > ../side/m; mv ../side/m specs/1_first/.return-meta.json`

var gitWriters = []gitWriter{
	{name: "new", round: `handoff new --task $n --slug task_$n --phase 1 --from values.yaml`, fresh: true},
	{name: "new in old tasks", round: `handoff new --task $((n / 20 + 1)) --slug $((n / 20)) --phase 1 --from values.yaml`},
	{name: "new of a preset", begin: `printf 'documents:\n  - preset: single\n' > .handoff.yaml`, round: `handoff new --from values.yaml $([ $n = 1 ] || echo --replace HANDOFF.md)`},
	{name: "sync", begin: gitTask, round: gitMetadata + `; handoff sync || [ $? = 1 ]`},
	{name: "verify --fix", begin: gitTask, round: gitMetadata + `; handoff verify --fix || [ $? = 1 ]`},
	{name: "watch", watch: true, round: `
		mkdir -p specs/${n}_a/handoffs; sed "s/first failure/failure $n/" ../side/doc.md > ../side/d; mv ../side/d specs/${n}_a/handoffs/phase-1-handoff-20260212T143022Z.md
		until grep -q handoff_path specs/${n}_a/.return-meta.json 2> ../side/not; do sleep 0.01; done`},
	{name: "lint --fix", begin: gitTask, fresh: true, round: `
		cp ../side/fixable.md ../side/d; mv ../side/d specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		handoff lint --fix || [ $? = 1 ]`},
	{name: "lint --output", begin: gitTask, round: `
		handoff lint --output json=report.json --output sarif=report.sarif --baseline known.json --update-baseline || [ $? = 1 ]`},
	{name: "init", round: `mkdir sub$n; cd sub$n; handoff init --template`},
	{name: "init --preset", fresh: true, round: `mkdir sub$n; cd sub$n; handoff init --preset single`},
	{name: "setup", fresh: true, begin: `mkdir .claude; echo '# Project' > AGENTS.md`, round: `
		echo "{\"round\": $n}" > ../side/s; mv ../side/s .claude/settings.json; echo "{\"round\": $n}" > ../side/s; mv ../side/s .mcp.json
		handoff setup claude codex`},
	{name: "artifact put", fresh: true, round: `echo $n | handoff artifact put`},
	{name: "threads", round: `
		handoff thread create --title t$n; handoff thread create --title u$n > ../side/t
		handoff thread post-message "$(cut -d '"' -f 4 ../side/t)" --content $n
		handoff run "What is $n?" -- true`},
	{name: "tapes", round: `handoff tape append $n; handoff tape handoff phase-$n --summary s; handoff tape reset`},
	{name: "receipts", begin: gitTask, round: `handoff claim 1 --as ann --force --why again; handoff sync`},
	{name: "convert", begin: gitTask, round: `handoff convert 1 --to anchor --tape t$n --write; handoff bundle create 1`},
}

// TestBesideGit runs each writer in a repository in which `git add -A` and `git commit`
// run all the time, as agents run them: no command of git fails, no commit has a
// temporary file, and whoever walks through the tree meets none.
//
// The repository has the .gitignore of an older version in .handoff. HANDOFF_BESIDE_GIT
// is the number of rounds.
func TestBesideGit(t *testing.T) {
	needs.Tool(t, "git")
	needs.Unix(t, "the scripts need a shell")
	t.Parallel()
	rounds := 6
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_BESIDE_GIT")); err == nil {
		rounds = n
	}
	for _, w := range gitWriters {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			besideGit(t, w, rounds)
		})
	}
}

func besideGit(t *testing.T, w gitWriter, rounds int) {
	r := newGitRepository(t)
	r.shell(t, 0, w.begin)
	if w.watch {
		defer r.watch(t)()
	}
	var others sync.WaitGroup
	stop := make(chan struct{})
	commits := 0
	others.Go(func() { commits = r.commitUntil(t, stop) })
	others.Go(func() { r.walkUntil(t, stop) })
	for n := 1; n <= rounds && !t.Failed(); n++ {
		if w.fresh {
			r.adding.Lock() // git would fail
			r.shell(t, n, `[ ! -e .handoff ] || mv .handoff ../side/handoff-$n`)
			r.adding.Unlock()
		}
		r.shell(t, n, w.round)
	}
	close(stop)
	others.Wait()
	for _, name := range strings.Fields(r.git(t, "log", "--format=", "--name-only")) {
		if isTemporary(path.Base(name)) {
			t.Errorf("a commit has %s", name)
		}
	}
	if commits == 0 && w.name != "receipts" {
		t.Error("nothing was committed: does the writer still write?")
	}
	t.Logf("%d rounds, %d commits", rounds, commits)
}

func isTemporary(base string) bool { return atomicfile.IsTemp(base) || atomicfile.IsHeld(base) }

// gitRepository is a repository in the folder tree, beside the folder side.
type gitRepository struct {
	dir, tree string
	env       []string
	adding    sync.Mutex
}

func newGitRepository(t *testing.T) *gitRepository {
	t.Helper()
	dir := t.TempDir()
	r := &gitRepository{dir: dir, tree: filepath.Join(dir, "tree")}
	r.env = append(os.Environ(), "PATH="+commandDir(t)+string(filepath.ListSeparator)+os.Getenv("PATH"), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	side := filepath.Join(dir, "side")
	for _, d := range []string{r.tree, side} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const document = "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test ./parse` and fix the first failure.\n\n" +
		"## Current State\n- **File**: parse.go\n\n## References (read only if stuck)\n- Values: values.yaml\n"
	writeFile(t, side, "doc.md", document)
	writeFile(t, side, "fixable.md", strings.ReplaceAll(document, "## Current State", "##   current state  "))
	writeFile(t, side, "progress.json", `{"phase": 1, "objectives": [], "handoff_count": 0}`+"\n")
	writeFile(t, r.tree, "values.yaml", raceValues)
	writeFile(t, r.tree, "specs/README.md", "Tasks.\n")
	writeFile(t, r.tree, ".handoff/.gitignore", "/.gitignore\n/lock\n/watch.json\n/watch.lock\n/watch.sock\n/runs/\n/receipts/\n*.idx/\n*.jsonl.lock\n/.handoff-tmp-*\n")
	r.git(t, "init", "-q")
	r.git(t, "config", "gc.auto", "0")
	return r
}

func (r *gitRepository) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = r.tree, r.env
	return cmd
}

// git runs git, and returns what it prints. If it fails, so does the test.
func (r *gitRepository) git(t *testing.T, args ...string) string {
	t.Helper()
	out, err := r.command("git", args...).CombinedOutput()
	if err != nil {
		t.Errorf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// add adds everything. Git reads the size of a file before it opens it, and fails if a shorter file has
// been renamed into place meanwhile, by any program: then it is repeated.
func (r *gitRepository) add(t *testing.T) {
	t.Helper()
	for try := 1; ; try++ {
		out, err := r.command("git", "add", "-A").CombinedOutput()
		if err == nil || try == 10 || !strings.Contains(string(out), "short read while indexing") {
			if err != nil {
				t.Errorf("git add -A: %v\n%s", err, out)
			}
			return
		}
	}
}

func (r *gitRepository) shell(t *testing.T, n int, script string) {
	t.Helper()
	cmd := r.command("sh", "-ec", script)
	cmd.Env = append(r.env, fmt.Sprint("n=", n))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("round %d: %v\n%s\n%s", n, err, script, out)
	}
}

// watch starts the watch, and returns what stops it.
func (r *gitRepository) watch(t *testing.T) (stop func()) {
	t.Helper()
	cmd := r.command("sh", "-c", `exec handoff watch >> "$1" 2>&1`, "sh", filepath.Join(r.dir, "side/watch.log"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the watch", func() bool {
		_, err := os.Stat(filepath.Join(r.tree, ".handoff/watch.json"))
		return err == nil // its first look may go on: what is written from now on is news
	})
	return func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	}
}

// commitUntil adds and commits everything, again and again. It returns the number of
// commits.
func (r *gitRepository) commitUntil(t *testing.T, stop <-chan struct{}) (commits int) {
	for last := false; !last && !t.Failed(); {
		select {
		case <-stop:
			last = true // once more, for what the last round wrote
		default:
		}
		r.adding.Lock()
		r.add(t)
		r.adding.Unlock()
		if r.command("git", "diff", "--cached", "--quiet").Run() != nil {
			r.git(t, "commit", "-q", "-m", "x")
			commits++
		}
	}
	return commits
}

// walkUntil walks through the tree as `grep -r` does, again and again, but not in the
// folders of git and of handoff.
func (r *gitRepository) walkUntil(t *testing.T, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		filepath.WalkDir(r.tree, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // removed meanwhile
			case isTemporary(d.Name()):
				t.Errorf("met %s", path)
			case d.Name() == ".git", d.Name() == ".handoff":
				return fs.SkipDir
			}
			return nil
		})
	}
}
