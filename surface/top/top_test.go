package top

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	tea "charm.land/bubbletea/v2"

	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
)

var start = time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)

// model is a screen on a workspace with so many tasks that wait.
func modelOf(t *testing.T, tasks int) *model {
	t.Helper()
	w, err := workspace.Open(t.TempDir(), workspace.Options{Now: func() time.Time { return start }, NewID: func() string { return "id" }})
	if err != nil {
		t.Fatal(err)
	}
	m := newModel(context.Background(), Options{Workspace: w, As: "ann", Spawn: func(path string) ([]string, bool) { return []string{"/bin/handoff", "spawn", path}, true }})
	v := overview.Overview{Counts: map[overview.State]int{overview.Waiting: tasks}}
	for i := range tasks {
		v.Tasks = append(v.Tasks, overview.Task{Task: i + 1, Slug: fmt.Sprintf("task_%d", i+1), Dir: fmt.Sprintf("specs/%d_task", i+1), Chain: fmt.Sprintf("specs/%d_task", i+1), State: overview.Waiting,
			Path: fmt.Sprintf("specs/%d_task/handoffs/phase-1-handoff-20260212T143022Z.md", i+1), NextAction: "Run `go test`.", Why: "nobody has taken it up"})
	}
	m.Update(loaded{view: v})
	return m
}

// plain is the screen without styles.
func plain(m *model) []string {
	text := m.View().Content
	for _, style := range []string{"1", "2", "7", "31", "33", "0"} {
		text = strings.ReplaceAll(text, "\x1b["+style+"m", "")
	}
	return strings.Split(text, "\n")
}

func keys(m *model, list ...string) (last tea.Cmd) {
	for _, key := range list {
		text := ""
		if len(key) == 1 {
			text = key
		}
		last = m.press(key, text)
	}
	return last
}

// TestSizes draws every view at all sizes: it never has more lines than the terminal, nor
// a line that is wider.
func TestSizes(t *testing.T) {
	for _, tasks := range []int{0, 3, 500} {
		for _, open := range [][]string{nil, {"2"}, {"?"}, {"c"}, {"s"}, {"/", "9"}, {"/", "x", "enter"}} {
			m := modelOf(t, tasks)
			keys(m, open...)
			for _, size := range [][2]int{{1, 1}, {20, 5}, {80, 24}, {110, 30}, {200, 60}} {
				m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				lines := plain(m)
				if len(lines) > size[1] {
					t.Errorf("%d tasks, %v at %v: %d lines", tasks, open, size, len(lines))
				}
				for _, line := range lines {
					if got := displaywidth.String(line); got > size[0] {
						t.Errorf("%d tasks, %v at %v: %d columns: %q", tasks, open, size, got, line)
					}
				}
			}
		}
	}
}

// TestFrameCost: a frame of 10,000 tasks costs what one of 100 costs.
func TestFrameCost(t *testing.T) {
	cost := func(tasks int) float64 {
		m := modelOf(t, tasks)
		keys(m, "G")
		return testing.AllocsPerRun(5, func() { m.press("k", "k"); m.View() })
	}
	if few, many := cost(100), cost(10_000); many > few*1.5 {
		t.Errorf("%.0f allocations with 10,000 tasks, %.0f with 100", many, few)
	}
}

// TestMove: the selected task is always on the screen.
func TestMove(t *testing.T) {
	m := modelOf(t, 500)
	for _, c := range []struct {
		key  string
		want int
	}{{"k", 1}, {"j", 2}, {"pgdown", 19}, {"G", 500}, {"j", 500}, {"pgup", 483}, {"g", 1}, {"end", 500}, {"home", 1}} {
		keys(m, c.key)
		if got := m.selected().Task; got != c.want {
			t.Errorf("after %s: task %d, want %d", c.key, got, c.want)
		}
		if text := strings.Join(plain(m), "\n"); !strings.Contains(text, fmt.Sprintf("> waiting %d task_%[1]d ", c.want)) {
			t.Errorf("after %s task %d is not marked:\n%s", c.key, c.want, text)
		}
	}
	keys(m, "j", "j", "j")
	v := m.view
	v.Tasks = append([]overview.Task{{Task: 900, Dir: "specs/900_x", Chain: "specs/900_x", State: overview.Broken}}, v.Tasks...)
	if m.Update(loaded{view: v}); m.selected().Task != 4 {
		t.Errorf("after a reading task %d is selected, not 4", m.selected().Task)
	}
	keys(m, "/", "9", "9", "enter")
	if got := len(m.shown); got != 5 { // 99, 199, … 499
		t.Errorf("%d tasks match", got)
	}
	keys(m, "/", "backspace", "backspace", "0", "enter", "esc")
	if len(m.shown) != 501 || m.filter != "" {
		t.Errorf("%d tasks after esc, filter %q", len(m.shown), m.filter)
	}
}

