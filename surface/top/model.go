package top

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/unreported"
)

// tab is a list of tasks.
type tab int

const (
	nowTab     tab = iota // all tasks
	waitingTab            // tasks whose handoff nobody works on
	threadsTab            // threads, to continue one from a message
	tabs                  // how many there are
)

// elsewhere is a line about what waits in other working trees, and when they were read.
type elsewhere struct {
	text string
	read time.Time
}

// model is the state of the screen. Only the goroutine of the program uses it.
type model struct {
	o             Options
	ctx           context.Context
	width, height int

	board   *overview.Board // updated by follow
	view    overview.Overview
	problem error // of the last reading: the view has what could be read
	ready   bool  // something was read
	reading bool  // or pausing after it
	again   bool  // something changed meanwhile

	tab    tab
	filter string
	typing bool     // the keys go to the filter
	keys   []string // what the filter looks at, a task each; nil until there is one
	shown  []int    // indices of the tasks on the list
	at     int      // selected: an index of shown
	top    int      // first on the screen

	elsewhere elsewhere
	died      *unreported.Session // the last one that left no handoff; nil for none

	chain   *chain
	threads threadList
	ask     *question
	help    bool
	note    string                  // may have several lines
	left    map[receipt.Session]int // tokens
}

func newModel(ctx context.Context, o Options) *model {
	return &model{o: o, ctx: ctx, board: &overview.Board{}, width: 80, height: 24, left: map[receipt.Session]int{}}
}

// Messages of the model to itself.
type (
	loaded struct {
		view      overview.Overview
		err       error
		took      time.Duration
		elsewhere elsewhere
		died      *unreported.Session
	}
	rested struct{}
	second struct{} // time passes: ages change
	lefts  map[receipt.Session]int
)

// restOfRead is how many times as long as it took the screen pauses after it has read
// the workspace, so that a large one that keeps changing takes a third of the time.
const restOfRead = 2

// ticks is how often ages are drawn again.
const ticks = 15 * time.Second

func (m *model) Init() tea.Cmd { return tea.Batch(m.load(), tick()) }

func tick() tea.Cmd { return tea.Tick(ticks, func(time.Time) tea.Msg { return second{} }) }

// load reads the workspace, or has it read again if it is being read.
func (m *model) load() tea.Cmd {
	if m.reading {
		m.again = true
		return nil
	}
	m.reading, m.again = true, false
	return func() tea.Msg {
		began := time.Now()
		v, err := m.board.Now(m.ctx, m.o.Workspace, overview.Options{})
		return loaded{v, err, time.Since(began), m.lookElsewhere(began), m.lookDied()}
	}
}

// elsewhereAgain is how long what waits in other working trees is shown before they are read again:
// nothing reports changes there.
const elsewhereAgain = time.Minute

// lookElsewhere returns a line about what waits in other working trees.
func (m *model) lookElsewhere(now time.Time) elsewhere {
	if now.Sub(m.elsewhere.read) < elsewhereAgain {
		return m.elsewhere
	}
	e := elsewhere{read: now}
	if book, err := receipts.Open(m.o.Workspace); err == nil {
		var names []string
		for _, i := range book.Elsewhere(m.ctx, nil) {
			names = append(names, i.Path+" in "+i.Worktree)
		}
		if len(names) > 0 {
			e.text = visible.Line("waits in another worktree: " + strings.Join(names, ", "))
		}
	}
	return e
}

func (m *model) lookDied() *unreported.Session {
	if m.o.Died == nil {
		return nil
	}
	return m.o.Died(m.ctx)
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		if m.width, m.height = msg.Width, msg.Height; m.chain != nil {
			m.foldChain()
		}
		m.foldTalk()
		m.scroll()
		return m, m.measure()
	case tea.KeyPressMsg:
		return m, m.press(msg.String(), msg.Text)
	case tea.PasteMsg:
		switch {
		case m.typing:
			m.search(m.filter + msg.Content)
		case m.threads.writing():
			m.threads.command += strings.ReplaceAll(msg.Content, "\r\n", "\n")
		}
	case loaded:
		m.take(msg)
		return m, tea.Batch(m.measure(), tea.Tick(restOfRead*msg.took, func(time.Time) tea.Msg { return rested{} }))
	case rested:
		if m.reading = false; m.again {
			return m, m.load()
		}
	case changed:
		return m, tea.Batch(m.load(), m.reload())
	case second:
		return m, tea.Batch(tick(), m.measure(), m.rereadThreads())
	case lefts:
		for s, n := range msg {
			m.left[s] = n
		}
	case said:
		m.note = visible.Line(string(msg))
	case *chain:
		m.showChain(msg)
	case threadsRead:
		m.takeThreads(msg)
	case *talk:
		m.showTalk(msg)
	case *cut:
		m.showCut(msg)
	case continued:
		m.note = visible.Line(msg.text)
		return m, tea.Batch(m.readThreads(), m.readTalk(msg.id))
	case did:
		m.note = lines(msg.text)
		return m, tea.Batch(m.load(), m.reload())
	}
	return m, nil
}

