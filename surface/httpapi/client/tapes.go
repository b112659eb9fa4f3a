package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"handoff/tape"
	"handoff/tape/comma"
	"handoff/workspace"
)

// Tape asks a server of ours for one of its tapes: RIP has none.
type Tape struct {
	client *Client
	name   string
}

// Tape names a tape of the server.
func (c *Client) Tape(name string) *Tape { return &Tape{c, name} }

// Tapes tells of all tapes.
func (c *Client) Tapes(ctx context.Context) ([]tape.Info, error) {
	return call[[]tape.Info](ctx, c, "GET", []string{"tapes"}, nil)
}

// Name is the tape's name.
func (t *Tape) Name() string { return t.name }

func (t *Tape) path(what ...string) []string { return append([]string{"tapes", t.name}, what...) }

// lookAt asks for something that a tape has.
func lookAt[T any](ctx context.Context, t *Tape, query url.Values, what ...string) (T, error) {
	result, _, err := ask[T](ctx, t.client, request{method: http.MethodGet, path: t.path(what...), query: query})
	return result, err
}

// change asks for a change of a tape.
func change[T any](ctx context.Context, t *Tape, what string, body any, key string) (T, error) {
	result, _, err := ask[T](ctx, t.client, request{method: http.MethodPost, path: t.path(what), body: body, key: key})
	return result, err
}

// Info tells what is known of the tape.
func (t *Tape) Info(ctx context.Context) (tape.Info, error) { return lookAt[tape.Info](ctx, t, nil) }

// Anchors are the last anchors, all if limit is 0.
func (t *Tape) Anchors(ctx context.Context, limit int) ([]tape.Anchor, error) {
	return lookAt[[]tape.Anchor](ctx, t, url.Values{"limit": {strconv.Itoa(limit)}}, "anchors")
}

// Search finds entries of the tape, or of all tapes of the server.
func (t *Tape) Search(ctx context.Context, s tape.Search, all bool) ([]workspace.TapeHit, error) {
	query := url.Values{"text": {s.Text}, "kind": s.Kinds}
	flag(query, "fuzzy", s.Fuzzy)
	flag(query, "all_tapes", all)
	if s.Limit != 0 {
		query.Set("limit", strconv.Itoa(s.Limit))
	}
	return lookAt[[]workspace.TapeHit](ctx, t, query, "search")
}

func flag(query url.Values, name string, set bool) {
	if set {
		query.Set(name, "true")
	}
}

// Context makes what a model is to be given.
func (t *Tape) Context(ctx context.Context, r workspace.ContextRequest) (c workspace.TapeContext, err error) {
	query := windowQuery(r.Window)
	flag(query, "all", r.Window == tape.Window{})
	flag(query, "no_anchor_state", r.WithoutState)
	flag(query, "no_reasoning", r.WithoutReasoning)
	flag(query, "contract", r.Contract)
	query.Set("for", r.For)
	if r.Limit != 0 {
		query.Set("context_limit", strconv.Itoa(r.Limit))
	}
	a, err := lookAt[struct {
		Request  json.RawMessage `json:"request"`
		Messages int             `json:"messages"`
		Tokens   int             `json:"tokens"`
		Limit    int             `json:"context_limit"`
		Dropped  json.RawMessage `json:"dropped"`
	}](ctx, t, query, "context")
	if err != nil {
		return c, err
	}
	c = workspace.TapeContext{Request: append(a.Request, '\n'), Messages: a.Messages, Tokens: a.Tokens, Limit: a.Limit}
	if err := json.Unmarshal(a.Dropped, &c.Dropped); err != nil {
		return c, fmt.Errorf("unexpected answer from the server: %w", err)
	}
	return c, nil
}

// Recover tells where the tape has come to.
func (t *Tape) Recover(ctx context.Context) (tape.Recovery, error) {
	return lookAt[tape.Recovery](ctx, t, nil, "recover")
}

// appended is the answer to what appends.
type appended struct {
	Entries []tape.Entry `json:"entries"`
}

// Append adds entries: all or none of them, where they are no more than a server
// takes at once. Else they go in parts: see [tape.AppendParts].
func (t *Tape) Append(ctx context.Context, r tape.AppendRequest) (stored []tape.Entry, err error) {
	given := func(yield func(tape.Entry, error) bool) {
		for _, e := range r.Entries {
			if !yield(e, nil) {
				return
			}
		}
	}
	if len(r.Entries) == 0 {
		return t.appendPart(ctx, r) // the server says what is wrong with that
	}
	for e, err := range tape.AppendParts(ctx, r, given, t.appendPart) {
		if err != nil {
			return stored, err
		}
		stored = append(stored, e)
	}
	return stored, nil
}

func (t *Tape) appendPart(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
	body := struct {
		Entries []tape.Entry `json:"entries"` // their ids are given anew; a date of null is now
		After   *int64       `json:"after,omitempty"`
		Bare    bool         `json:"bare,omitempty"`
	}{r.Entries, r.After, r.Bare}
	a, err := change[appended](ctx, t, "entries", body, r.Key)
	return a.Entries, err
}