// TestFinished: finished tasks are counted, and listed by a filter only.
func TestFinished(t *testing.T) {
	m := modelOf(t, 3)
	v := m.view
	v.Tasks = slices.Clone(v.Tasks)
	v.Tasks[2].State = overview.Done
	m.Update(loaded{view: v})
	if len(m.shown) != 2 {
		t.Errorf("%d tasks are listed, want 2", len(m.shown))
	}
	if keys(m, "/", "d", "o", "n", "e", "enter"); len(m.shown) != 1 || m.selected().State != overview.Done {
		t.Errorf("the filter finds %d tasks", len(m.shown))
	}
	keys(m, "esc")
	for i := range v.Tasks {
		v.Tasks[i].State = overview.Done
	}
	m.Update(loaded{view: v})
	if text := strings.Join(plain(m), "\n"); len(m.shown) != 0 || !strings.Contains(text, "all tasks are finished (/done lists them)") {
		t.Errorf("%d tasks\n%s", len(m.shown), text)
	}
}

// TestAsks: nothing runs without y, and the whole command is shown before.
func TestAsks(t *testing.T) {
	m := modelOf(t, 1)
	for key, want := range map[string]string{"c": "handoff claim specs/1_task/handoffs/phase-1-handoff-20260212T143022Z.md --as ann", "s": "handoff spawn specs/1_task/handoffs/phase-1-handoff-20260212T143022Z.md"} {
		for _, no := range []string{"n", "esc", "q", "c", "enter"} {
			if cmd := keys(m, key, no); cmd != nil || m.ask != nil || m.note != "not run" {
				t.Errorf("%s %s: %v, %q", key, no, m.ask, m.note)
			}
		}
		keys(m, key)
		if text := strings.Join(plain(m), ""); !strings.Contains(text, "run `"+want+"`?") {
			t.Errorf("%s asks %s", key, text)
		}
		if cmd := keys(m, "y"); cmd == nil {
			t.Errorf("%s y does nothing", key)
		}
	}
	if keys(m, "r"); m.ask != nil || m.note != "nobody holds 1 task_1" {
		t.Errorf("release of what nobody holds: %q", m.note)
	}
}

