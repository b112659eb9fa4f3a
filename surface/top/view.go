package top

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"

	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/workspace/overview"
	"handoff/workspace/states"
)

// around is how many lines of the screen are not rows: title, counts and header above,
// what the selected task needs, its command, messages and keys below.
const around = 7

// Styles, as parameters of the terminal's SGR sequence. Bubble Tea leaves colours out
// with NO_COLOR; the marker of the selected row and the states are words.
const (
	bold   = "1"
	faint  = "2"
	chosen = "7"
)

var styles = map[overview.State]string{overview.Asks: "31", overview.Broken: "31", overview.Stale: "33", overview.Review: "33", overview.Waiting: bold, overview.Done: faint}

func styled(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// fit cuts or fills text to a width in columns.
func fit(text string, width int) string {
	text = displaywidth.TruncateString(text, max(0, width), "…")
	return text + strings.Repeat(" ", max(0, width-displaywidth.String(text)))
}

// View draws the screen. Its work grows with the size of the screen alone.
func (m *model) View() tea.View {
	lines := m.title()
	room := max(1, m.height-around)
	var body []string
	switch {
	case m.help:
		body = m.fitted(helpLines...)
	case m.threads.cut != nil && m.tab == threadsTab:
		body = m.drawCut()
	case m.threads.talk != nil && m.tab == threadsTab:
		body = m.drawTalk()
	case m.tab == threadsTab:
		body = m.drawThreads()
	case m.chain != nil:
		body = m.drawChain()
	default:
		body = m.drawRows()
	}
	lines = append(lines, body[:min(room, len(body))]...)
	for len(lines) < room+3 {
		lines = append(lines, "")
	}
	lines = append(lines, m.footer()...)
	v := tea.NewView(strings.Join(lines[:min(len(lines), m.height)], "\n"))
	v.AltScreen, v.WindowTitle = true, "handoff top"
	return v
}

// fitted cuts lines to the width of the screen.
func (m *model) fitted(lines ...string) (cut []string) {
	for _, text := range lines {
		cut = append(cut, fit(text, m.width))
	}
	return cut
}

// title is the first three lines.
func (m *model) title() []string {
	names := []string{"1 Now", "2 Waiting", "3 Threads"}
	names[m.tab] = "[" + names[m.tab] + "]"
	head := "handoff top  " + strings.Join(names, "  ")
	if open := m.threadTitle(); open != "" && m.tab == threadsTab {
		head = "handoff top  " + open
	} else if m.chain != nil {
		t := &m.chain.Task
		head = "handoff top  [" + name(t) + "]  " + string(t.State) + "  "
		picture := m.chain.Picture()
		head = strings.TrimSpace(head + picture.Text(max(1, m.width-displaywidth.String(head))))
	}
	var counts []string
	for _, s := range overview.States {
		if n := m.view.Counts[s]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", s, n))
		}
	}
	count := strings.Join(counts, "  ")
	switch {
	case m.tab == threadsTab:
		count = say.Count(len(m.threads.all), "thread")
	case m.ready && len(counts) == 0:
		count = "no tasks"
	}
	header := ""
	switch {
	case m.help || m.chain != nil || m.threads.talk != nil && m.tab == threadsTab:
	case m.tab == threadsTab && len(m.threads.shown) > 0:
		header = "  " + fit("SINCE", 5) + " " + fit("THREAD", 10) + " " + fit("CONTINUES", 30) + " TITLE"
	case m.tab != threadsTab && len(m.shown) > 0:
		header = "  " + m.row(nil)
	}
	return []string{styled(bold, fit(head, m.width)), fit(count, m.width), styled(faint, fit(header, m.width))}
}

// drawRows are the tasks of the page.
func (m *model) drawRows() (rows []string) {
	switch {
	case !m.ready:
		return m.fitted("reading the workspace …")
	case len(m.view.Tasks) == 0:
		return m.fitted("no tasks in "+visible.Line(m.o.Workspace.Root), "", "next: handoff new --task 1 --slug first_task --phase 1 --edit")
	case len(m.shown) == 0 && m.filter != "":
		return m.fitted("no task matches " + m.filter)
	case len(m.shown) == 0 && m.tab == nowTab:
		return m.fitted("all tasks are finished (/done lists them)")
	case len(m.shown) == 0:
		return m.fitted("nothing waits")
	}
	for i, index := range m.onScreen() {
		t := &m.view.Tasks[index]
		marker, style := "  ", styles[t.State]
		if m.top+i == m.at {
			marker, style = "> ", chosen
		}
		rows = append(rows, styled(style, fit(marker+m.row(t), m.width)))
	}
	return rows
}

// row is the line of a task, or the header.
func (m *model) row(t *overview.Task) string {
	type column struct {
		width int
		text  string
	}
	wide := m.width >= 110
	columns := []column{{7, "STATE"}, {18, "TASK"}, {5, "PHASE"}, {5, "SINCE"}, {10, "WHO"}}
	if wide {
		columns[1].width, columns[4].width = 34, 20
		columns = append(columns, column{6, "LEASE"}, column{7, "CONTEXT"})
	}
	last := "NEXT"
	if t != nil {
		texts := []string{string(t.State), name(t), phases(t), m.since(t), t.By, m.lease(t), m.context(t)}
		for i := range columns {
			columns[i].text = visible.Line(texts[i])
		}
		last = visible.Line(cmp.Or(t.Needs, t.NextAction, inTask(t, t.Why)))
		if m.tab == waitingTab || t.State == overview.Asks { // the question itself
			last = visible.Line(cmp.Or(inTask(t, t.Why), t.NextAction))
		}
		if t.Unproved != "" && t.State != overview.Asks {
			last = "[unproved] " + last
		}
	} else if m.tab == waitingTab {
		last = "WHY"
	}
	var b strings.Builder
	for _, c := range columns {
		b.WriteString(fit(c.text, c.width) + " ")
	}
	return b.String() + last
}

