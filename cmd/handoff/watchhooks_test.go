package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// hookKind is a way to have git check handoffs. Each kind also has a slow hook, and with it a
// commit is refused if a tracked file changes meanwhile.
type hookKind struct {
	name    string
	slow    string // script of that hook, around $sleep
	seconds string // that it takes
	install func(t *testing.T, r *gitRepository, from hookSource)
	clone   func(t *testing.T, r *gitRepository) // what a linked working tree and a submodule need
}

var hookKinds = []hookKind{
	{name: "pre-commit", slow: `$sleep`, seconds: "1", install: installPreCommit, clone: runPreCommitInstall},
	{name: "init --git-hook", install: installPlain, clone: clonePlain, seconds: "0.3", slow: `
		before=$(git diff | cksum)
		$sleep
		[ "$before" = "$(git diff | cksum)" ] || { echo 'files were modified by this hook'; git diff; exit 1; }`},
	// As lint-staged does, it puts away what is not staged.
	{name: "husky", install: installHusky, clone: generateHusky, seconds: "0.3", slow: `
		patch=$(mktemp)
		git diff --binary > "$patch"
		git checkout -q -- .
		$sleep
		git diff --quiet || { echo 'files were modified by this hook'; git diff; git checkout -q -- .; bad=1; }
		[ ! -s "$patch" ] || git apply --whitespace=nowarn "$patch" || bad=1
		[ -z "$bad" ]`},
}

// hookSource is the repository from which pre-commit gets our hooks, and its folder, which is
// shared: it clones once.
type hookSource struct{ repository, commit, home string }

// stages are the hooks with which git can stop what the tests do. The last two are slow only
// if SLOW is set.
var stages = []string{"pre-commit", "pre-merge-commit", "commit-msg", "pre-push"}

// slowHook writes the program that takes long in a stage, and leaves a file when it begins.
func slowHook(t *testing.T, r *gitRepository, kind hookKind) {
	script := "#!/bin/sh\ncase $1 in pre-*commit) seconds=" + kind.seconds + ";; *) seconds=${SLOW:-0};; esac\nslow() { echo > '" + r.dir + "/side/runs-'$1; sleep $seconds; }\n"
	writeFile(t, r.dir, "side/slow", script+strings.ReplaceAll(kind.slow, "$sleep", `slow "$1"`)+"\n")
	os.Chmod(filepath.Join(r.dir, "side/slow"), 0o755)
}

func installPreCommit(t *testing.T, r *gitRepository, from hookSource) {
	config := "repos:\n  - repo: " + from.repository + "\n    rev: " + from.commit + "\n    hooks:\n      - id: handoff-lint-system\n      - id: handoff-meta-system\n" +
		"  - repo: local\n    hooks:\n"
	for _, stage := range stages {
		config += "      - {id: slow-" + stage + ", name: slow, entry: \"'" + r.dir + "/side/slow' " + stage + "\", language: system, always_run: true, pass_filenames: false, stages: [" + stage + "]}\n"
	}
	writeFile(t, r.tree, ".pre-commit-config.yaml", config)
	r.git(t, "add", ".pre-commit-config.yaml")
	runPreCommitInstall(t, r)
}

