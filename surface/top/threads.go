package top

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// threadList is the tab of the threads, with the one that is open.
type threadList struct {
	all     []thread.Info // the newest first
	err     error         // of those that cannot be read
	stamp   threadStamp
	ready   bool
	short   map[string]string // ids, as short as they are unique
	shown   []int             // indices of those that match the filter
	at, top int               // selected and first on the screen: indices of shown

	talk    *talk  // the open thread
	cut     *cut   // the message of it that is continued from
	command string // that is being typed: "/branch TITLE"; "" for none
}

// threadsRead are the threads that were read.
type threadsRead struct {
	all   []thread.Info
	err   error
	stamp threadStamp
}

// threadStamp is what the list depends on, before it was read: the folder of the threads, and their catalogue.
type threadStamp struct {
	changed [2]time.Time
	size    int64 // of the catalogue
	settled bool  // nothing can change without changing these, too
}

func (m *model) stampThreads() (s threadStamp) {
	folder := filepath.Join(m.o.Workspace.Root, workspace.StateDir)
	for i, name := range []string{"threads", "threads.jsonl"} {
		info, err := os.Lstat(filepath.Join(folder, name))
		if err != nil {
			return threadStamp{}
		}
		if s.changed[i] = info.ModTime(); i == 1 {
			s.size = info.Size()
		}
	}
	// The time of a change is as coarse as two seconds.
	last := slices.MaxFunc(s.changed[:], time.Time.Compare)
	s.settled = !m.o.Workspace.HasStream() && m.o.Workspace.Now().Sub(last) > 3*time.Second
	return s
}

// withThreads opens the threads of the workspace for a while.
func (m *model) withThreads(writes bool, do func(context.Context, *threads.Threads) error) error {
	t, err := threads.In(m.ctx, m.o.Workspace, writes)
	if err != nil {
		return err
	}
	return errors.Join(do(m.ctx, t), t.Close())
}

func (m *model) readThreads() tea.Cmd {
	return func() tea.Msg {
		read := threadsRead{stamp: m.stampThreads()}
		read.err = m.withThreads(false, func(ctx context.Context, t *threads.Threads) (err error) {
			read.all, err = t.List(ctx)
			return err
		})
		slices.Reverse(read.all)
		return read
	}
}

// rereadThreads reads the list again while it is shown, if it has changed: nothing reports changes of threads.
func (m *model) rereadThreads() tea.Cmd {
	if m.tab != threadsTab || m.threads.talk != nil {
		return nil
	}
	was, read := m.threads.stamp, m.readThreads()
	return func() tea.Msg {
		if was.settled && was == m.stampThreads() {
			return nil
		}
		return read()
	}
}

// takeThreads shows what was read. The selected thread stays selected.
func (m *model) takeThreads(read threadsRead) {
	l := &m.threads
	id := ""
	if info := l.selected(); info != nil {
		id = info.ThreadID
	}
	l.all, l.err, l.stamp, l.ready = read.all, read.err, read.stamp, true
	ids := make([]string, len(l.all))
	for i, info := range l.all {
		ids[i] = info.ThreadID
	}
	l.short = handoff.ShortIDs(ids)
	m.listThreads()
	if i := slices.IndexFunc(l.shown, func(i int) bool { return l.all[i].ThreadID == id }); i >= 0 {
		l.at = i
	}
	m.scrollThreads(0)
}

// listThreads finds the threads that match the filter. Archived ones are found by a filter only.
func (m *model) listThreads() {
	l, want := &m.threads, strings.ToLower(m.filter)
	l.shown = l.shown[:0]
	for i, info := range l.all {
		if want == "" && !info.Archived || want != "" && strings.Contains(strings.ToLower(l.row(info)+" "+info.ThreadID), want) {
			l.shown = append(l.shown, i)
		}
	}
	m.scrollThreads(0)
}

func (m *model) scrollThreads(by int) {
	l, rows := &m.threads, m.rows()
	l.at = max(0, min(l.at+by, len(l.shown)-1))
	l.top = max(0, min(l.top, l.at, len(l.shown)-rows))
	l.top = max(l.top, l.at-rows+1)
}

// selected is the selected thread, nil without one.
func (l *threadList) selected() *thread.Info {
	if l.at >= len(l.shown) {
		return nil
	}
	return &l.all[l.shown[l.at]]
}

// name is how a thread is called: its title, else its short id.
func (l *threadList) name(info thread.Info) string {
	title := ""
	if info.Title != nil {
		title = say.Line(*info.Title)
	}
	return visible.Line(cmp.Or(title, l.id(info.ThreadID)))
}

func (l *threadList) id(id string) string { return visible.Line(cmp.Or(l.short[id], id)) }

// row is a thread without its age.
func (l *threadList) row(info thread.Info) string {
	from := ""
	if p := info.Parent; p != nil {
		from = fmt.Sprintf("%s of %s after %d", p.Kind, l.id(p.ThreadID), p.Seq)
	}
	title := ""
	if info.Title != nil {
		title = visible.Line(say.Line(*info.Title))
	}
	if info.Archived {
		title = "(archived) " + title
	}
	return fit(l.id(info.ThreadID), 10) + " " + fit(from, 30) + " " + title
}

// drawThreads are the threads of the page.
func (m *model) drawThreads() (rows []string) {
	l := &m.threads
	switch {
	case !l.ready:
		return m.fitted("reading the threads …")
	case len(l.all) == 0:
		return m.fitted("no threads here", "", "next: handoff thread create --title TEXT")
	case len(l.shown) == 0 && m.filter != "":
		return m.fitted("no thread matches " + m.filter)
	case len(l.shown) == 0:
		return m.fitted("all threads are archived (/archived lists them)")
	}
	for i, index := range l.shown[l.top:min(l.top+m.rows(), len(l.shown))] {
		info := l.all[index]
		marker, style := "  ", ""
		if l.top+i == l.at {
			marker, style = "> ", chosen
		}
		age := say.Span(m.o.Workspace.Now().Sub(time.UnixMilli(int64(info.CreatedAtMS))))
		rows = append(rows, styled(style, fit(marker+fit(age, 5)+" "+l.row(info), m.width)))
	}
	return rows
}

// writing reports whether a command is being typed.
func (l *threadList) writing() bool { return l.command != "" }
