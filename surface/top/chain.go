package top

import (
	"cmp"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

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
	lines []line
	top   int // first line on the screen
}

type line struct {
	text  string
	style string
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
		c.lines = c.draw()
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
	c.scroll(0, m.chainRows())
}

func (c *chain) scroll(by, rows int) { c.top = max(0, min(c.top+by, len(c.lines)-rows)) }

// chainRows is how many lines of a chain the screen has room for.
func (m *model) chainRows() int { return max(1, m.height-around) }

// draw are the lines of the chain, uncut.
func (c *chain) draw() (lines []line) {
	add := func(style, format string, args ...any) {
		lines = append(lines, line{visible.Line(fmt.Sprintf(format, args...)), style})
	}
	if c.err != nil {
		for text := range strings.Lines(c.err.Error()) {
			add(styles[overview.Broken], "%s", strings.TrimSpace(text))
		}
	}
	for _, text := range c.found {
		add(styles[overview.Broken], "! %s", text)
	}
	if c.more > 0 {
		add(styles[overview.Broken], "! %d more: handoff verify %s", c.more, shellword.Quote(c.Task.Dir))
	}
	for _, h := range c.Handoffs {
		at := "?"
		if h.Time != nil {
			at = strings.Replace(h.Time.String(), "T", " ", 1)
		}
		add(bold, "● %s  %s  %s", at, cmp.Or(h.Ref, h.Path), cmp.Or(string(h.State), "-"))
		if h.Problem != "" {
			add(styles[overview.Broken], "│   %s", h.Problem)
		}
		if h.NextAction != "" {
			add("", "│   %s", h.NextAction)
		}
		for _, s := range h.Steps {
			add(faint, "│   %s  %s", s.At.UTC().Format("2006-01-02 15:04:05Z"), stepText(s))
		}
	}
	if len(c.Handoffs) == 0 && c.err == nil {
		add("", "no handoffs yet: `handoff new --task %d --phase N --edit` writes one", c.Task.Task)
	}
	return lines
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