func runPreCommitInstall(t *testing.T, r *gitRepository) {
	args := []string{"install", "-f"}
	for _, stage := range stages {
		args = append(args, "-t", stage)
	}
	if out, err := r.command(filepath.Join(os.Getenv("HANDOFF_PRE_COMMIT"), "pre-commit"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func installPlain(t *testing.T, r *gitRepository, _ hookSource) {
	r.shell(t, 0, "handoff init --git-hook")
	addSlowHook(t, r, filepath.Join(r.tree, ".git/hooks"))
}

// clonePlain adds the hooks to a submodule. Linked working trees have those of the repository.
func clonePlain(t *testing.T, r *gitRepository) {
	if hooks := strings.TrimSpace(r.git(t, "rev-parse", "--path-format=absolute", "--git-path", "hooks")); strings.Contains(hooks, "/modules/") {
		r.shell(t, 0, "handoff init --git-hook")
		addSlowHook(t, r, hooks)
	}
}

// installHusky writes what husky writes, without its package.
func installHusky(t *testing.T, r *gitRepository, _ hookSource) {
	writeFile(t, r.tree, "package.json", `{"devDependencies": {"husky": "9"}}`)
	generateHusky(t, r)
	r.shell(t, 0, "handoff init --git-hook")
	addSlowHook(t, r, filepath.Join(r.tree, ".husky"))
}

func generateHusky(t *testing.T, r *gitRepository) {
	writeFile(t, r.tree, ".husky/_/.gitignore", "*")
	writeFile(t, r.tree, ".husky/_/h", `f=$(dirname "$(dirname "$0")")/$(basename "$0"); [ ! -f "$f" ] || sh -e "$f" "$@"`)
	for _, stage := range stages {
		writeFile(t, r.tree, ".husky/_/"+stage, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"")
		os.Chmod(filepath.Join(r.tree, ".husky/_", stage), 0o755)
	}
	r.git(t, "config", "core.hooksPath", ".husky/_")
}

// addSlowHook adds it to the end of the hooks in a folder. Of the later stages only
// pre-commit makes much.
func addSlowHook(t *testing.T, r *gitRepository, dir string) {
	for _, stage := range stages[:2] {
		file := filepath.Join(dir, stage)
		src, err := os.ReadFile(file)
		if err != nil {
			src = []byte("#!/bin/sh\n")
		}
		if err := os.WriteFile(file, append(src, "'"+r.dir+"/side/slow' "+stage+"\n"...), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// hooked is a repository with hooks, in which `handoff watch` runs. Its metadata is tracked.
type hooked struct {
	*testing.T
	*gitRepository
	kind hookKind
	text string // of a document; STAMP is its time
	last time.Time
	doc  string // the last document that was written
}

const hookedMeta = "specs/1_first/" + handoff.MetadataFile

// newHooked commits a first task, and starts the watch.
func newHooked(t *testing.T, kind hookKind, from hookSource) *hooked {
	h := &hooked{T: t, gitRepository: newGitRepository(t), kind: kind, last: time.Now().UTC().Add(-3 * time.Hour)}
	h.env = append(h.env, "PRE_COMMIT_HOME="+from.home)
	h.git("symbolic-ref", "HEAD", "refs/heads/main")
	writeFile(t, h.tree, ".gitignore", "/.rip/\n/.handoff/\n")
	slowHook(t, h.gitRepository, kind)
	kind.install(t, h.gitRepository, from)
	out, err := h.handoff("new", "--task", "1", "--slug", "first", "--phase", "1", "--from", "values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	h.doc = strings.TrimSpace(out)
	h.text = strings.ReplaceAll(h.read(h.doc), handoff.ParseName(h.doc).Time.Format(handoff.Stamp), "STAMP")
	h.git("add", "-A")
	h.git("commit", "-q", "--no-verify", "-m", "first")
	h.watches()
	h.Cleanup(func() {
		if log, _ := os.ReadFile(filepath.Join(h.dir, "side/watch.log")); h.Failed() {
			h.Logf("the watch:\n%s", log)
		}
	})
	return h
}

// watches starts a watch, and waits until it has seen the tree.
func (h *hooked) watches() {
	h.Helper()
	h.Cleanup(h.watch(h.T))
	h.status(`"scanning": false`)
}

// status waits until the status of the watch has a text.
func (h *hooked) status(want string) {
	h.Helper()
	waittest.Until(h.T, "the status "+want, func() bool {
		out, err := h.handoff("watch", "--status", "--json")
		return err == nil && strings.Contains(out, want)
	})
}

// handoff runs our command, at the time of the last document. The PATH of this process does
// not have it.
func (h *hooked) handoff(args ...string) (string, error) {
	cmd := h.command("sh", append([]string{"-c", `exec handoff "$@"`, "sh"}, args...)...)
	cmd.Env = append(h.env, clockVar+"="+h.last.Format(time.RFC3339))
	out, err := cmd.Output()
	return string(out), err
}

func (h *hooked) git(args ...string) string {
	h.Helper()
	return h.gitRepository.git(h.T, args...)
}

func (h *hooked) read(path string) string {
	src, _ := os.ReadFile(filepath.Join(h.tree, path))
	return string(src)
}

// put replaces a file at once, as editors do.
func (h *hooked) put(path, text string) {
	h.Helper()
	next := filepath.Join(h.dir, "side/next")
	writeFile(h.T, h.dir, "side/next", text)
	file := filepath.Join(h.tree, path)
	os.MkdirAll(filepath.Dir(file), 0o755)
	if err := os.Rename(next, file); err != nil {
		h.Fatal(err)
	}
}

// write writes a handoff in a task, as an agent does.
func (h *hooked) write(task string) (doc string) {
	h.Helper()
	h.last = h.last.Add(time.Second)
	stamp := h.last.Format(handoff.Stamp)
	doc = "specs/" + task + "/handoffs/phase-1-handoff-" + stamp + ".md"
	h.put(doc, strings.ReplaceAll(h.text, "STAMP", stamp))
	h.doc = doc
	return doc
}

// linked waits until the watch has presented a document in the metadata of its task.
func (h *hooked) linked(doc string) {
	h.Helper()
	meta := handoff.ParseName(doc).Dir + "/" + handoff.MetadataFile
	if !waittest.Within(time.Minute, func() bool {
		text := h.read(meta)
		return strings.Contains(text, `"handoff_path": "`+doc+`"`) && strings.Contains(text, `"path": "`+doc+`"`)
	}) {
		h.Fatalf("%s is not presented:\n%s\n%s", doc, h.read(meta), h.git("status", "--porcelain"))
	}
}

// settle waits until the watch has handled what happened before.
func (h *hooked) settle() {
	h.Helper()
	h.linked(h.write("99_settle"))
	h.status(`"queue": 0`)
}

// commits commits what is staged: it passes, or is refused for a reason.
func (h *hooked) commits(passes bool, want string, args ...string) {
	h.Helper()
	h.runs(passes, want, append([]string{"commit", "-m", "x"}, args...)...)
}

// runs runs git: it succeeds, or fails for a reason.
func (h *hooked) runs(passes bool, want string, args ...string) {
	h.Helper()
	out, err := h.command("git", args...).CombinedOutput()
	if (err == nil) != passes || !strings.Contains(string(out), want) {
		h.Errorf("git %v: %v, want %q\n%s", args, err, want, out)
	}
}

// during runs git, and f once the slow hook of a stage runs.
func (h *hooked) during(stage string, f func(), args ...string) {
	h.Helper()
	mark := filepath.Join(h.dir, "side/runs-"+stage)
	os.Remove(mark)
	over := make(chan struct{})
	go func() {
		defer close(over)
		h.runs(true, "", args...)
	}()
	for ran := false; !ran; {
		select {
		case <-over:
			h.Fatalf("git %v did not run the hook %s", args, stage)
		case <-time.After(10 * time.Millisecond):
			_, err := os.Stat(mark)
			ran = err == nil
		}
	}
	f()
	<-over
}

// intact checks that each document is linked, and that the tree has no other change than
// some paths.
func (h *hooked) intact(changed ...string) {
	h.Helper()
	h.settle()
	docs, _ := filepath.Glob(filepath.Join(h.tree, "specs/*/handoffs/*.md"))
	for _, doc := range docs {
		doc, _ = filepath.Rel(h.tree, doc)
		if dir := handoff.ParseName(doc).Dir; !strings.Contains(h.read(dir+"/"+handoff.MetadataFile), `"path": "`+doc+`"`) {
			h.Errorf("%s is not linked: %s", doc, h.read(dir+"/"+handoff.MetadataFile))
		}
	}
	if got := strings.Fields(h.git("diff", "--name-only")); strings.Join(got, " ") != strings.Join(changed, " ") {
		h.Errorf("changed and not staged: %v, want %v", got, changed)
	}
}

// needsHooks skips a kind of hook that this machine has not.
func needsHooks(t *testing.T, kind hookKind) {
	t.Helper()
	needs.Tool(t, "git")
	needs.Linux(t, "only there the watch notices the hooks of git")
	if kind.name == "pre-commit" {
		needs.Folder(t, "HANDOFF_PRE_COMMIT")
	}
}
