package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
	"handoff/workspace/overview"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

const (
	origin     = "top"
	maxContext = 64 << 20 // bytes of a context that is shown
	maxShown   = 200      // bytes of a summary that is shown in a command
)

// cut is the place after a message and its runs, with the context that a branch from there begins with.
type cut struct {
	thread  string // that has the message
	message string
	seq     uint64 // the last event before the cut
	key     string // idempotency key
	about   string
	whole   []line
	lines   []line // folded to the width of the screen
	top     int
}

func (c *cut) scroll(by, rows int) { c.top = max(0, min(c.top+by, len(c.lines)-rows)) }

// readCut compiles the context up to the selected message and its runs.
func (m *model) readCut() tea.Cmd {
	id, message := m.threads.talk.cutOf()
	if message == nil || m.threads.cut != nil {
		return nil
	}
	c := &cut{thread: id, message: message.Event, seq: message.Seq, key: m.o.Workspace.NewID()}
	return func() tea.Msg {
		err := m.withThreads(false, func(ctx context.Context, t *threads.Threads) error { return c.read(ctx, t) })
		if err != nil {
			c.about = "the context cannot be compiled"
			for text := range strings.Lines(err.Error()) {
				c.whole = append(c.whole, line{"! ", "  ", visible.Line(strings.TrimSpace(text)), styles[overview.Broken]})
			}
		}
		return c
	}
}

func (c *cut) read(ctx context.Context, t *threads.Threads) error {
	ref, err := t.CutOf(c.thread, &c.message, nil)
	if err != nil {
		return err
	}
	c.seq = ref.Seq
	made, err := t.Compile(ctx, c.thread, threads.CompileRequest{FromSeq: &c.seq, Store: new(false), Max: maxContext})
	if err != nil {
		return err
	}
	x := made.Explanation
	c.about = fmt.Sprintf("after event %d: about %s, %s, %d left out", c.seq, say.Count(x.Tokens, "token"), say.Count(len(x.Kept), "part"), len(x.LeftOut))
	shown, err := render.Prompt(made.Bundle, render.Options{Artifact: t.Blobs.Get})
	if err != nil {
		return err
	}
	for text := range strings.Lines(string(shown.Bytes)) {
		c.whole = append(c.whole, line{"", "  ", visible.Line(strings.TrimRight(text, "\r\n")), ""})
	}
	return nil
}

// showCut shows a context that was compiled, if its thread is still open.
func (m *model) showCut(c *cut) {
	if m.threads.talk == nil {
		return
	}
	m.threads.cut = c
	m.foldTalk()
}

func (m *model) drawCut() (rows []string) {
	c := m.threads.cut
	for _, l := range c.lines[min(c.top, len(c.lines)):min(c.top+m.chainRows(), len(c.lines))] {
		rows = append(rows, styled(l.style, fit(l.text, m.width)))
	}
	return rows
}

// write changes the command that is being typed, and asks about it at the end.
func (m *model) write(key, text string) tea.Cmd {
	l := &m.threads
	m.note = ""
	switch key {
	case "esc":
		l.command = ""
	case "enter":
		return m.askThread()
	case "ctrl+j", "alt+enter":
		l.command += "\n"
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(l.command)
		l.command = l.command[:len(l.command)-size]
	default:
		l.command += text
	}
	return nil
}

// askThread asks whether to run the command that was typed.
func (m *model) askThread() tea.Cmd {
	l := &m.threads
	name, rest, _ := strings.Cut(strings.TrimSpace(l.command), " ")
	rest = strings.TrimSpace(rest)
	id, message := l.talk.cutOf()
	switch {
	case message == nil:
		m.note = "no message to continue from"
	case name == "/branch":
		m.askBranch(id, message.Event, rest)
	case name == "/handoff" && rest == "":
		m.note = "what must the successor know? /handoff SUMMARY"
		return nil
	case name == "/handoff":
		m.askHandoff(id, message.Event, rest)
	default:
		m.note = "want /branch [TITLE] or /handoff SUMMARY"
		return nil
	}
	l.command = ""
	return nil
}

