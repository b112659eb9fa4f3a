package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"handoff/internal/text/shellword"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/workspace"
	"handoff/workspace/threads"
)

const (
	cutPath  = Prefix + "threads/from"
	maxForm  = 1 << 20  // bytes of a form with a summary
	maxShown = 64 << 20 // bytes of a context that is compiled to be shown
	origin   = "dashboard"
)

// cutURL is the address of the page that branches from a message. budget is in tokens, ""
// for none. No field of a form may be called id: it would hide the form's own id, so htmx
// would treat the form as another one and replace what a person has typed.
func cutURL(id, message, budget string) string {
	q := url.Values{"thread": {id}, "message": {message}}
	if budget != "" {
		q.Set("budget", budget)
	}
	return cutPath + "?" + q.Encode()
}

type cutPage struct {
	ThreadID, ThreadURL, MessageID string
	Message                        message
	Budget                         string
	Preview                        *compile.Explanation // nil if it cannot be compiled
	Problem                        string               // why not
	Branch, HandOff                string               // the commands that do the same
	Key                            string               // idempotency key of the forms
}

// loadCut shows a message, the context that an answer to it gets, and the forms to branch
// and hand off after it.
func loadCut(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	t, err := threads.In(ctx, ws, false)
	if err != nil {
		return page{}, err
	}
	defer t.Close()
	id, messageID := q.Get("thread"), q.Get("message")
	e, err := t.MessageByID(id, messageID)
	if err != nil {
		return page{}, threadFailure(err)
	}
	m, ok := e.Payload.(*thread.Message)
	if !ok {
		return page{}, &failure{http.StatusNotFound, "This event is not a message."}
	}
	at := shellword.Quote(id) + " --from-message-id " + shellword.Quote(messageID)
	data := cutPage{ThreadID: id, ThreadURL: threadURL(id), MessageID: messageID, Message: messageOf(id, e, m), Budget: q.Get("budget"), Key: d.blank,
		Branch: "handoff thread branch " + at, HandOff: "handoff thread handoff " + at + " --summary-file summary.md"}
	command := "handoff compile " + shellword.Quote(id) + " --message-id " + shellword.Quote(messageID)
	if err := data.compile(ctx, t); err != nil {
		data.Problem = err.Error()
	} else if data.Budget != "" {
		command += " --budget " + data.Budget
	}
	return page{Title: "Continue from message " + strconv.FormatUint(e.Seq, 10), Command: command + " --explain", Data: data}, nil
}

// maxBudget is the largest budget that a compilation accepts, in tokens.
const maxBudget = 1_000_000_000

func (p *cutPage) compile(ctx context.Context, t *threads.Threads) error {
	store := false
	r := threads.CompileRequest{MessageID: &p.MessageID, Store: &store, Max: maxShown}
	if p.Budget != "" {
		n, err := strconv.ParseInt(p.Budget, 10, 64)
		if err != nil || n < 1 || n > maxBudget {
			return errors.New("the budget must be a number of tokens from 1 to 1,000,000,000")
		}
		r.Budget = &n
	}
	result, err := t.Compile(ctx, p.ThreadID, r)
	if err == nil {
		p.Preview = &result.Explanation
	}
	return err
}

// serveCut creates the thread that a form asks for, and leads to its page. The same form,
// sent twice, leads to the same thread. A page of another server cannot send the form: the
// server compares the origin.
func (d *Dashboard) serveCut(w http.ResponseWriter, r *http.Request) {
	form, err := formOf(w, r, "a summary")
	if err != nil {
		d.serveFailure(w, r, err)
		return
	}
	child, err := d.create(r.Context(), form)
	if err == nil {
		http.Redirect(w, r, threadURL(child), http.StatusSeeOther)
		return
	}
	d.serveFailure(w, r, threadFailure(err))
}

// create creates a thread after a message: a branch, or one that starts from a summary.
func (d *Dashboard) create(ctx context.Context, form url.Values) (id string, err error) {
	ws, _, err := d.workspace()
	if err != nil {
		return "", err
	}
	defer ws.Close()
	do := form.Get("do")
	if do != thread.ByBranch && do != thread.ByHandoff {
		return "", &failure{http.StatusBadRequest, "The form asks for nothing: do is branch or handoff."}
	}
	key := form.Get("key")
	if thread.CheckID(key) != nil {
		return "", &failure{http.StatusBadRequest, "The form has no key: open the message again."}
	}
	key = do + "-" + key // the page has two forms
	t, err := threads.In(ctx, ws, true)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, t.Close()) }()
	message, summary, title := form.Get("message"), form.Get("summary"), optional(form.Get("title"))
	if do == thread.ByBranch {
		b, err := t.Branch(ctx, form.Get("thread"), thread.BranchRequest{Title: title, FromMessageID: &message, ActorID: "user", Origin: origin, Key: key})
		return b.ThreadID, err
	}
	h, err := t.Handoff(ctx, form.Get("thread"), thread.HandoffRequest{Title: title, SummaryMarkdown: &summary, FromMessageID: &message, ActorID: "user", Origin: origin, Key: key})
	return h.ThreadID, err
}

// optional is nil for "".
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