func phases(t *overview.Task) string {
	if t.Phases > 0 {
		return fmt.Sprintf("%d/%d", t.PhasesDone, t.Phases)
	}
	return t.Phase
}

func (m *model) since(t *overview.Task) string {
	if t.Since == nil {
		return "?"
	}
	return say.Span(m.o.Workspace.Now().Sub(t.Since.Time))
}

func (m *model) lease(t *overview.Task) string {
	if t.Until == nil {
		return ""
	}
	return say.Span(t.Until.Sub(m.o.Workspace.Now()))
}

// context is how many tokens the session has left: "31k".
func (m *model) context(t *overview.Task) string {
	n, ok := m.left[receipt.Session{Host: t.Host, ID: t.Session}]
	if !ok || t.Session == "" {
		return ""
	}
	if n >= 1000 {
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprint(n)
}

func (m *model) drawChain() (rows []string) {
	c := m.chain
	for _, l := range c.lines[min(c.top, len(c.lines)):min(c.top+m.chainRows(), len(c.lines))] {
		rows = append(rows, styled(l.style, fit(l.text, m.width)))
	}
	return rows
}

// footer is the last four lines: the selected task, its command, a message or a
// question, and the keys.
func (m *model) footer() []string {
	about, command := "", ""
	if t := m.selected(); t != nil && !m.help {
		about, command = m.about(t), typed(t, t.Command)
	}
	message, keys := m.note, "enter open  c claim  r release  s spawn  / filter  tab waiting  ? help  q quit"
	switch {
	case m.ask != nil:
		message, keys = "run `"+visible.Line(shellword.Join(m.ask.command...))+"`?", "y run it   any other key: do not"
	case m.typing:
		message, keys = "filter: "+m.filter+"_", "enter keep  esc clear"
	case m.help:
		keys = "any key: back"
	case m.tab == threadsTab && m.threads.writing():
		about, _, _ = m.threadFooter()
		about = cmp.Or(m.note, about) // why the command was refused
		message, keys = m.threads.command+"_", "enter go on  ctrl+j new line  esc leave it"
	case m.tab == threadsTab:
		about, command, keys = m.threadFooter()
		message = cmp.Or(m.note, m.threadMessage())
	case m.chain != nil:
		keys = "esc back  j k scroll  c claim  r release  s spawn  ? help  q quit"
	case m.note == "" && m.problem != nil:
		message = visible.Line(m.problem.Error())
	case m.note == "" && m.filter != "":
		message = fmt.Sprintf("filter: %s (%d of %d; esc clears it)", m.filter, len(m.shown), len(m.view.Tasks))
	case m.note == "":
		message = m.idle()
		if len(m.shown) > m.rows() {
			message = strings.TrimSuffix(fmt.Sprintf("%d to %d of %d  %s", m.top+1, m.top+len(m.onScreen()), len(m.shown), message), "  ")
		}
	}
	if m.ask != nil || m.threads.writing() || m.note != "" && message == m.note {
		if whole := wrapped(message, m.width); len(whole) > 1 { // a command must be read whole before it is run, and a claim to copy it
			whole = append(make([]string, max(0, 3-len(whole))), whole...)
			about, command, message = whole[0], whole[1], strings.Join(whole[2:], "")
		}
	}
	return []string{fit(about, m.width), styled(faint, fit(visible.Line(command), m.width)), styled(bold, fit(message, m.width)), styled(faint, fit(keys, m.width))}
}

// idle is the message while there is nothing else to say.
func (m *model) idle() string {
	if m.died != nil {
		return visible.Line("d drafts: " + m.died.About(m.o.Workspace.Now()))
	}
	return cmp.Or(m.elsewhere.text, heldWork(m.view.Work))
}

// heldWork is a line about issues, tasks and paths that are claimed.
func heldWork(list []states.Work) string {
	var names []string
	for _, v := range list {
		names = append(names, v.Work+" by "+v.By)
	}
	if len(names) == 0 {
		return ""
	}
	return visible.Line("claimed: " + strings.Join(names, ", "))
}

// wrapped are the lines of a text, cut into parts that fit a width.
func wrapped(text string, width int) (parts []string) {
	for line := range strings.SplitSeq(text, "\n") {
		for displaywidth.String(line) > max(1, width) {
			part := displaywidth.TruncateString(line, width, "")
			if part == "" {
				break
			}
			parts, line = append(parts, part), line[len(part):]
		}
		parts = append(parts, line)
	}
	return parts
}

// about explains in one line why a task is in its state.
func (m *model) about(t *overview.Task) string {
	parts := []string{name(t) + ": " + cmp.Or(inTask(t, t.Why), string(t.State))}
	if lease := m.lease(t); lease != "" {
		parts = append(parts, "lease "+lease)
	}
	if left := m.context(t); left != "" {
		parts = append(parts, left+" tokens until it is compacted")
	}
	if t.Needs != "" && !strings.Contains(t.Why, t.Needs) {
		parts = append(parts, t.Needs)
	}
	if t.Unproved != "" {
		parts = append(parts, "unproved: "+t.Unproved)
	}
	return visible.Line(strings.Join(parts, "; "))
}