// take shows what was read. The selected task stays selected.
func (m *model) take(l loaded) {
	if m.ctx.Err() != nil {
		return
	}
	chain := ""
	if t := m.selected(); t != nil {
		chain = t.Chain
	}
	m.view, m.problem, m.ready, m.keys, m.elsewhere, m.died = l.view, l.err, true, nil, l.elsewhere, l.died
	m.list()
	if i := slices.IndexFunc(m.shown, func(i int) bool { return m.view.Tasks[i].Chain == chain }); i >= 0 {
		m.at = i
	}
	m.scroll()
}

// list finds the tasks of the tab that match the filter. Finished tasks are found by a filter
// only: after a month they are most of them. It looks at all tasks, so it is
// called when they, the tab or the filter change, and not when the screen is drawn.
func (m *model) list() {
	want := strings.ToLower(m.filter)
	if want != "" && m.keys == nil {
		m.keys = make([]string, len(m.view.Tasks))
		for i, t := range m.view.Tasks {
			m.keys[i] = strings.ToLower(fmt.Sprintf("%d %s %s %s %s %s %s", t.Task, t.Slug, t.State, t.By, t.Host, t.Needs, t.NextAction))
		}
	}
	m.shown = m.shown[:0]
	for i, t := range m.view.Tasks {
		if m.tab == waitingTab && t.State != overview.Waiting && t.State != overview.Stale {
			continue
		}
		if want == "" && t.State == overview.Done {
			continue
		}
		if want == "" || strings.Contains(m.keys[i], want) {
			m.shown = append(m.shown, i)
		}
	}
	m.scroll()
}

// scroll keeps the selected task on the screen.
func (m *model) scroll() {
	rows := m.rows()
	m.at = max(0, min(m.at, len(m.shown)-1))
	m.top = max(0, min(m.top, m.at, len(m.shown)-rows))
	m.top = max(m.top, m.at-rows+1)
}

// rows is how many tasks the screen has room for.
func (m *model) rows() int { return max(1, m.height-around) }

// onScreen are the tasks that are drawn.
func (m *model) onScreen() []int {
	return m.shown[min(m.top, len(m.shown)):min(m.top+m.rows(), len(m.shown))]
}

// selected is the selected task, or that of the chain; nil without one.
func (m *model) selected() *overview.Task {
	switch {
	case m.tab == threadsTab:
		return nil
	case m.chain != nil:
		return &m.chain.Task
	case m.at < len(m.shown):
		return &m.view.Tasks[m.shown[m.at]]
	}
	return nil
}

// measure finds out how many tokens the sessions on the screen have left.
func (m *model) measure() tea.Cmd {
	var ask []receipt.Session
	for _, i := range m.onScreen() {
		if t := m.view.Tasks[i]; t.Session != "" && (t.State == overview.Held || t.State == overview.Stale) {
			ask = append(ask, receipt.Session{Host: t.Host, ID: t.Session})
		}
	}
	if len(ask) == 0 || m.o.Left == nil {
		return nil
	}
	return func() tea.Msg {
		got := lefts{}
		for _, s := range ask {
			if n, ok := m.o.Left(s.Host, s.ID); ok {
				got[s] = n
			}
		}
		return got
	}
}

// lines is a text of several lines that shows control characters.
func lines(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		out = append(out, visible.Line(strings.TrimRight(line, "\r\n")))
	}
	return strings.Join(out, "\n")
}

// name is how a task is called on the screen.
func name(t *overview.Task) string { return visible.Line(t.Title()) }
