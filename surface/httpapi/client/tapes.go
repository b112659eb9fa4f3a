package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"handoff/tape"
	"handoff/tape/bulk"
	"handoff/workspace/tapes"
)

// Tape is a tape of a server. RIP has none.
type Tape struct {
	client *Client
	name   string
}

// Tape returns the server's tape with that name, which may not exist.
func (c *Client) Tape(name string) *Tape { return &Tape{c, name} }

// Tapes returns all tapes.
func (c *Client) Tapes(ctx context.Context) ([]tape.Info, error) {
	return call[[]tape.Info](ctx, c, "GET", []string{"tapes"}, nil)
}

// Name is the tape's name.
func (t *Tape) Name() string { return t.name }

func (t *Tape) path(what ...string) []string { return append([]string{"tapes", t.name}, what...) }

// get reads a part of a tape.
func get[T any](ctx context.Context, t *Tape, query url.Values, what ...string) (T, error) {
	result, _, err := ask[T](ctx, t.client, request{method: http.MethodGet, path: t.path(what...), query: query})
	return result, err
}

// change sends a request that writes. existed is true if the same key had made
// the change before.
func change[T any](ctx context.Context, t *Tape, what string, body any, key string) (result T, existed bool, err error) {
	result, code, err := ask[T](ctx, t.client, request{method: http.MethodPost, path: t.path(what), body: body, key: key})
	return result, code == http.StatusOK, err
}

// Info returns the tape's counts, last anchor and state.
func (t *Tape) Info(ctx context.Context) (tape.Info, error) { return get[tape.Info](ctx, t, nil) }

// Anchors returns the last anchors, all if limit is 0.
func (t *Tape) Anchors(ctx context.Context, limit int) ([]tape.Anchor, error) {
	return get[[]tape.Anchor](ctx, t, url.Values{"limit": {strconv.Itoa(limit)}}, "anchors")
}

// Search finds entries of the tape, or of all tapes of the server.
func (t *Tape) Search(ctx context.Context, s tape.Search, all bool) ([]tapes.Hit, error) {
	query := url.Values{"text": {s.Text}, "kind": s.Kinds}
	flag(query, "fuzzy", s.Fuzzy)
	flag(query, "all_tapes", all)
	for name, date := range map[string]string{"since": s.From, "until": s.To} {
		if date != "" {
			query.Set(name, date)
		}
	}
	if s.Limit != 0 {
		query.Set("limit", strconv.Itoa(s.Limit))
	}
	return get[[]tapes.Hit](ctx, t, query, "search")
}

func flag(query url.Values, name string, set bool) {
	if set {
		query.Set(name, "true")
	}
}

// Context builds the messages for a model.
func (t *Tape) Context(ctx context.Context, r tapes.ContextRequest) (tapes.Context, error) {
	query := windowQuery(r.Window)
	flag(query, "all", r.Window == tape.Window{})
	flag(query, "no_anchor_state", r.WithoutState)
	flag(query, "no_reasoning", r.WithoutReasoning)
	flag(query, "contract", r.Contract)
	query.Set("for", r.For)
	if r.Limit != 0 {
		query.Set("context_limit", strconv.Itoa(r.Limit))
	}
	c, err := get[tapes.Context](ctx, t, query, "context")
	c.Request = append(c.Request, '\n')
	return c, err
}

// Recover returns where to resume.
func (t *Tape) Recover(ctx context.Context) (tape.Recovery, error) {
	return get[tape.Recovery](ctx, t, nil, "recover")
}

// Append appends entries: all or none, if they fit into one request; otherwise in
// parts, see [bulk.Append].
func (t *Tape) Append(ctx context.Context, r tape.AppendRequest) (a tapes.Appended, err error) {
	if len(r.Entries) == 0 {
		return t.appendPart(ctx, r) // the server reports invalid values
	}
	a.Tape = t.name
	parts := func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
		part, err := t.appendPart(ctx, r)
		a.Existed = part.Existed
		return part.Entries, err
	}
	given := func(yield func(tape.Entry, error) bool) {
		for _, e := range r.Entries {
			if !yield(e, nil) {
				return
			}
		}
	}
	for e, err := range bulk.Append(ctx, r, given, parts) {
		if err != nil {
			return a, err
		}
		a.Entries = append(a.Entries, e)
	}
	return a, nil
}

