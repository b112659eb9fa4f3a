package top

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/workspace/overview"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// The last parts of a conversation are shown, and the beginning of each answer.
const (
	mostSaid   = 200
	mostAnswer = 64 << 10 // bytes
)

// talk is the view of one thread: its conversation, with the message that is selected as the cut.
type talk struct {
	threadops.Talk
	err   error
	whole []line
	marks []mark // the messages
	lines []line // folded to the width of the screen
	at    int    // selected: an index of marks; -1 without one
	top   int    // first line on the screen
}

// mark is where a message is.
type mark struct {
	part  int // of the conversation
	whole int // its first line as it was read
	line  int // its first line as it is folded
}

// readTalk reads the conversation of a thread.
func (m *model) readTalk(id string) tea.Cmd {
	l := m.threads
	return func() tea.Msg {
		k := &talk{}
		k.ThreadID = id
		k.err = m.withThreads(false, func(ctx context.Context, t *threads.Threads) (err error) {
			if k.Info, err = t.Get(ctx, id); err != nil {
				return err
			}
			children, err := t.Children(ctx, id)
			if err != nil {
				return err
			}
			if err := k.Read(ctx, t, children, mostSaid); err != nil {
				return err
			}
			k.Answers(ctx, t, mostAnswer, func(err error) error { return err })
			return k.Gap
		})
		k.draw(&l)
		k.at = len(k.marks) - 1
		return k
	}
}

// showTalk shows a thread at its end, where most continue.
func (m *model) showTalk(k *talk) {
	if m.tab != threadsTab {
		return
	}
	m.threads.talk, m.threads.cut, m.threads.command = k, nil, ""
	m.foldTalk()
	k.top = max(0, len(k.lines)-m.chainRows())
	m.selectMessage(0)
}

// foldTalk folds what is open to the width of the screen.
func (m *model) foldTalk() {
	if c := m.threads.cut; c != nil {
		c.lines = folded(c.whole, m.width)
		c.scroll(0, m.chainRows())
	}
	k := m.threads.talk
	if k == nil {
		return
	}
	k.lines = nil
	next := 0
	for i := range k.whole {
		for ; next < len(k.marks) && k.marks[next].whole == i; next++ {
			k.marks[next].line = len(k.lines)
		}
		k.lines = append(k.lines, folded(k.whole[i:i+1], m.width)...)
	}
	k.scroll(0, m.chainRows())
}

func (k *talk) scroll(by, rows int) { k.top = max(0, min(k.top+by, len(k.lines)-rows)) }

// selectMessage selects another message, and shows where it begins.
func (m *model) selectMessage(by int) {
	k := m.threads.talk
	if len(k.marks) == 0 {
		k.scroll(by, m.chainRows())
		return
	}
	k.at = max(0, min(k.at+by, len(k.marks)-1))
	line, rows := k.marks[k.at].line, m.chainRows()
	if line < k.top || line >= k.top+rows {
		k.top = line - rows/3
	}
	k.scroll(0, rows)
}

// selected is the message that is selected, nil without one.
func (k *talk) selected() *threadops.Said {
	if k.at < 0 || k.at >= len(k.marks) {
		return nil
	}
	return &k.Said[k.marks[k.at].part]
}

// draw makes the lines of the conversation, uncut.
func (k *talk) draw(l *threadList) {
	add := func(style, first, next, text string) {
		k.whole = append(k.whole, line{first, next, visible.Line(text), style})
	}
	if k.err != nil {
		for text := range strings.Lines(k.err.Error()) {
			add(styles[overview.Broken], "! ", "  ", strings.TrimSpace(text))
		}
	}
	if k.Earlier > 0 {
		add(faint, "  ", "  ", fmt.Sprintf("… %s before these: handoff thread show %s", say.Count(int(k.Earlier), "event"), k.ThreadID))
	}
	for i := range k.Said {
		s := &k.Said[i]
		style := faint
		if s.Kind == threadops.SaidMessage {
			k.marks, style = append(k.marks, mark{part: i, whole: len(k.whole)}), bold
		}
		add(style, "  ", "    ", saidLine(l, s))
		if s.To == "" {
			for text := range strings.Lines(strings.Trim(s.Text, "\n")) {
				add("", "    ", "    ", strings.TrimRight(text, "\r\n"))
			}
		}
	}
	if len(k.marks) == 0 && k.err == nil {
		add("", "  ", "  ", "no messages yet: handoff thread post-message "+k.ThreadID+" --content TEXT")
	}
}

