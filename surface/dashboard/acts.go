package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/current"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/word"
)

// Acts are what pages can do. The server provides them, so that a page does nothing that a route would
// refuse. What is nil is not offered.
type Acts struct {
	// User is the user of the server on its machine, by which claims of its browsers are known.
	User string
	// Handoffs performs operations on handoffs for a caller, as the routes do.
	Handoffs func(current.Caller) handoffops.Place
	// Problem is what a route answers to an error.
	Problem func(error) problem.Problem
	// Restores: kept work may be brought back. No route does that, nor the rest, so pages do it only where no
	// other user of the machine reaches them.
	Restores bool
	// Retry starts another run for a message of a thread with Runner, and returns its id.
	Retry  func(ctx context.Context, threadID, messageID string) (run string, err error)
	Runner string // the command, as a user would type it
	// Continue returns what an answer to the question of a relay starts.
	Continue func(ctx context.Context, ws *workspace.Workspace, relay string) (Continuation, error)
}

// Continuation is how a relay continues after an answer.
type Continuation struct {
	Says    string // what is started, in words
	Command string // that does the same, with TEXT for the answer
	Answer  func(ctx context.Context, text string) error
}

const (
	actPath  = Prefix + "act"
	takeOver = "take over" // of what somebody else holds, or reopening what is finished
)

// act is something that a person can do from a row or a page. Its page says what it will do, and has the
// form that does it.
type act struct {
	name   string // in addresses, and on links
	button string
	// see returns what the act would do now.
	see func(a asking) (actPage, error)
	// do does it, for the name and with the texts of a form.
	do func(a asking) error
}

// asking is the request for an act, by a person.
type asking struct {
	context.Context
	*Dashboard
	ws *workspace.Workspace
	request
}

func (a asking) ref() string { return a.Get("ref") }

// acts are all of them.
func acts() []act {
	return []act{
		{"claim", "Claim", asking.seeClaim, asking.claim},
		{takeOver, "Take over", asking.seeClaim, asking.claim},
		{"release", "Release", asking.seeRelease, asking.release},
		{"done", "Done", asking.seeDone, asking.done},
		{"answer", "Answer", asking.seeAnswer, asking.answer},
		{"restore", "Restore", asking.seeRestore, asking.restore},
		{"retry", "Retry", asking.seeRetry, asking.retry},
	}
}

func actNamed(name string) (act, bool) {
	for _, a := range acts() {
		if a.name == name {
			return a, true
		}
	}
	return act{}, false
}

// offer is a link to the page of an act.
type offer struct{ Name, URL, About string }

func offerOf(name, about string, at url.Values) offer {
	at.Set("do", name)
	return offer{name, actPath + "?" + at.Encode(), name + " " + about}
}

// offers are the acts on the newest handoff of a task. back is where the person is. A page that only shows
// asks for none.
func (d *Dashboard) offers(t overview.Task, mine func(path string) bool, back string) (list []offer) {
	add := func(names ...string) {
		for _, name := range names {
			list = append(list, offerOf(name, handoffName(t), url.Values{"ref": {t.Path}, "to": {back}}))
		}
	}
	switch {
	case t.State == overview.Asks && d.Continue != nil:
		return []offer{offerOf("answer", t.Slug, url.Values{"task": {fmt.Sprint(t.Task)}, "to": {back}})}
	case d.Handoffs == nil || t.Path == "":
	case t.State == overview.Held && mine(t.Path):
		add("release", "done")
	case t.State == overview.Held && t.Until != nil:
		add(takeOver)
	case t.State == overview.Held:
		add("claim")
	case t.State == overview.Stale, t.State == overview.Review, t.State == overview.Waiting, t.State == overview.Open:
		add("claim", "done")
	}
	return list
}

func handoffName(t overview.Task) string {
	if t.Ref != "" {
		return t.Ref
	}
	return t.Path
}

// holding returns whether a person holds a handoff. It looks only at what is asked for.
func (d *Dashboard) holding(ctx context.Context, ws *workspace.Workspace, p person) func(path string) bool {
	b, err := receipts.Open(ws)
	if p.id == "" || d.Handoffs == nil || err != nil {
		return func(string) bool { return false }
	}
	return func(path string) bool {
		t := receipts.Target{Dir: ws.Root, Ref: path, Who: d.caller(p)}
		claim, err := b.ClaimOn(ctx, t)
		if claim == "" || err != nil {
			return false
		}
		r, _, err := b.Life(ctx, t) // the claim may have been taken over
		return err == nil && r.State == receipt.Claimed && r.Claim == claim
	}
}

// history is what became of the handoff that an act is about, and how it is called in a sentence.
func (a asking) history() (h handoffops.History, called string, err error) {
	if err := a.mayAct(a.Handoffs != nil); err != nil {
		return h, "", err
	}
	h, err = handoffops.Receipts.On(a, a.Handoffs(a.caller(a.person)), a.ref(), ops.None{})
	name := a.ws.NameOf(h.Path)
	switch {
	case name.Task == 0:
		called = h.Path
	case name.PhaseText == "":
		called = fmt.Sprintf("the handoff of task %d", name.Task)
	default:
		called = fmt.Sprintf("phase %s of task %d", name.PhaseText, name.Task)
	}
	return h, called, err
}