// TestClaimIsReadable: a new claim is on the screen whole, on a line of its own where it
// fits, and the key r releases it, also if an agent asked for a person.
func TestClaimIsReadable(t *testing.T) {
	m := modelOf(t, 0)
	m.o.Workspace.Options.NewID = func() string { return "b0a58f6e-7c0f-4c7e-9d55-0a2d1f6b4c3e" } // as long as real ones
	dir := filepath.Join(m.o.Workspace.Root, "specs/1_task")
	if err := os.MkdirAll(filepath.Join(dir, "handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{"handoffs/phase-1-handoff-20260212T143022Z.md": "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test`.\n",
		".return-meta.json": `{"status": "partial", "requires_user_review": true}`} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := func(want overview.State) {
		t.Helper()
		m.reading = false
		if m.Update(m.load()()); m.selected() == nil || m.selected().State != want {
			t.Fatalf("%+v, want %s (%v)", m.selected(), want, m.problem)
		}
	}
	read(overview.Review)
	if keys(m, "2"); len(m.shown) != 0 {
		t.Errorf("%d tasks wait for a successor", len(m.shown))
	}
	keys(m, "1", "c")
	m.Update(keys(m, "y")())
	export := m.note[strings.Index(m.note, "export "):]
	if !strings.HasPrefix(m.note, "claimed 1/1 until 2026-02-12T18:05:00Z\n") || len(export) < 60 {
		t.Fatalf("%q", m.note)
	}
	read(overview.Held)
	for _, width := range []int{40, 60, 80, 100, 200} {
		m.Update(tea.WindowSizeMsg{Width: width, Height: 24})
		lines := plain(m)
		if text := strings.Join(lines, ""); !strings.Contains(strings.ReplaceAll(text, " ", ""), strings.ReplaceAll(export, " ", "")) {
			t.Errorf("at %d columns the claim is cut off:\n%s", width, strings.Join(lines, "\n"))
		}
		if width >= 80 && !strings.Contains("\n"+strings.Join(lines, "\n"), "\n"+export) {
			t.Errorf("at %d columns the claim is not on a line of its own:\n%s", width, strings.Join(lines, "\n"))
		}
	}
	keys(m, "r")
	m.Update(keys(m, "y")())
	if m.note != "released 1/1" {
		t.Errorf("%q", m.note)
	}
	read(overview.Review)
}

// TestHostile: no text of a task reaches the terminal with control characters.
func TestHostile(t *testing.T) {
	const attack = "\x1b]0;evil\a\x1b[8mx\u202ey\u009b2J\n"
	m := modelOf(t, 1)
	task := &m.view.Tasks[0]
	task.Slug, task.By, task.Why, task.Needs, task.NextAction, task.Command, task.Phase, task.Path = attack, attack, attack, attack, attack, attack, attack, attack
	m.list()
	check := func(what string) {
		t.Helper()
		m.width = 200
		for _, line := range plain(m) {
			if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf) }) {
				t.Errorf("%s: %q", what, line)
			}
		}
	}
	check("a row")
	keys(m, "2")
	check("the waiting tab")
	keys(m, "c")
	check("a question")
	keys(m, "n", "r")
	check("a message")
	m.Update(said(attack))
	check("a message of others")
	m.Update(loaded{view: m.view, err: fmt.Errorf("%s", attack)})
	check("an error")
	keys(m, "/")
	m.Update(tea.PasteMsg{Content: attack})
	check("a filter")
	c := &chain{Chain: overview.Chain{Task: *task, Handoffs: []overview.Link{{Steps: []overview.Event{{By: attack, Why: attack}}}}}, err: fmt.Errorf("%s", attack), found: []string{attack}, more: 1}
	c.Handoffs[0].NextAction, c.Handoffs[0].Problem = attack, attack
	c.lines = c.draw()
	m.Update(c)
	check("a chain")
}

// TestChain reads the handoffs of a task, and does not reopen what was closed.
func TestChain(t *testing.T) {
	m := modelOf(t, 0)
	path := filepath.Join(m.o.Workspace.Root, "specs/1_task/handoffs/phase-1-handoff-20260212T143022Z.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test`.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(filepath.Dir(path)), ".return-meta.json"), []byte(`{"status":`), 0o644); err != nil {
		t.Fatal(err)
	}
	m.Update(m.load()())
	if len(m.shown) != 1 {
		t.Fatalf("%d tasks: %v", len(m.shown), m.problem)
	}
	m.Update(keys(m, "enter")())
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "● 2026-02-12 14:30:22Z  1/1  -") || !strings.Contains(text, "(unparsable-file):") || strings.Contains(text, ": specs/1_task/") || !strings.Contains(text, "Run `go test`.") {
		t.Errorf("chain:\n%s", text)
	}
	again := m.reload()
	keys(m, "esc")
	if m.Update(again()); m.chain != nil {
		t.Error("a closed chain opened by itself")
	}
}

