package dashboard

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"handoff/internal/file/gitwork"
	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/log/thread"
	"handoff/workspace/documents"
	"handoff/workspace/threads"
	"handoff/workspace/work"
)

// kept is the uncommitted work that belongs to a handoff, and what bringing it back changes.
func (a asking) kept() (*work.Plan, error) {
	if err := a.mayAct(a.Restores); err != nil {
		return nil, err
	}
	e, err := documents.FindInside(a, a.ws, a.ref())
	if err != nil {
		return nil, err
	}
	k, err := work.Of(a, a.ws, e.Name.Task, e.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &failure{http.StatusNotFound, "No uncommitted work is kept with this handoff."}
	}
	if err != nil {
		return nil, err
	}
	return work.PlanOf(a, a.ws, k)
}

// stepsOf are the changes of a plan, a line each, and what identifies them: a plan that was not seen is
// not done.
func stepsOf(p *work.Plan) (lines []string, sum string) {
	for _, s := range p.Steps {
		line := "write " + s.Path
		if s.To.Mode == "" {
			line = "delete " + s.Path
		}
		if s.Loss != gitwork.None {
			line += fmt.Sprintf(" (%s)", s.Loss)
		}
		lines = append(lines, line)
	}
	all := sha256.Sum256([]byte(p.Kept.Commit + "\n" + strings.Join(lines, "\n")))
	return lines, hex.EncodeToString(all[:])
}

func (a asking) seeRestore() (page actPage, err error) {
	p, err := a.kept()
	if err != nil {
		return page, err
	}
	page = actPage{Title: "Restore " + p.Kept.Name(), Command: shellword.Join("handoff", "restore", p.Kept.Name())}
	page.Steps, page.Plan = stepsOf(p)
	page.Says = fmt.Sprintf("Brings back %s of work that was not committed, as %s kept it %s.", say.Count(len(p.Steps), "file"), p.Kept.By, say.Ago(a.ws.Now().Sub(p.Kept.At)))
	if needs := p.Needs(); needs != "" {
		page.Says, page.Command = page.Says+" Note: "+needs+". What the tree has now is kept first, as work of the same task.", page.Command+" --yes"
	}
	switch blocked := p.Blocked(); {
	case len(p.Steps) == 0:
		page.Never = "Nothing is to be restored: the files are as they were kept."
	case len(blocked) > 0:
		page.Never = "It cannot be restored: something else is at " + blocked[0] + ". Move it away first."
	}
	return page, nil
}

func (a asking) restore() error {
	p, err := a.kept()
	if err != nil {
		return err
	}
	if _, sum := stepsOf(p); sum != a.Get("plan") || len(p.Blocked()) > 0 {
		return &failure{http.StatusConflict, "The tree has changed since this was shown: look at the changes again."}
	}
	_, err = p.Apply(a, a.ws)
	return err
}

// answered is the message that a run of a thread answers.
func (a asking) answered() (message string, seq uint64, err error) {
	if err := a.mayAct(a.Retry != nil); err != nil {
		return "", 0, err
	}
	t, err := threads.In(a, a.ws, false)
	if err != nil {
		return "", 0, err
	}
	defer t.Close()
	e, err := t.MessageByID(a.Get("thread"), a.Get("message"))
	if err != nil {
		return "", 0, threadFailure(err)
	}
	if _, is := e.Payload.(*thread.Message); !is {
		return "", 0, &failure{http.StatusNotFound, "This event is not a message."}
	}
	return e.ID, e.Seq, nil
}

func (a asking) seeRetry() (actPage, error) {
	message, seq, err := a.answered()
	return actPage{Title: fmt.Sprintf("Answer message %d again", seq), Command: shellword.Join("handoff", "run", a.Get("thread"), "--message-id", message) + " -- " + a.Runner,
		Says: fmt.Sprintf("Runs `%s` on the machine of the server, with the thread up to message %d as its context. The answer that failed stays in the thread.", a.Runner, seq)}, err
}

func (a asking) retry() error {
	message, _, err := a.answered()
	if err == nil {
		_, err = a.Retry(a, a.Get("thread"), message)
	}
	return err
}
