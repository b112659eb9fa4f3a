package top

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/clipperhouse/displaywidth"

	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/workspace/overview"
	"handoff/workspace/verify"
)

// chain is the view of one task: its handoffs and what became of each.
type chain struct {
	overview.Chain
	err   error
	found []string // findings of verify
	more  int      // findings that are left out
	whole []line   // as they were read
	lines []line   // folded to the width of the screen
	top   int      // first line on the screen
}

// line is a text with what comes before it, and before what does not fit into its first line.
type line struct {
	first, next string
	text        string
	style       string
}

// open shows the chain of the selected task.
func (m *model) open() tea.Cmd {
	if t := m.selected(); t != nil {
		return m.readChain(t.Chain)
	}
	return nil
}

// reload reads the open chain again.
func (m *model) reload() tea.Cmd {
	if m.chain == nil {
		return nil
	}
	return m.readChain(m.chain.Task.Chain)
}

func (m *model) readChain(of string) tea.Cmd {
	opened := m.chain == nil
	return func() tea.Msg {
		c := &chain{top: -1}
		c.Chain, c.err = overview.Of(m.ctx, m.o.Workspace, of, overview.Options{Left: m.o.Left})
		c.Task.Chain = of
		c.verify(m)
		if opened {
			c.top = 0
		}
		c.whole = c.draw()
		return c
	}
}

// maxFindings is how many findings are shown: `handoff verify` prints all of them.
const maxFindings = 5

// verify adds what `handoff verify` finds in the task. An error is left to that command. A task
// without a folder has nothing to verify.
func (c *chain) verify(m *model) {
	if c.Task.Dir == "" {
		return
	}
	_ = verify.Run(m.ctx, m.o.Workspace, verify.Request{Tasks: []string{c.Task.Dir}}, func(r *verify.Result) error {
		for _, f := range r.Files {
			for _, one := range f.Findings {
				if len(c.found) == maxFindings {
					c.more++
					continue
				}
				c.found = append(c.found, fmt.Sprintf("%s (%s): %s", one.Message, one.Rule, f.Path))
			}
		}
		return nil
	})
}

// showChain shows a chain that was read. One that was read again, and was closed
// meanwhile, stays closed.
func (m *model) showChain(c *chain) {
	if c.top < 0 {
		if m.chain == nil || m.chain.Task.Chain != c.Task.Chain {
			return
		}
		c.top = m.chain.top
	}
	m.chain = c
	m.foldChain()
}

// foldChain folds the lines of the open chain to the width of the screen: a message is read whole.
func (m *model) foldChain() {
	c := m.chain
	c.lines = folded(c.whole, m.width)
	c.scroll(0, m.chainRows())
}

// folded are lines folded to a width.
func folded(whole []line, width int) (lines []line) {
	for _, l := range whole {
		part, rest := words(l.text, max(1, width-displaywidth.String(l.first)))
		lines = append(lines, line{text: l.first + part, style: l.style})
		for rest != "" {
			part, rest = words(rest, max(1, width-displaywidth.String(l.next)))
			lines = append(lines, line{text: l.next + part, style: l.style})
		}
	}
	return lines
}

// words is as much of a text as fits a width, up to the end of a word if it has one, and the rest.
func words(text string, width int) (part, rest string) {
	if displaywidth.String(text) <= width {
		return text, ""
	}
	part = displaywidth.TruncateString(text, width, "")
	if part == "" { // a character that is wider
		return text, ""
	}
	if at := strings.LastIndexByte(part, ' '); at > 0 && text[len(part)] != ' ' {
		part = part[:at]
	}
	return part, strings.TrimLeft(text[len(part):], " ")
}

func (c *chain) scroll(by, rows int) { c.top = max(0, min(c.top+by, len(c.lines)-rows)) }

// chainRows is how many lines of a chain the screen has room for.
func (m *model) chainRows() int { return max(1, m.height-around) }

// draw are the lines of the chain, uncut.
func (c *chain) draw() (lines []line) {
	add := func(style, first, next, format string, args ...any) {
		lines = append(lines, line{first, next, visible.Line(inTask(&c.Task, fmt.Sprintf(format, args...))), style})
	}
	const in = "│   "
	if c.err != nil {
		for text := range strings.Lines(c.err.Error()) {
			add(styles[overview.Broken], "", "  ", "%s", strings.TrimSpace(text))
		}
	}
	for _, text := range c.found {
		add(styles[overview.Broken], "! ", "  ", "%s", text)
	}
	if c.more > 0 {
		lines = append(lines, line{"! ", "  ", visible.Line(fmt.Sprintf("%d more: handoff verify %s", c.more, shellword.Quote(c.Task.Dir))), styles[overview.Broken]})
	}
	for _, h := range c.Handoffs {
		at := "?"
		if h.Time != nil {
			at = strings.Replace(h.Time.String(), "T", " ", 1)
		}
		add(bold, "● ", "  ", "%s  %s  %s", at, cmp.Or(h.Ref, h.Path), cmp.Or(string(h.State), "-"))
		if h.Problem != "" {
			add(styles[overview.Broken], in, in, "%s", h.Problem)
		}
		if h.NextAction != "" {
			add("", in, in, "%s", h.NextAction)
		}
		if h.Path == c.Task.Path {
			for _, text := range c.besides(h) {
				add("", in, in+"  ", "%s", text)
			}
		}
		for _, s := range h.Steps {
			add(faint, in, in+"  ", "%s  %s", s.At.UTC().Format("2006-01-02 15:04:05Z"), stepText(s))
		}
	}
	if len(c.Handoffs) == 0 && c.err == nil {
		add("", "", "  ", "no handoffs yet: `handoff new --task %d --phase N --edit` writes one", c.Task.Task)
	}
	return lines
}

// besides is what the newest handoff says besides its next action, and what its marks say against it.
func (c *chain) besides(h overview.Link) (lines []string) {
	for _, s := range []struct {
		what  string
		texts []string
	}{{"understand first: ", h.UnderstandFirst}, {"waits for ", h.WaitingFor}, {"left running: ", h.LeftRunning}} {
		if len(s.texts) > 0 {
			lines = append(lines, s.what+strings.Join(s.texts, "; "))
		}
	}
	if c.Task.Unproved != "" {
		lines = append(lines, "unproved: "+c.Task.Unproved)
	}
	return lines
}

// inTask is a text about a task without the names of its folders, which take the place of the message.
func inTask(t *overview.Task, text string) string {
	if t.Dir == "" {
		return text
	}
	return strings.NewReplacer(t.Dir+"/handoffs/", "", t.Dir+"/", "").Replace(text)
}

// typed is a command about the newest handoff of a task, with its short name instead of the path.
func typed(t *overview.Task, command string) string {
	if t.Ref == "" || t.Path == "" {
		return command
	}
	return strings.Replace(command, shellword.Quote(t.Path), t.Ref, 1)
}

// stepText describes a step: "claimed by ada (claude): its machine is gone".
func stepText(s overview.Event) string {
	text := string(s.Step)
	if s.By != "" {
		text += " by " + s.By
	}
	if s.Host != "" {
		text += " (" + s.Host + ")"
	}
	if s.Next != "" {
		text += " by " + s.Next
	}
	if s.Why != "" {
		text += ": " + s.Why
	}
	return text
}
