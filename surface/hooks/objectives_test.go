package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/surface/hooks"
	"handoff/workspace"
)

// TestObjectivesOfManyTasks: in a tree of many tasks a hook sees at once what becomes of the objectives it knows and of
// those that the session wrote, and within a minute what became of any other; in a tree of few all at once.
func TestObjectivesOfManyTasks(t *testing.T) {
	for _, tasks := range []int{3, 300} {
		t.Run(fmt.Sprint(tasks), func(t *testing.T) {
			o := objectives{T: t, root: treeOf(t, false), at: now}
			for i := range tasks {
				put(t, o.root, fmt.Sprintf("specs/%d_more/notes.md", i+1000), "x")
			}
			o.expect("no objectives", 0)
			o.done("1000_more", 1)
			if tasks < 200 {
				o.expect("the first file", 1)
			} else {
				o.expect("the first file, just now", 0)
				o.at = o.at.Add(2 * time.Minute)
				o.expect("the first file, later", 1)
			}
			o.done("1000_more", 2)
			o.expect("the task that is known", 2)
			o.done("1001_more", 3)
			if tasks > 200 {
				o.expect("another task, just now", 0)
				o.at = o.at.Add(2 * time.Minute)
			}
			o.expect("another task", 3)
			o.hook(host.ToolUse, fmt.Sprintf(`,"tool_name":"Write","tool_input":{"file_path":%q}`, o.done("1002_more", 4)))
			o.expect("a task that the session wrote", 4)
			o.at = o.at.Add(-time.Hour)
			o.done("1003_more", 5)
			o.expect("the clock was set back", 5)
		})
	}
}

type objectives struct {
	*testing.T
	root  string
	at    time.Time
	count int
}

// done writes a progress file, later than all others.
func (o *objectives) done(task string, n int) (path string) {
	o.Helper()
	path = filepath.Join(o.root, "specs", task, "progress", "phase-1-progress.json")
	put(o, o.root, "specs/"+task+"/progress/phase-1-progress.json", `{"objectives":[`+strings.Repeat(`{"status":"done"},`, n)+`{"status":"open"}]}`)
	o.count++
	at := now.Add(time.Duration(o.count) * time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		o.Fatal(err)
	}
	return path
}

// expect says how many objectives the next note says are done; 0 for no note.
func (o *objectives) expect(what string, n int) {
	o.Helper()
	got := o.hook(host.Batch, "")
	if want := fmt.Sprintf("%d of %d objectives are done", n, n+1); n == 0 && got != "" || n > 0 && !strings.Contains(got, want) {
		o.Errorf("%s: %q, want %d", what, got, n)
	}
}

func (o *objectives) hook(event host.Event, more string) string {
	return string(answered(o.Context(), hooks.Call{Within: patience, Event: event, Host: "claude", Dir: o.root, Getenv: func(string) string { return "" },
		Stdin: strings.NewReader(`{"session_id":"a"` + more + `}`), Options: workspace.Options{Now: func() time.Time { return o.at }}}))
}