func (t *Tape) appendPart(ctx context.Context, r tape.AppendRequest) (a tapes.Appended, err error) {
	a, a.Existed, err = change[tapes.Appended](ctx, t, "entries", r, r.Key)
	return a, err
}

// HandOff writes the anchor and the event of a handoff.
func (t *Tape) HandOff(ctx context.Context, r tapes.HandoffRequest) (a tapes.Appended, err error) {
	a, a.Existed, err = change[tapes.Appended](ctx, t, "handoff", r, r.Key)
	return a, err
}

// Fork creates a tape that continues this one.
func (t *Tape) Fork(ctx context.Context, r tapes.ForkRequest) (f tape.ForkResult, err error) {
	f, f.Existed, err = change[tape.ForkResult](ctx, t, "fork", r, r.Key)
	return f, err
}

// Merge appends the fork's own entries to its parent, and archives the fork.
func (t *Tape) Merge(ctx context.Context, r tapes.MergeRequest) (tape.MergeResult, error) {
	result, _, err := change[tape.MergeResult](ctx, t, "merge", r, "")
	return result, err
}

// Discard archives the fork without merging it.
func (t *Tape) Discard(ctx context.Context, r tapes.DiscardRequest) (tape.MergeResult, error) {
	result, _, err := change[tape.MergeResult](ctx, t, "discard", r, "")
	return result, err
}

// Reset archives the tape's entries and starts it again.
func (t *Tape) Reset(ctx context.Context, r tapes.ResetRequest) (a tapes.Archived, err error) {
	if err := tapes.CheckConfirmed(t.name, r.Archive, r.Confirm); err != nil {
		return a, err
	}
	a, _, err = change[tapes.Archived](ctx, t, "reset", r, r.Key)
	return a, err
}

// Create creates a tape, or leaves an existing one unchanged.
func (t *Tape) Create(ctx context.Context, bare bool) (tapes.Created, error) {
	query := url.Values{}
	flag(query, "bare", bare)
	c, _, err := ask[tapes.Created](ctx, t.client, request{method: http.MethodPut, path: t.path(), query: query})
	return c, err
}

// Delete archives the tape's entries and deletes it.
func (t *Tape) Delete(ctx context.Context, r tapes.DeleteRequest) (a tapes.Archived, err error) {
	if err := tapes.CheckConfirmed(t.name, r.Archive, r.Confirm); err != nil {
		return a, err
	}
	query := url.Values{}
	if r.Archive != nil {
		query.Set("archive", strconv.FormatBool(*r.Archive))
	}
	if r.Confirm != "" {
		query.Set("confirm", r.Confirm)
	}
	a, _, err = ask[tapes.Archived](ctx, t.client, request{method: http.MethodDelete, path: t.path(), query: query})
	return a, err
}

// Send creates an envelope, and records on the tape that it was sent.
func (t *Tape) Send(ctx context.Context, r tapes.SendRequest) (tape.Envelope, error) {
	e, _, err := change[tape.Envelope](ctx, t, "send", r, "")
	return e, err
}

// Receive receives an envelope, once.
func (t *Tape) Receive(ctx context.Context, e tape.Envelope, r tapes.ReceiveRequest) (tapes.Received, error) {
	query := url.Values{}
	if r.Name != "" {
		query.Set("name", r.Name)
	}
	if r.As != "" {
		query.Set("as", r.As)
	}
	received, _, err := ask[tapes.Received](ctx, t.client, request{method: http.MethodPost, path: t.path("receive"), query: query, body: e})
	return received, err
}
