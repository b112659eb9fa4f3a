package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/surface/command/help"
	"handoff/workspace"
	"handoff/workspace/daemon"
	"handoff/workspace/gc"
	"handoff/workspace/sync"
)

// oddTree lists folders, each with a handoffs folder and metadata in it.
// Folders that are not tasks come first, so that a watch finds them first.
var oddTree = []struct {
	dir    string
	task   bool
	nested bool // a task of a workspace in specs
	loose  bool // not a task, but its documents are listed and checked
}{
	{dir: "specs/.hidden/9_hidden"},
	{dir: "specs/node_modules/10_package"},
	{dir: "specs/team/.git/11_hidden"},
	{dir: "specs/31_parent/12_inside"},
	{dir: "specs/31_parent/specs/13_inside"},
	{dir: "specs/handoffs/14_filed"},
	{dir: "specs/team/handoffs/15_filed"},
	{dir: "specs/1234567890_long", loose: true},
	{dir: "specs/16_", loose: true},
	{dir: "specs/17-dash", loose: true},
	{dir: "specs/_18", loose: true},
	{dir: "Specs/19_case"},
	{dir: "21_above"},
	{dir: "specs/specs/2_nested", nested: true},
	{dir: "specs/team/specs/3_nested", nested: true},
	{dir: "specs/team/specs/deep/specs/4_nested", nested: true},
	{dir: "specs/31_parent", task: true},
	{dir: "specs/00032_padded", task: true},
	{dir: "specs/33_Upper", task: true},
	{dir: "specs/34_archive", task: true},
	{dir: "specs/team/35_group", task: true},
	{dir: "specs/a/b/c/36_deep", task: true},
	{dir: "specs/archive/37_done", task: true},
	{dir: "specs/vault/38_done", task: true},
	{dir: "specs/team/archive/39_done", task: true},
	{dir: "specs/Archive/40_live", task: true},
	{dir: "specs/Handoffs/41_case", task: true},
	{dir: "specs/1234567890_long/42_below", task: true},
	{dir: "specs/999999999_last", task: true},
}

const (
	oddDocument = "/handoffs/phase-1-handoff-20260212T100000Z.md"
	oddMetadata = `{"status":"partial"}`
	oddText     = "# Phase 1 Handoff - 20260212T100000Z\n\n## Immediate Next Action\nRun it.\n\n## References (read only if stuck)\n- Plan: plan.md\n"
)