var notOffered = &failure{http.StatusForbidden, "This page only shows the workspace: the act is not offered."}

// who is the name of the person in a sentence.
func (a asking) who() string { return cmp.Or(a.person.Name, "you") }

// named is the name in a command.
func (a asking) named() string { return cmp.Or(a.person.Name, "NAME") }

func (a asking) mine(h handoffops.History) bool { return a.holding(a, a.ws, a.person)(h.Path) }

// force reports whether a claim displaces another one, or reopens what is finished.
func (a asking) force(h handoffops.History) bool {
	return h.State == receipt.Claimed && !a.mine(h) || h.State == receipt.Done || h.State == receipt.Superseded
}

func (a asking) seeClaim() (p actPage, err error) {
	h, called, err := a.history()
	p = actPage{Title: "Claim " + called, AsksName: true, Command: shellword.Join("handoff", "claim", h.Path, "--as", a.named())}
	switch {
	case h.State == receipt.Claimed && a.mine(h):
		p.Says = fmt.Sprintf("Extends the claim of %s on %s to 2 hours from now.", h.By, called)
	case h.State == receipt.Claimed:
		p.Title = "Take over " + called
		p.Says = fmt.Sprintf("Takes %s over for %s from %s, who holds it until %s: that claim becomes stale, and %[3]s is told your reason.", called, a.who(), h.By, h.Until.UTC().Format("15:04 UTC"))
	case a.force(h):
		p.Says = fmt.Sprintf("Reopens %s, which is %s, and claims it for %s for 2 hours.", called, h.State, a.who())
	default:
		p.Says = fmt.Sprintf("Claims %s for %s for 2 hours: others are told, and it is offered to no other agent.", called, a.who())
	}
	if a.force(h) {
		p.Do, p.AsksWhy, p.Requires, p.Command = takeOver, true, true, p.Command+" --force --why TEXT"
	}
	return p, err
}

func (a asking) claim() error {
	h, _, err := a.history()
	if err != nil {
		return err
	}
	force := a.Get("do") == takeOver // a handoff that was claimed since the page was shown is refused
	_, err = handoffops.Claim.On(a, a.Handoffs(a.caller(a.person)), h.Path, receipts.ClaimRequest{As: a.person.Name, Force: force, Why: a.Get("why"), Key: "page-" + a.Get("key")})
	return err
}

func (a asking) seeRelease() (actPage, error) {
	h, called, err := a.history()
	return actPage{Title: "Release " + called, AsksWhy: true, Command: shellword.Join("handoff", "release", h.Path) + " --why TEXT",
		Says: fmt.Sprintf("Gives %s back: it waits again, and the next one is shown your reason.", called)}, err
}

func (a asking) release() error {
	_, err := handoffops.Release.On(a, a.Handoffs(a.caller(a.person)), a.ref(), receipts.ReleaseRequest{Why: a.Get("why")})
	return err
}

func (a asking) seeDone() (actPage, error) {
	h, called, err := a.history()
	mine := a.mine(h)
	p := actPage{Title: "Finish " + called, AsksName: !mine, Command: shellword.Join("handoff", "done", h.Path),
		Says: fmt.Sprintf("Records for %s that the work of %s is finished: no agent is offered it any longer. No tests are run.", a.who(), called)}
	if !mine {
		p.Command += " " + shellword.Join("--as", a.named())
	}
	return p, err
}

func (a asking) done() error {
	h, _, err := a.history()
	if err != nil {
		return err
	}
	r := receipts.DoneRequest{As: a.person.Name}
	if a.mine(h) {
		r.As = "" // the name of the claim
	}
	_, err = handoffops.Done.On(a, a.Handoffs(a.caller(a.person)), h.Path, r)
	return err
}

// question is what the relay of a task asks, and how it continues.
func (a asking) question() (q word.Asks, c Continuation, err error) {
	if err := a.mayAct(a.Continue != nil); err != nil {
		return q, c, err
	}
	for _, q = range word.Questions(a.ws) {
		if fmt.Sprint(q.Task) == a.Get("task") {
			c, err = a.Continue(a, a.ws, q.Relay)
			return q, c, err
		}
	}
	return q, c, &failure{http.StatusNotFound, "No relay of this task asks a question: it may have been answered."}
}

func (a asking) seeAnswer() (actPage, error) {
	q, c, err := a.question()
	return actPage{Title: "Answer " + q.Agent, Quote: q.Question, Says: c.Says, AsksText: true, Command: c.Command, Relay: q.Relay}, err
}

func (a asking) answer() error {
	q, c, err := a.question()
	text := strings.TrimSpace(a.Get("text"))
	switch {
	case err != nil:
		return err
	case q.Relay != a.Get("relay"):
		return &failure{http.StatusConflict, "Another relay of the task asks now: look at its question first."}
	case text == "":
		return &failure{http.StatusBadRequest, "The answer is empty."}
	}
	return c.Answer(a, text)
}

// refused is the problem of an act, in the words of the routes.
func (d *Dashboard) refused(err error) (p problem.Problem) {
	var known *failure
	switch {
	case errors.As(err, &known):
		return problem.Of(known.status, known.text)
	case d.Problem == nil:
		return problem.Of(http.StatusInternalServerError, err.Error())
	}
	return d.Problem(err)
}
