package top

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/workspace/receipts"
)

// question asks whether to run a command.
type question struct {
	command []string // as the user would type it
	run     func() tea.Cmd
}

// did is what came of a command. A text that the user may copy is on a line of its own.
type did struct{ text string }

// question asks about the command of a key, for the selected task.
func (m *model) question(key string) {
	t := m.selected()
	if t == nil {
		return
	}
	if t.Path == "" {
		m.note = visible.Line("no handoff to take: " + t.Why)
		return
	}
	path := t.Path
	called := cmp.Or(t.Ref, path)
	switch key {
	case "c":
		m.ask = &question{[]string{"handoff", "claim", called, "--as", m.o.As}, func() tea.Cmd { return m.step(path, claim) }}
	case "r":
		if t.Until == nil {
			m.note = "nobody holds " + name(t)
			return
		}
		m.ask = &question{[]string{"handoff", "release", called}, func() tea.Cmd { return m.step(path, release) }}
	case "s":
		command, window := m.o.Spawn(path)
		m.ask = &question{append([]string{"handoff"}, command[1:]...), func() tea.Cmd { return m.spawn(command, window) }}
	}
}

// askDraft asks about a draft from the session that died last.
func (m *model) askDraft() {
	if m.died == nil {
		m.note = "no session ended in the middle without a handoff"
		return
	}
	words := m.died.Draft
	m.ask = &question{words, func() tea.Cmd { m.died = nil; return m.spawn(append([]string{m.o.Self}, words[1:]...), true) }}
}

// answer runs the command if the key means yes.
func (m *model) answer(key string) tea.Cmd {
	ask := m.ask
	if m.ask = nil; key == "y" || key == "Y" {
		return ask.run()
	}
	m.note = "not run"
	return nil
}

// step records a step on a handoff, while the screen keeps running.
func (m *model) step(path string, do func(context.Context, Options, *receipts.Book, receipts.Target) (string, error)) tea.Cmd {
	return func() tea.Msg {
		b, err := receipts.Open(m.o.Workspace)
		if err != nil {
			return did{err.Error()}
		}
		text, err := do(m.ctx, m.o, b, receipts.Target{Dir: m.o.Workspace.Root, Ref: path, Who: m.o.Who})
		if err != nil {
			return did{err.Error()}
		}
		return did{text}
	}
}

func claim(ctx context.Context, o Options, b *receipts.Book, t receipts.Target) (string, error) {
	r, err := b.Claim(ctx, t, receipt.ClaimRequest{By: o.As, TTL: receipts.DefaultLease, Session: o.Session})
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("claimed %s until %s", cmp.Or(r.Ref, r.Path), r.Until.UTC().Format(time.RFC3339))
	if r.Forgotten != nil || !o.Who.Known() {
		text += "\nexport HANDOFF_CLAIM=" + r.Claim // later commands do not find it
	}
	return text, nil
}

// release releases a claim under the same name, made here or elsewhere. Another
// person's claim must be taken over by force, which needs a reason.
func release(ctx context.Context, o Options, b *receipts.Book, t receipts.Target) (string, error) {
	r, _, err := b.Life(ctx, t)
	if err != nil {
		return "", err
	}
	if r.State == receipt.Claimed && r.By != o.As {
		return "", fmt.Errorf("held by %s, not by %s: `handoff claim %s --as %[2]s --force --why TEXT` takes it over", r.By, o.As, shellword.Quote(t.Ref))
	}
	t.Claim = r.Claim
	if r, err = b.Release(ctx, t, ""); err != nil {
		return "", err
	}
	return "released " + cmp.Or(r.Ref, r.Path), nil
}

// spawn starts an agent, in a window of its own or in this terminal.
func (m *model) spawn(command []string, window bool) tea.Cmd {
	cmd := exec.CommandContext(m.ctx, command[0], command[1:]...)
	cmd.Dir = m.o.Workspace.Root
	if window {
		return func() tea.Msg {
			out, err := cmd.CombinedOutput()
			return ended(lastLine(string(out)), err)
		}
	}
	return tea.Exec(&inTerminal{Cmd: cmd}, func(err error) tea.Msg { return ended("the agent has ended", err) })
}

func ended(text string, err error) did {
	if err != nil {
		text = strings.TrimSpace(text + " (" + err.Error() + ")")
	}
	return did{text}
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// inTerminal is a command that gets the terminal until the user has read how it ended.
type inTerminal struct{ *exec.Cmd }

func (c *inTerminal) SetStdin(r io.Reader)  { c.Stdin = r }
func (c *inTerminal) SetStdout(w io.Writer) { c.Stdout = w }
func (c *inTerminal) SetStderr(w io.Writer) { c.Stderr = w }

func (c *inTerminal) Run() error {
	err := c.Cmd.Run()
	fmt.Fprint(c.Stdout, "\npress Enter to return to handoff top")
	bufio.NewReader(c.Stdin).ReadString('\n')
	return err
}
