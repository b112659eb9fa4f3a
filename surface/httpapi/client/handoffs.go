package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"handoff/document/handoff"
	"handoff/lint/report"
	"handoff/surface/problem"
	"handoff/workspace/feed"
	"handoff/workspace/handoffops"
	"handoff/workspace/threads"
)

// The types of other packages that answers have.
type (
	Event          = feed.Event
	EventType      = feed.Type
	Problem        = problem.Problem
	ProblemType    = problem.Type
	CompileRequest = threads.CompileRequest
	LintFinding    = report.Finding
	FindingFix     = report.FindingFix
	FindingEdit    = report.FindingEdit
)

// Handoffs accesses the handoffs of a server. RIP has none. A handoff is named by
// 259/3 (task/phase, the newest), 259, latest, or its path below the workspace.
type Handoffs struct{ client *Client }

// Handoffs returns the server's handoffs.
func (c *Client) Handoffs() *Handoffs { return &Handoffs{c} }

// NewHandoff is what a new handoff contains: the values of `handoff schema new`, or a
// whole document. A nil list is missing; an empty one is a section with nothing to say.
type NewHandoff struct {
	Phase      int      `json:"phase,omitempty"`
	Slug       string   `json:"slug,omitempty"`
	NextAction string   `json:"next_action,omitempty"`
	State      State    `json:"state,omitzero"`
	Decisions  []string `json:"decisions,omitzero"`
	Deviations []string `json:"deviations,omitzero"`
	DeadEnds   []string `json:"dead_ends,omitzero"`
	Context    []string `json:"context,omitzero"`
	References []string `json:"references,omitzero"`
	Understand []string `json:"understand_first,omitzero"`
	WaitingFor []string `json:"waiting_for,omitzero"`
	Background []string `json:"left_running,omitzero"`
	Thread     string   `json:"thread,omitempty"`
	Seq        *int64   `json:"seq,omitempty"`
	Profile    string   `json:"profile,omitempty"`

	Markdown string `json:"markdown,omitempty"` // instead of the values, but for phase and slug
	Draft    bool   `json:"draft,omitempty"`    // write it despite lint errors
	DryRun   bool   `json:"dry_run,omitempty"`  // write nothing
	Claim    string `json:"claim,omitempty"`    // of the handoff that this one continues
	Carry    bool   `json:"carry,omitempty"`    // take over dead ends and context of the handoff before
	Unfenced bool   `json:"unfenced,omitempty"` // write it, marked, if the claim cannot be checked now
	Key      string `json:"-"`                  // idempotency key
}

// State is the state of the work in a new handoff.
type State struct {
	File     string `json:"file,omitempty"`
	Location string `json:"location,omitempty"`
	Goal     string `json:"goal,omitempty"`
}

// NewResult is a new handoff.
type NewResult struct {
	Path     string    `json:"path"`
	Ref      string    `json:"ref"`
	Findings []Finding `json:"findings"`
	Document string    `json:"document"` // the text, with DryRun
	Carried  int       `json:"carried"`  // items that were taken over, with Carry
	Vanished int       `json:"vanished"` // pinned items of the handoff before that are not in it
	Warnings []string  `json:"warnings"` // what failed after it was written
	Existed  bool      `json:"-"`        // the same key had written it before
}

// Finding is a finding about a new handoff, at its place in the request.
type Finding struct {
	report.Finding
	Pointer string `json:"pointer"`
}

// New writes a handoff of a task. If it is refused, the error is a [*StatusError] with
// the findings.
func (h *Handoffs) New(ctx context.Context, task int, n NewHandoff) (NewResult, error) {
	made, code, err := ask[NewResult](ctx, h.client, request{method: http.MethodPost, path: []string{"specs", strconv.Itoa(task), "handoffs"}, body: n, key: n.Key})
	made.Existed = code == http.StatusOK && !n.DryRun
	return made, err
}

// Perform asks the server for an operation: see [ops.Op.On]. An error with the status of a refusal is
// fs.ErrExist: another session holds the handoff, or it is done.
func (h *Handoffs) Perform(ctx context.Context, o handoffops.Operation, ref string, in, result any) error {
	return perform(ctx, h.client, o, ref, in, result)
}

// Selection selects events. The zero value selects all.
type Selection struct {
	From  uint64 // number of the first event
	Task  *int   // nil for any
	Types []feed.Type
}

// Events iterates over the existing and future events of all handoffs until ctx is done.
// It reconnects when the connection breaks, and yields each event once.
func (h *Handoffs) Events(ctx context.Context, s Selection) iter.Seq2[feed.Event, error] {
	return func(yield func(feed.Event, error) bool) {
		f := feedReader{client: h.client, query: s.query(), next: s.From, yield: yield}
		if err := f.persist(ctx, f.read); err != nil && !f.done {
			yield(feed.Event{}, err)
		}
	}
}

func (s Selection) query() url.Values {
	query := url.Values{}
	if s.Task != nil {
		query.Set("task", strconv.Itoa(*s.Task))
	}
	for _, t := range s.Types {
		query.Add("type", string(t))
	}
	return query
}

// feedReader reads the events of handoffs.
type feedReader struct {
	reading
	client *Client
	query  url.Values
	next   uint64 // number after the last event
	yield  func(feed.Event, error) bool
	done   bool // the caller stopped
}

// read reads from one connection.
func (f *feedReader) read(ctx context.Context) error {
	header := http.Header{}
	if f.got > 0 {
		header.Set("Last-Event-ID", strconv.FormatUint(f.next-1, 10))
	} else {
		f.query.Set("from_seq", strconv.FormatUint(f.next, 10))
	}
	resp, err := f.client.send(ctx, request{method: http.MethodGet, path: []string{"handoffs", "events"}, query: f.query, header: header})
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f.connected = true
	for in := eventsOf(resp.Body); ; {
		e, err := next(in)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF // this stream never ends
		}
		if err != nil {
			return err
		}
		if err := f.give(e.data); err != nil || f.done {
			return err
		}
	}
}

func (f *feedReader) give(data []byte) error {
	var e feed.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%w: %w", errMalformed, err)
	}
	if e.Seq < f.next {
		return nil
	}
	f.next = e.Seq + 1
	f.got++
	f.done = !f.yield(e, nil)
	return nil
}

// checkRef returns an error for a name that would change the path of a request.
func checkRef(ref string) error {
	if ref == "" || ref == "." || ref == ".." {
		return fmt.Errorf("%w: a handoff is 259/3 (task/phase), 259, latest or a path, not %q", handoff.ErrInvalid, ref)
	}
	return nil
}