func (m *model) askBranch(id, message, title string) {
	r := thread.BranchRequest{FromMessageID: &message, ActorID: "user", Origin: origin, Key: m.keyOf(thread.ByBranch)}
	command := []string{"handoff", "thread", "branch", id, "--from-message-id", message}
	if title != "" {
		r.Title, command = &title, append(command, "--title", title)
	}
	m.ask = &question{command, func() tea.Cmd {
		return m.continues(func(ctx context.Context, t threadops.Here) (string, string, error) {
			made, err := threadops.Branch.On(ctx, t, id, r)
			return made.ThreadID, fmt.Sprintf("created thread %s, a branch after event %d", made.ThreadID, made.ParentSeq), err
		})
	}}
}

func (m *model) askHandoff(id, message, summary string) {
	r := thread.HandoffRequest{SummaryMarkdown: &summary, FromMessageID: &message, ActorID: "user", Origin: origin, Key: m.keyOf(thread.ByHandoff)}
	command := []string{"handoff", "thread", "handoff", id, "--from-message-id", message, "--summary-markdown", say.Clip(summary, maxShown)}
	m.ask = &question{command, func() tea.Cmd {
		return m.continues(func(ctx context.Context, t threadops.Here) (string, string, error) {
			made, err := threadops.Handoff.On(ctx, t, id, r)
			return made.ThreadID, fmt.Sprintf("created thread %s, a handoff after event %d", made.ThreadID, made.FromSeq), err
		})
	}}
}

// keyOf is the idempotency key of a request at the open cut: repeating it leads to the same thread.
func (m *model) keyOf(kind string) string {
	if c := m.threads.cut; c != nil {
		return kind + "-" + c.key
	}
	return kind + "-" + m.o.Workspace.NewID()
}

// continued is a thread that was created.
type continued struct{ id, text string }

// continues creates a thread, and then shows it.
func (m *model) continues(do func(context.Context, threadops.Here) (id, text string, err error)) tea.Cmd {
	return func() tea.Msg {
		var made continued
		err := m.withThreads(true, func(ctx context.Context, t *threads.Threads) (err error) {
			made.id, made.text, err = do(ctx, threadops.Here{Threads: t})
			return err
		})
		if err != nil {
			return did{refusal(err)}
		}
		return made
	}
}

// refusal is why a thread was not created.
func refusal(err error) string {
	if r := (*thread.Refusal)(nil); errors.As(err, &r) {
		return r.Text
	}
	return err.Error()
}

// threadTitle is the first line of the screen on the tab of the threads, after the name of the program; "" for the tabs.
func (m *model) threadTitle() string {
	l := &m.threads
	switch {
	case l.talk == nil:
		return ""
	case l.cut != nil:
		return "[" + l.name(l.talk.Info) + "]  the context of a successor"
	}
	return "[" + l.name(l.talk.Info) + "]  " + l.id(l.talk.ThreadID)
}

// threadFooter are the selected thread, the command that prints it, and the keys.
func (m *model) threadFooter() (about, command, keys string) {
	l := &m.threads
	switch {
	case l.cut != nil:
		return l.cut.about, fmt.Sprintf("handoff compile %s --from-seq %d", shellword.Quote(l.cut.thread), l.cut.seq),
			"b /branch  h /handoff  j k scroll  esc back  ? help  q quit"
	case l.talk != nil:
		about = "no message to continue from"
		if id, message := l.talk.cutOf(); message != nil {
			about = fmt.Sprintf("cut after message %d of thread %s and its runs", message.Seq, l.id(id))
		}
		return about, "handoff thread show " + shellword.Quote(l.talk.ThreadID), "j k choose the cut  enter context  b /branch  h /handoff  esc back"
	}
	if info := l.selected(); info != nil {
		about, command = l.name(*info), "handoff thread show "+shellword.Quote(info.ThreadID)
	} else if l.err != nil {
		about = visible.Line(l.err.Error())
	}
	return about, command, "enter open  / filter  R read again  tab tasks  ? help  q quit"
}

// threadMessage is the message while there is nothing else to say.
func (m *model) threadMessage() string {
	l := &m.threads
	switch {
	case l.cut != nil:
		return "a branch begins with this context, a handoff with your summary alone"
	case l.talk == nil && m.filter != "":
		return fmt.Sprintf("filter: %s (%d of %d; esc clears it)", m.filter, len(l.shown), len(l.all))
	case l.talk == nil && l.err != nil:
		return visible.Line(l.err.Error())
	case l.talk == nil && len(l.shown) > m.rows():
		return fmt.Sprintf("%d to %d of %d", l.top+1, min(l.top+m.rows(), len(l.shown)), len(l.shown))
	}
	return ""
}
