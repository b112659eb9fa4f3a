package dashboard

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/internal/text/tree"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/graphs"
	"handoff/workspace/threads"
)

const threadsPath = Prefix + "threads"

// threadURL is the address of a thread.
func threadURL(id string) string { return threadsPath + "?" + url.Values{"id": {id}}.Encode() }

// mostMessages is how many messages of a thread are shown: the last ones.
const mostMessages = 50

type threadsPage struct {
	Picture  template.HTML // "" for none
	Paging   paging
	Info     *thread.Info // of the thread that is shown; nil for all
	Created  string       // the command that creates a thread like it
	Messages []message
	More     uint64 // earlier messages
}

type message struct {
	Actor, Origin, Text string
	Seq                 uint64
	At                  time.Time
	URL                 string // to branch or hand off from there
}

// loadThreads shows the trees of all threads, or a thread with its relatives and messages.
func loadThreads(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q url.Values) (page, error) {
	t, err := threads.In(ctx, ws, false)
	if err != nil {
		return page{}, err
	}
	defer t.Close()
	id := q.Get("id")
	if id == "" {
		return allThreads(ctx, d, t, q)
	}
	info, err := t.Get(ctx, id)
	if err != nil {
		return page{}, threadFailure(err)
	}
	roots, problem := graphs.Thread(ctx, t, id, graphs.Links{Thread: threadURL})
	data := threadsPage{Picture: picture("Relatives and runs of this thread", roots), Info: &info, Created: creating(info)}
	if err := data.read(t.Store, id); err != nil {
		return page{}, err
	}
	title := "Thread " + id
	if info.Title != nil && *info.Title != "" {
		title = *info.Title
	}
	return page{Title: title, Command: "handoff graph --thread " + shellword.Quote(id), JSON: "/threads/" + url.PathEscape(id) + "/lineage",
		Problem: sentences(problem), Data: data}, nil
}

func allThreads(ctx context.Context, d *Dashboard, t *threads.Threads, q url.Values) (page, error) {
	var data threadsPage
	roots, err := graphs.Threads(ctx, t, data.Paging.part(threadsPath, q, d.PageSize), graphs.Links{Thread: threadURL})
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	data.Picture = picture("Threads", roots)
	return page{Title: "Threads", Command: "handoff graph --thread all", JSON: "/threads", Problem: sentences(err), Data: data}, nil
}

// picture draws trees with the colours of the page.
func picture(title string, roots []*tree.Node) template.HTML {
	if len(roots) == 0 {
		return ""
	}
	return template.HTML(tree.SVG(tree.Picture{Title: title}, roots...)) // package tree escapes all texts
}

// read reads the last messages of a thread.
func (p *threadsPage) read(s *thread.Store, id string) error {
	head, err := s.Head(id)
	if err != nil {
		return err
	}
	events, err := s.Messages(id, head, mostMessages)
	if err != nil {
		return err
	}
	all, err := s.MessagesUpTo(id, head)
	p.More = all - min(all, uint64(len(events)))
	for _, e := range events {
		if m, ok := e.Payload.(*thread.Message); ok {
			p.Messages = append(p.Messages, messageOf(id, e, m))
		}
	}
	return err
}

func messageOf(id string, e thread.Event, m *thread.Message) message {
	return message{m.ActorID, m.Origin, m.Content, e.Seq, time.UnixMilli(int64(e.TimestampMS)), cutURL(id, e.ID, "")}
}

// creating is the command that creates a thread with the parent of another; "" if it has
// none.
func creating(info thread.Info) string {
	p := info.Parent
	if p == nil {
		return ""
	}
	c := fmt.Sprintf("handoff thread %s %s --from-seq %d", p.Kind, shellword.Quote(p.ThreadID), p.Seq)
	if info.Title != nil {
		c += " --title " + shellword.Quote(*info.Title)
	}
	if p.Kind == thread.ByHandoff {
		c += " --summary-file summary.md"
	}
	return c
}

// threadFailure is an error that the page explains.
func threadFailure(err error) error {
	if refused := (*thread.Refusal)(nil); errors.As(err, &refused) {
		return &failure{http.StatusBadRequest, "The request is refused: " + refused.Text + "."}
	}
	switch {
	case errors.Is(err, handoff.ErrInvalid):
		return &failure{http.StatusBadRequest, err.Error()}
	case errors.Is(err, fs.ErrExist):
		return &failure{http.StatusConflict, "This form was sent before, with another content, and created a thread. Open the message again to create one more."}
	case errors.Is(err, fs.ErrNotExist):
		return &failure{http.StatusNotFound, "There is no such thread, or no such message in it."}
	}
	return err
}
