package top

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/clipperhouse/displaywidth"

	tea "charm.land/bubbletea/v2"

	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// threadsOf is a screen on the tab of the threads, with a thread of so many messages and what they say.
func threadsOf(t *testing.T, title string, texts ...string) (m *model, id string, messages []string) {
	t.Helper()
	m, n := modelOf(t, 0), 0
	m.o.Workspace.Options.NewID = func() string { n++; return fmt.Sprintf("%08d-id", n) }
	err := m.withThreads(true, func(ctx context.Context, all *threads.Threads) error {
		info, _, err := all.Create(ctx, thread.CreateRequest{Title: &title})
		if id = info.ThreadID; err != nil {
			return err
		}
		for _, text := range texts {
			e, err := all.PostMessage(ctx, id, thread.MessageRequest{Content: text, ActorID: "ann"})
			if messages = append(messages, e.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	m.Update(keys(m, "3")())
	return m, id, messages
}

// typedIn presses the keys of a text.
func typedIn(m *model, text string) {
	for _, r := range text {
		m.press(string(r), string(r))
	}
}

// TestContinue chooses a message, sees the context up to it, and creates a branch and a handoff from there: the branch begins with exactly what was shown,
// and the same request leads to the same thread.
func TestContinue(t *testing.T) {
	m, id, messages := threadsOf(t, "parser", "Why does TestScan fail?", "Now the lexer.", "The last.")
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 30})
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "[3 Threads]") || !strings.Contains(text, "1 thread ") || !strings.Contains(text, "parser") {
		t.Fatal(text)
	}
	m.Update(keys(m, "enter")())
	keys(m, "k")
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "> ann  event 2") || !strings.Contains(text, "cut after message 2 of thread") {
		t.Fatal(text)
	}
	m.Update(keys(m, "enter")())
	shown := m.threads.cut
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "Now the lexer.") || strings.Contains(text, "The last.") || !strings.Contains(text, "after event 2: about ") {
		t.Fatal(text)
	}
	var seen string
	for _, l := range shown.whole {
		seen += l.text + "\n"
	}

	keys(m, "b")
	typedIn(m, "first try")
	if cmd := keys(m, "enter"); cmd != nil || m.ask == nil {
		t.Fatal("it did not ask", m.note)
	}
	if text := strings.Join(plain(m), ""); !strings.Contains(text, "run `handoff thread branch "+id+" --from-message-id "+messages[1]+" --title 'first try'`?") {
		t.Error(text)
	}
	ask := m.ask
	if keys(m, "n"); m.note != "not run" || count(t, m) != 1 {
		t.Error(m.note)
	}
	m.ask = ask
	branch, ok := keys(m, "y")().(continued)
	if again, _ := ask.run()().(continued); !ok || again.id != branch.id || count(t, m) != 2 {
		t.Errorf("%+v, again %+v", branch, again)
	}
	err := m.withThreads(false, func(ctx context.Context, all *threads.Threads) error {
		head, err := all.Head(branch.id)
		if err != nil {
			return err
		}
		made, err := all.Compile(ctx, branch.id, threads.CompileRequest{FromSeq: &head, Store: new(false)})
		for _, want := range []string{"Why does TestScan fail?", "Now the lexer."} {
			if !strings.Contains(seen, want) || !strings.Contains(string(made.Bundle.Bytes()), want) {
				t.Errorf("%q is not in both contexts", want)
			}
		}
		if strings.Contains(string(made.Bundle.Bytes()), "The last.") || len(made.Bundle.Items) != 2 {
			t.Errorf("%s", made.Bundle.Bytes())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	m.Update(m.readTalk(branch.id)())
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "[first try]") || strings.Count(text, ", inherited") != 2 {
		t.Error(text)
	}
	keys(m, "k") // an inherited message is a cut of the thread that has it
	keys(m, "/")
	typedIn(m, "handoff it is the scanner")
	keys(m, "ctrl+j")
	typedIn(m, "skip empty lines")
	keys(m, "enter")
	if want := "handoff thread handoff " + id + " --from-message-id " + messages[0]; m.ask == nil || !strings.HasPrefix(strings.Join(m.ask.command, " "), want) {
		t.Fatalf("%+v, want %s", m.ask, want)
	}
	made := keys(m, "y")().(continued)
	m.Update(made)
	m.Update(m.readTalk(made.id)())
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "it is the scanner") || !strings.Contains(text, "    skip empty lines") || strings.Contains(text, "Why does") {
		t.Error(text)
	}

	m.Update(m.readTalk(id)())
	for _, c := range [][2]string{{"/", "want /branch [TITLE] or /handoff SUMMARY"}, {"/branches", "want /branch [TITLE] or /handoff SUMMARY"}, {"/handoff ", "what must the successor know? /handoff SUMMARY"}} {
		keys(m, "/")
		typedIn(m, c[0][1:])
		if keys(m, "enter"); m.ask != nil || !strings.Contains(strings.Join(plain(m), "\n"), "\n"+c[1]) || !m.threads.writing() {
			t.Errorf("%s: %q", c[0], m.note)
		}
		keys(m, "esc")
	}
	if keys(m, "c", "r", "s"); m.ask != nil {
		t.Error("a key for tasks acts on a thread")
	}
	keys(m, "esc", "1")
	if m.tab != nowTab || m.threads.talk != nil {
		t.Error("still there")
	}
}