// TestMessagesAtEighty: on a terminal of 80 columns messages are read whole, and names of folders do not take
// their place.
func TestMessagesAtEighty(t *testing.T) {
	m := modelOf(t, 1)
	task := &m.view.Tasks[0]
	task.Dir, task.Ref, task.State = "specs/1_task", "1/1", overview.Broken
	task.Why, task.Needs = "specs/1_task/.return-meta.json: not valid JSON", ""
	task.NextAction, task.Command = "", "handoff claim "+task.Path+" --as NAME"
	text := strings.Join(plain(m), "\n")
	for _, want := range []string{" .return-meta.json: not val", "1 task_1: .return-meta.json: not valid JSON", "handoff claim 1/1 --as NAME"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	long := "no output names it: specs/1_task/handoffs/phase-1-handoff-20260212T143022Z.md, and a phase of the plan has no handoff (unlinked-handoff)"
	c := &chain{Chain: overview.Chain{Task: *task}, found: []string{long}}
	c.whole = c.draw()
	for _, width := range []int{80, 40, 3} {
		m.width = width
		m.showChain(c)
		var read []string
		for _, l := range m.chain.lines[:len(m.chain.lines)-1] {
			if displaywidth.String(l.text) > width {
				t.Errorf("%d columns of %d: %q", displaywidth.String(l.text), width, l.text)
			}
			read = append(read, strings.TrimSpace(strings.TrimPrefix(l.text, "!")))
		}
		got := strings.ReplaceAll(strings.Join(read, ""), " ", "")
		if want := "nooutputnamesit:phase-1-handoff-20260212T143022Z.md,andaphaseoftheplanhasnohandoff(unlinked-handoff)"; width > 3 && !strings.HasPrefix(got, want) {
			t.Errorf("%d columns: %q", width, read)
		}
	}
}

// TestUnproved: a row says that its handoff claims what its author's session did not show, and the line below says what.
func TestUnproved(t *testing.T) {
	m := modelOf(t, 2)
	v := m.view
	v.Tasks[0].Unproved = "failed when last run: go test ./..., exit 1"
	m.Update(loaded{view: v})
	m.Update(tea.WindowSizeMsg{Width: 140, Height: 24})
	screen := strings.Join(plain(m), "\n")
	if strings.Count(screen, "[unproved] Run `go test`.") != 1 || !strings.Contains(screen, "unproved: failed when last run: go test ./..., exit 1") {
		t.Error(screen)
	}
}

// asides are the three optional sections of a document.
const asides = "## Understand First\n- Two truths\n- Never both\n\n## Waiting For\n- Anna: approve the schema\n\n## Running in the Background\n- `make watch`, log `watch.log`\n"

// TestAsides: the line of a task says once whom it waits for; its view has what to understand first and what was left running, if
// its author wrote that, of the newest handoff alone.
func TestAsides(t *testing.T) {
	for name, c := range map[string]struct {
		old, newest string
		want        map[string]int // how often the view of the task has it
		line        string
	}{
		"all":        {newest: asides, want: map[string]int{"understand first: Two truths; Never both": 1, "waits for Anna: approve the schema": 1, "left running: `make watch`, log `watch.log`": 1}, line: "1 a: waits for Anna: approve the schema"},
		"none":       {want: map[string]int{"understand first": 0, "waits for": 0, "left running": 0}, line: "1 a: nobody has taken it up"},
		"of the old": {old: asides, want: map[string]int{"understand first": 0, "waits for": 0, "left running": 0}, line: "1 a: nobody has taken it up"},
	} {
		t.Run(name, func(t *testing.T) {
			m := modelOf(t, 0)
			for i, more := range []string{c.old, c.newest} {
				path := filepath.Join(m.o.Workspace.Root, fmt.Sprintf("specs/1_a/handoffs/phase-%d-handoff-2026021%dT143022Z.md", i+1, i+1))
				text := fmt.Sprintf("# Phase %d Handoff - 2026021%dT143022Z\n\n## Immediate Next Action\nRun `go test`.\n\n%s", i+1, i+1, more)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			m.Update(tea.WindowSizeMsg{Width: 140, Height: 60})
			m.Update(m.load()())
			if got := strings.TrimSpace(plain(m)[56]); got != c.line {
				t.Errorf("the line says %q, want %q", got, c.line)
			}
			m.Update(keys(m, "enter")())
			var drawn []string
			for _, l := range m.chain.lines {
				drawn = append(drawn, l.text)
			}
			text := strings.Join(drawn, "\n")
			for part, n := range c.want {
				if strings.Count(text, part) != n {
					t.Errorf("not %d times %q:\n%s", n, part, text)
				}
			}
		})
	}
}

// TestUnprovedMarker: a row is marked on both pages, and in the view of the task. A question of a relay is not the claim.
func TestUnprovedMarker(t *testing.T) {
	m := modelOf(t, 2)
	m.Update(tea.WindowSizeMsg{Width: 140, Height: 24})
	v := m.view
	v.Tasks[0].Unproved, v.Tasks[1].Unproved, v.Tasks[1].State = "failed when last run: make", "failed when last run: make", overview.Asks
	m.Update(loaded{view: v})
	for _, page := range []string{"1", "2"} {
		keys(m, page)
		if screen := strings.Join(plain(m), "\n"); strings.Count(screen, "[unproved] ") != 1 {
			t.Errorf("page %s:\n%s", page, screen)
		}
	}
	c := &chain{Chain: overview.Chain{Task: v.Tasks[0], Handoffs: []overview.Link{{Row: documents.Row{Path: v.Tasks[0].Path}}, {Row: documents.Row{Path: "other.md"}}}}}
	if text := fmt.Sprint(c.draw()); strings.Count(text, "unproved: failed when last run: make") != 1 {
		t.Error(text)
	}
}