// oddFolders are the folders of oddTree that are tasks, sorted. The flags add
// those of nested workspaces and those with loose documents.
func oddFolders(nested, loose bool) (dirs []string) {
	for _, f := range oddTree {
		if f.task || nested && f.nested || loose && f.loose {
			dirs = append(dirs, f.dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// makeOdd creates oddTree, and next to it files with names of tasks that are
// not tasks.
func makeOdd(t *testing.T, documents bool) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, f := range oddTree {
		write(t, root, f.dir+"/"+handoff.MetadataFile, oddMetadata)
		if err := os.MkdirAll(filepath.Join(root, f.dir, handoff.Folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(t, root, "specs/50_file", "a file named like a task\n")
	write(t, root, "elsewhere/51_target/notes.md", "")
	needs.Symlink(t, "../elsewhere/51_target", filepath.Join(root, "specs/51_link"))
	needs.Symlink(t, "../elsewhere", filepath.Join(root, "specs/group"))
	if documents {
		writeOdd(t, root)
	}
	return root
}

func writeOdd(t *testing.T, root string) {
	for _, f := range oddTree {
		write(t, root, f.dir+oddDocument, oddText)
	}
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// printed runs a command in the root and returns what it printed.
func printed(t *testing.T, root string, args ...string) string {
	t.Helper()
	var out, talk strings.Builder
	if code := run(t.Context(), worldAt(root, &out, &talk), args); code == command.Failed {
		t.Errorf("%v: %s", args, talk.String())
	}
	return out.String()
}

func worldAt(root string, stdout, stderr io.Writer) *command.Process {
	return &command.Process{Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr, Dir: root, Now: time.Now,
		Getenv: func(string) string { return "" }}
}

// paths are the folders of all "path" values in a JSON text, sorted and without
// duplicates.
func paths(text string) (dirs []string) {
	for _, m := range regexp.MustCompile(`"path": ?"([^"]*)"`).FindAllStringSubmatch(text, -1) {
		dir := strings.TrimSuffix(m[1], "/"+handoff.MetadataFile)
		if strings.HasSuffix(dir, ".md") {
			dir = path.Dir(path.Dir(dir))
		}
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// changed are the folders whose metadata differs from what makeOdd wrote,
// sorted.
func changed(t *testing.T, root string) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.Name() != handoff.MetadataFile {
			return err
		}
		src, err := os.ReadFile(file)
		if rel, _ := filepath.Rel(root, filepath.Dir(file)); string(src) != oddMetadata {
			dirs = append(dirs, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestSameTasks: all code that decides which folders are tasks agrees on one
// tree.
func TestSameTasks(t *testing.T) {
	for _, c := range []struct {
		name   string
		nested bool // looks at all workspaces below a folder
		loose  bool // lists documents
		tasks  func(*testing.T) []string
	}{
		{"ls", false, true, func(t *testing.T) []string {
			return paths(printed(t, makeOdd(t, true), "ls", "--all", "--json"))
		}},
		{"verify", false, false, func(t *testing.T) []string {
			return paths(printed(t, makeOdd(t, true), "verify", "--json"))
		}},
		{"lint", false, true, func(t *testing.T) []string {
			return paths(printed(t, makeOdd(t, true), "lint", "--format", "json"))
		}},
		{"lint specs", true, true, func(t *testing.T) []string {
			return paths(printed(t, makeOdd(t, true), "lint", "specs", "--format", "json"))
		}},
		{"lint --staged specs", true, true, func(t *testing.T) []string {
			return lintedStaged(t, "specs")
		}},
		{"lint --staged", true, true, func(t *testing.T) []string {
			return slices.DeleteFunc(lintedStaged(t), func(dir string) bool { return !strings.HasPrefix(dir, "specs/") })
		}},
		{"sync", false, false, func(t *testing.T) []string {
			root := makeOdd(t, true)
			printed(t, root, "sync")
			return changed(t, root)
		}},
		{"watch, what is there", false, false, func(t *testing.T) []string {
			root := makeOdd(t, true)
			watched(t, root, false)()
			return changed(t, root)
		}},
		{"watch, polling", false, false, func(t *testing.T) []string {
			root := makeOdd(t, true)
			watched(t, root, true)()
			return changed(t, root)
		}},
		{"watch, a new document", false, false, func(t *testing.T) []string {
			root := makeOdd(t, false)
			stop := watched(t, root, false)
			writeOdd(t, root)
			waitForTasks(t, root)
			stop()
			return changed(t, root)
		}},
		{"watch, a new folder", false, false, func(t *testing.T) []string {
			root, full := t.TempDir(), makeOdd(t, true)
			if err := os.Mkdir(filepath.Join(root, handoff.Root), 0o755); err != nil {
				t.Fatal(err)
			}
			stop := watched(t, root, false)
			if err := os.Remove(filepath.Join(root, handoff.Root)); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(full, handoff.Root), filepath.Join(root, handoff.Root)); err != nil {
				t.Fatal(err)
			}
			waitForTasks(t, root)
			stop()
			return changed(t, root)
		}},
		{"artifact gc", false, false, namedToGC},
		{"HTTP, tasks", false, false, func(t *testing.T) []string { return paths(get(t, served(t, makeOdd(t, true))+"/specs")) }},
		{"HTTP, handoffs", false, true, func(t *testing.T) []string {
			return paths(get(t, served(t, makeOdd(t, true))+"/handoffs?all=true"))
		}},
		{"HTTP, a handoff", false, true, func(t *testing.T) (dirs []string) {
			address := served(t, makeOdd(t, true))
			for _, f := range oddTree {
				dirs = append(dirs, paths(get(t, address+"/handoffs/"+url.PathEscape(f.dir+oddDocument)))...)
			}
			slices.Sort(dirs)
			return dirs
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := c.tasks(t), oddFolders(c.nested, c.loose); !slices.Equal(got, want) {
				t.Errorf("tasks:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestSameCompletions: the completion of task numbers agrees as well.
func TestSameCompletions(t *testing.T) {
	root := makeOdd(t, true)
	var all, live []string
	for _, f := range oddTree {
		if n, _, _ := handoff.ParseTask(path.Base(f.dir)); f.task {
			all = append(all, strconv.Itoa(n))
			if !(handoff.Name{Dir: f.dir}).Archived() {
				live = append(live, strconv.Itoa(n)+"/1")
			}
		}
	}
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"verify", ""}, all},
		{[]string{"new", "--task", ""}, all},
		{[]string{"show", ""}, append(live, "latest")},
	} {
		var got []string
		for line := range strings.Lines(printed(t, root, append([]string{help.CompleteWord}, c.words...)...)) {
			word, _, _ := strings.Cut(line, "\t")
			got = append(got, word)
		}
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.words, got, c.want)
		}
	}
}

func lintedStaged(t *testing.T, args ...string) []string {
	t.Helper()
	needs.Tool(t, "git")
	root := makeOdd(t, true)
	for _, args := range [][]string{{"init", "-q"}, {"add", "-f", "."}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return paths(printed(t, root, append([]string{"lint", "--staged", "--format", "json"}, args...)...))
}

// watched runs a watch until its first pass has ended. stop ends the watch.
func watched(t *testing.T, root string, poll bool) (stop func()) {
	t.Helper()
	ws, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	started, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_, err := daemon.Watch(ctx, ws, daemon.Request{Poll: poll, Say: func(s string) { t.Log(s) },
			Started: func(int, int) { close(started) }, Stopping: func() {}, Did: func(time.Time, sync.Result) {}})
		if err != nil {
			t.Error(err)
		}
	}()
	waittest.For(t, "the first pass", started)
	return func() {
		cancel()
		waittest.For(t, "the end of the watch", done)
	}
}

// waitForTasks waits until all tasks are linked. Folders that are not tasks
// were written first, so a watch that mistakes one for a task has linked it by
// then.
func waitForTasks(t *testing.T, root string) {
	t.Helper()
	waittest.Until(t, "the tasks to be linked", func() bool {
		got := changed(t, root)
		return !slices.ContainsFunc(oddFolders(false, false), func(dir string) bool { return !slices.Contains(got, dir) })
	})
}

// namedToGC lets the metadata of each task name a blob, runs gc, and returns
// the tasks whose blobs remain. gc may also keep blobs that other folders name:
// a blob kept by mistake can still be removed later, a removed one is lost.
func namedToGC(t *testing.T) (dirs []string) {
	root := makeOdd(t, false)
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ids := map[artifact.ID]string{}
	for _, dir := range oddFolders(false, false) {
		id, _, err := store.Put([]byte(dir))
		if err != nil {
			t.Fatal(err)
		}
		ids[id] = dir
		write(t, root, dir+"/"+handoff.MetadataFile, fmt.Sprintf(`{"artifacts":[{"bundle_artifact_id":%q}]}`, id))
	}
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return time.Now().Add(time.Hour) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gc.Collect(t.Context(), ws, gc.Request{Delete: true}); err != nil {
		t.Fatal(err)
	}
	for info, err := range store.List() {
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, ids[info.ID])
	}
	slices.Sort(dirs)
	return dirs
}

// served is the address of a server for the root.
func served(t *testing.T, root string) string {
	t.Helper()
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx, worldAt(root, io.Discard, write), []string{"serve", "--listen", "127.0.0.1:0", "--no-token"})
		write.Close()
	}()
	lines := bufio.NewReader(read)
	first, err := lines.ReadString('\n')
	go io.Copy(io.Discard, lines)
	t.Cleanup(func() {
		cancel()
		waittest.For(t, "the end of the server", done)
	})
	_, address, ok := strings.Cut(strings.TrimSpace(first), "listening on ")
	if !ok {
		t.Fatalf("it said %q: %v", first, err)
	}
	return address
}

// get returns the body of a server's answer; "" if the status is not 200.
func get(t *testing.T, address string) string {
	t.Helper()
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		return ""
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		t.Fatal(err)
	}
	return compact.String()
}