// HandOff writes the anchor and the event of a handoff.
func (t *Tape) HandOff(ctx context.Context, h comma.HandoffRequest, r tape.AppendRequest) ([]tape.Entry, error) {
	a, err := change[appended](ctx, t, "handoff", struct {
		Name  string          `json:"name"`
		State json.RawMessage `json:"state,omitempty"`
		Meta  json.RawMessage `json:"meta,omitempty"`
		After *int64          `json:"after,omitempty"`
		Bare  bool            `json:"bare,omitempty"`
	}{h.Name, h.State, h.Meta, r.After, r.Bare}, r.Key)
	return a.Entries, err
}

// Fork makes a tape that goes on from this one.
func (t *Tape) Fork(ctx context.Context, r tape.ForkRequest) (tape.ForkResult, error) {
	body := struct {
		To                string  `json:"to,omitempty"`
		FromAnchor        *string `json:"from_anchor,omitempty"`
		FromEntry         *int64  `json:"from_entry,omitempty"`
		Until             string  `json:"until,omitempty"`
		NextSteps         *string `json:"next_steps,omitempty"`
		ContextSummary    *string `json:"context_summary,omitempty"`
		TriggerOnComplete *string `json:"trigger_on_complete,omitempty"`
		Link              bool    `json:"link"`
	}{To: r.To, FromAnchor: r.FromAnchor, FromEntry: r.FromEntry, Until: r.Until, Link: r.Link}
	if i := r.Intention; i != nil {
		body.NextSteps, body.ContextSummary, body.TriggerOnComplete = &i.NextSteps, &i.ContextSummary, i.TriggerOnComplete
	}
	return change[tape.ForkResult](ctx, t, "fork", body, r.Key)
}

// Merge appends what the fork has of its own to its parent, and archives it.
func (t *Tape) Merge(ctx context.Context, r tape.MergeRequest) (tape.MergeResult, error) {
	return change[tape.MergeResult](ctx, t, "merge", map[string]bool{"keep_anchors": r.KeepAnchors}, "")
}

// Discard archives the fork, and takes nothing over.
func (t *Tape) Discard(ctx context.Context, reason string) (tape.MergeResult, error) {
	return change[tape.MergeResult](ctx, t, "discard", map[string]string{"reason": reason}, "")
}

// Reset begins the tape anew. To destroy what it has wants sure.
func (t *Tape) Reset(ctx context.Context, r tape.ResetRequest, sure bool) (archived string, err error) {
	if err := workspace.SureOfReset(t.name, r, sure); err != nil {
		return "", err
	}
	body := map[string]any{"archive": !r.NoArchive}
	if r.NoArchive {
		body["confirm"] = t.name
	}
	a, err := change[workspace.TapeReset](ctx, t, "reset", body, r.Key)
	return a.Archived, err
}

// Create begins a tape that is not there.
func (t *Tape) Create(ctx context.Context, bare bool) (created bool, err error) {
	query := url.Values{}
	flag(query, "bare", bare)
	a, _, err := ask[struct {
		Created bool `json:"created"`
	}](ctx, t.client, request{method: http.MethodPut, path: t.path(), query: query})
	return a.Created, err
}

// Delete takes the tape away. To destroy what it has wants sure.
func (t *Tape) Delete(ctx context.Context, r tape.DeleteRequest, sure bool) (archived string, err error) {
	if err := workspace.SureOfReset(t.name, tape.ResetRequest{NoArchive: r.NoArchive}, sure); err != nil {
		return "", err
	}
	query := url.Values{}
	if r.NoArchive {
		query.Set("archive", "false")
		query.Set("confirm", t.name)
	}
	a, _, err := ask[workspace.TapeReset](ctx, t.client, request{method: http.MethodDelete, path: t.path(), query: query})
	return a.Archived, err
}

// Send makes an envelope, and notes on the tape that it was handed over.
func (t *Tape) Send(ctx context.Context, r tape.SendRequest) (tape.Envelope, error) {
	body := map[string]string{"from": r.From, "to": r.To}
	if r.Reason != "" {
		body["reason"] = r.Reason
	}
	if r.Summary != "" {
		body["summary"] = r.Summary
	}
	if i := r.Intention; i != nil {
		body["next_steps"], body["context_summary"] = i.NextSteps, i.ContextSummary
	}
	return change[tape.Envelope](ctx, t, "send", body, "")
}

// Receive takes an envelope over, once.
func (t *Tape) Receive(ctx context.Context, e tape.Envelope, r workspace.ReceiveRequest) (anchor tape.Entry, existed bool, err error) {
	query := url.Values{}
	if r.Name != "" {
		query.Set("name", r.Name)
	}
	if r.As != "" {
		query.Set("as", r.As)
	}
	a, _, err := ask[struct {
		Anchor  tape.Entry `json:"anchor"`
		Existed bool       `json:"existed"`
	}](ctx, t.client, request{method: http.MethodPost, path: t.path("receive"), query: query, body: e})
	return a.Anchor, a.Existed, err
}