// count is how many threads there are.
func count(t *testing.T, m *model) int {
	t.Helper()
	read := m.readThreads()().(threadsRead)
	if read.err != nil {
		t.Fatal(read.err)
	}
	return len(read.all)
}

// TestRereadThreads reads the list again only if the folder or the catalogue has changed.
func TestRereadThreads(t *testing.T) {
	m, id, _ := threadsOf(t, "parser", "a message")
	reread := func() bool {
		msg := m.rereadThreads()()
		if msg != nil {
			m.Update(msg)
		}
		return msg != nil
	}
	past := time.Now().Add(-time.Hour)
	settle := func() {
		folder := filepath.Join(m.o.Workspace.Root, workspace.StateDir)
		for _, name := range []string{"threads", "threads.jsonl"} {
			if err := os.Chtimes(filepath.Join(folder, name), past, past); err != nil {
				t.Fatal(err)
			}
		}
		past = past.Add(time.Second)
	}
	m.o.Workspace.Options.Now = time.Now
	settle()
	for i := range 3 {
		if reread() != (i == 0) {
			t.Errorf("look %d: want it read at the first alone", i)
		}
	}
	err := m.withThreads(true, func(ctx context.Context, all *threads.Threads) error {
		_, err := all.Archive(ctx, id, thread.By{})
		return err
	})
	if settle(); err != nil || !reread() || len(m.threads.shown) != 0 || reread() {
		t.Errorf("%v, %d threads shown: want it read once more, and the thread archived", err, len(m.threads.shown))
	}
	m.o.Workspace.Options.Now = func() time.Time { return past }
	for range 2 {
		if !reread() {
			t.Error("a change of this moment may not be seen by the time")
		}
	}
}

// TestThreadSizes draws the views of threads at all sizes, with hostile texts: no line is too wide, no control character reaches the terminal, and the
// selected message is on the screen.
func TestThreadSizes(t *testing.T) {
	const attack = "\x1b]0;evil\a\x1b[8mx\u202ey\u009b2J"
	long := strings.Repeat("a long line of words ", 30) + attack + "\n\n" + strings.Repeat("wide 漢字 ", 40)
	m, _, _ := threadsOf(t, attack+long, long, attack, long, "end")
	draw := func(what string) {
		t.Helper()
		for _, size := range [][2]int{{1, 1}, {20, 5}, {80, 24}, {110, 30}, {200, 60}} {
			m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			screen := plain(m)
			if len(screen) > size[1] {
				t.Errorf("%s at %v: %d lines", what, size, len(screen))
			}
			for _, l := range screen {
				if displaywidth.String(l) > size[0] || strings.ContainsFunc(l, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf) }) {
					t.Errorf("%s at %v: %q", what, size, l)
				}
			}
		}
	}
	draw("the list")
	keys(m, "/", "x")
	draw("a filter")
	keys(m, "esc")
	m.Update(keys(m, "enter")())
	draw("a thread")
	m.Update(tea.WindowSizeMsg{Width: 40, Height: 12})
	for _, key := range []string{"g", "j", "j", "k", "G", "pgup", "k", "g"} {
		keys(m, key)
		if text := strings.Join(plain(m), "\n"); key != "pgup" && !strings.Contains(text, "\n> ann") {
			t.Errorf("after %s no message is marked:\n%s", key, text)
		}
	}
	m.Update(keys(m, "enter")())
	draw("a context")
	keys(m, "h")
	m.Update(tea.PasteMsg{Content: long})
	draw("a command")
	keys(m, "enter")
	draw("a question")
	m.Update(threadsRead{err: fmt.Errorf("%s", attack)})
	m.threads.talk, m.ask = nil, nil
	draw("an error")
}
