package top

import (
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"handoff/internal/text/visible"
)

// helpLines explain all keys.
var helpLines = []string{
	"j k, arrows   select a task           tab, 1, 2   all tasks, or what waits",
	"3             threads: enter opens one, then a message, to branch or hand off after it",
	"PgUp PgDn     a page                  enter       the handoffs of the task",
	"g G           first, last             esc         back; clear the filter",
	"/             filter: number, slug, state, holder, next action",
	"c             claim the handoff       r           release it",
	"s             spawn an agent for it   d           draft from the session that died last",
	"R             read everything again   q           quit",
	"?             this help",
	"",
	"c, r, s and d show the command first, and ask.",
}

// press handles a key. text is what it types.
func (m *model) press(key, text string) tea.Cmd {
	if key == "ctrl+c" {
		return tea.Quit
	}
	switch {
	case m.help:
		m.help = false
	case m.ask != nil:
		return m.answer(key)
	case m.typing:
		m.edit(key, text)
	case m.threads.writing():
		return m.write(key, text)
	case m.tab == threadsTab && m.threadKey(key) != nil:
		return m.threadKey(key)()
	case m.move(key):
		return m.measure()
	default:
		return m.command(key)
	}
	return nil
}

// edit changes the filter.
func (m *model) edit(key, text string) {
	switch key {
	case "enter", "down", "up":
		m.typing = false
	case "esc":
		m.typing = false
		m.search("")
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.search(m.filter[:len(m.filter)-size])
	default:
		m.search(m.filter + text)
	}
}

func (m *model) search(text string) {
	m.filter, m.at, m.top = visible.Line(text), 0, 0
	m.threads.at, m.threads.top = 0, 0
	m.list()
	m.listThreads()
}

// steps is how many rows a key moves by, on a page of so many, and whether it moves at all.
func steps(key string, page int) (by int, moves bool) {
	switch key {
	case "j", "down":
		return 1, true
	case "k", "up":
		return -1, true
	case "pgdown", "space", "ctrl+f":
		return page, true
	case "pgup", "ctrl+b":
		return -page, true
	case "g", "home":
		return -1 << 30, true
	case "G", "end":
		return 1 << 30, true
	}
	return 0, false
}

// move selects another row, and reports whether the key does that.
func (m *model) move(key string) bool {
	by, moves := steps(key, m.rows())
	if !moves {
		return false
	}
	if m.chain != nil {
		m.chain.scroll(by, m.chainRows())
		return true
	}
	m.at += by
	m.scroll()
	return true
}

// command runs the command of a key.
func (m *model) command(key string) tea.Cmd {
	m.note = ""
	switch key {
	case "q":
		return tea.Quit
	case "?":
		m.help = true
	case "esc", "left", "backspace", "h":
		m.back()
	case "R":
		return tea.Batch(m.load(), m.reload())
	case "c", "r", "s":
		m.question(key)
	case "d":
		m.askDraft()
	}
	if m.chain != nil {
		return nil
	}
	switch key {
	case "/":
		m.typing = true
	case "tab", "1", "2", "3":
		return m.show(key)
	case "enter", "right", "l":
		return m.open()
	}
	return nil
}

// show changes the tab.
func (m *model) show(key string) tea.Cmd {
	next := map[string]tab{"1": nowTab, "2": waitingTab, "3": threadsTab, "tab": (m.tab + 1) % tabs}[key]
	if next == m.tab {
		return nil
	}
	m.tab, m.at, m.top = next, 0, 0
	m.list()
	if next == threadsTab {
		return m.readThreads()
	}
	return m.measure()
}

// back closes the chain, or clears the filter.
func (m *model) back() {
	if m.chain != nil {
		m.chain = nil
		return
	}
	if m.filter != "" {
		m.search("")
	}
}