// saidLine is the first line of a part.
func saidLine(l *threadList, s *threadops.Said) (text string) {
	switch {
	case s.To != "":
		text = fmt.Sprintf("-- %s to thread %s", s.Kind, l.id(s.To))
	case s.From != "":
		text = fmt.Sprintf("-- %s of thread %s after event %d", s.Kind, l.id(s.From), *s.Cut)
	case s.Kind == threadops.SaidAnswer && s.Reason == "":
		text = "run " + shortRun(s.Run) + " (has not ended)"
	case s.Kind == threadops.SaidAnswer:
		text = "run " + shortRun(s.Run) + " (" + cmp.Or(s.Ended(), s.Reason) + ")"
		if used := s.Usage.String(); used != "" {
			text += ", " + used
		}
	case s.Kind == threadops.SaidSummary:
		text = "-- summary"
	default:
		text = s.Who
	}
	text += fmt.Sprintf("  event %d", s.Seq)
	if s.Thread != "" {
		text += " of thread " + l.id(s.Thread) + ", inherited"
	}
	return text
}

func shortRun(id string) string { return handoff.ShortIDs([]string{id})[id] }

// drawTalk are the lines of the page, with the selected message marked.
func (m *model) drawTalk() (rows []string) {
	k := m.threads.talk
	at := -1
	if k.selected() != nil {
		at = k.marks[k.at].line
	}
	for i, l := range k.lines[min(k.top, len(k.lines)):min(k.top+m.chainRows(), len(k.lines))] {
		if k.top+i == at {
			l.text, l.style = "> "+strings.TrimPrefix(l.text, "  "), chosen
		}
		rows = append(rows, styled(l.style, fit(l.text, m.width)))
	}
	return rows
}

// threadKey is what a key does on the tab of the threads, nil if it does nothing of its own there.
func (m *model) threadKey(key string) func() tea.Cmd {
	l := &m.threads
	if l.talk == nil {
		return m.listKey(key)
	}
	quiet := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { m.note = ""; do(); return nil }
	}
	switch key {
	case "esc", "left", "backspace":
		return quiet(m.closeThread)
	case "/":
		return quiet(func() { l.command = "/" })
	case "b":
		return quiet(func() { l.command = "/branch " })
	case "h":
		return quiet(func() { l.command = "/handoff " })
	case "R":
		return func() tea.Cmd { return m.readTalk(l.talk.ThreadID) }
	case "c", "r", "s", "d", "tab":
		return quiet(func() {})
	case "enter", "right", "l":
		return func() tea.Cmd { m.note = ""; return m.readCut() }
	}
	by, moves := steps(key, m.chainRows())
	switch {
	case !moves:
		return nil
	case l.cut != nil:
		return quiet(func() { l.cut.scroll(by, m.chainRows()) })
	case slices.Contains([]string{"pgdown", "space", "ctrl+f", "pgup", "ctrl+b"}, key):
		return quiet(func() { l.talk.scroll(by, m.chainRows()) })
	}
	return quiet(func() { m.selectMessage(by) })
}

// listKey is what a key does on the list of threads.
func (m *model) listKey(key string) func() tea.Cmd {
	if by, moves := steps(key, m.rows()); moves {
		return func() tea.Cmd { m.scrollThreads(by); return nil }
	}
	switch key {
	case "enter", "right", "l":
		return func() tea.Cmd {
			if info := m.threads.selected(); info != nil {
				return m.readTalk(info.ThreadID)
			}
			return nil
		}
	case "R":
		return m.readThreads
	case "c", "r", "s":
		return func() tea.Cmd { m.note = "that is for tasks: 1 shows them"; return nil }
	}
	return nil
}

// closeThread closes what is open, one after the other.
func (m *model) closeThread() {
	if m.threads.cut != nil {
		m.threads.cut = nil
		return
	}
	m.threads.talk = nil
}

// cutOf is the thread that has the selected message, and the message.
func (k *talk) cutOf() (id string, message *threadops.Said) {
	message = k.selected()
	if message == nil {
		return "", nil
	}
	if id = k.ThreadID; message.Thread != "" {
		id = message.Thread
	}
	return id, message
}
