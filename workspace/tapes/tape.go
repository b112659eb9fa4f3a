package tapes

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/log/tape/chat"
	"handoff/log/tape/comma"
)

// Tape is one tape. Follow is that of the embedded tape.
type Tape struct {
	*tape.Tape
	all *Tapes
}

// All are the tapes that it is one of.
func (t *Tape) All() *Tapes { return t.all }

// Query iterates over the selected entries.
func (t *Tape) Query(_ context.Context, q tape.Query) iter.Seq2[tape.Entry, error] {
	return t.Tape.Query(q)
}

// Info returns the tape's counts, last anchor and state.
func (t *Tape) Info(context.Context) (tape.Info, error) { return t.Tape.Info() }

// Anchors returns the last anchors, all if the limit is 0.
func (t *Tape) Anchors(_ context.Context, r AnchorsRequest) ([]tape.Anchor, error) {
	anchors, err := t.Tape.Anchors(r.Limit)
	return append([]tape.Anchor{}, anchors...), err
}

// Search finds entries of the tape, or of all tapes of the workspace.
func (t *Tape) Search(_ context.Context, r SearchRequest) ([]Hit, error) {
	find := t.Tape.Search
	if r.All {
		find = t.all.Store.SearchAll
	}
	found, err := find(r.search())
	return hitsOf(found), err
}

// Lineage returns the trees of forks of the workspace, or the one that contains a tape or session.
func (t *Tape) Lineage(ctx context.Context, r LineageRequest) ([]*tape.Node, error) {
	if t.all.Home != nil {
		return nil, fmt.Errorf("a home of Bub has no lineage: %w", handoff.ErrInvalid)
	}
	trees, err := t.all.Store.Trees(ctx, r.Name)
	return append([]*tape.Node{}, trees...), err
}

// Recover returns where to resume. Its lists are never nil.
func (t *Tape) Recover(context.Context) (tape.Recovery, error) {
	r, err := t.Tape.Recover()
	if r.Entries == nil {
		r.Entries = []tape.Entry{}
	}
	if r.Unfinished == nil {
		r.Unfinished = []tape.Call{}
	}
	return r, err
}

// Append appends entries, see [tape.Tape.AppendOnce]. Without the store they are queued,
// unless the request needs its answer, as one with [tape.AppendRequest.After].
func (t *Tape) Append(ctx context.Context, r tape.AppendRequest) (Appended, error) {
	if t.all.options.Outbox != nil && t.all.Home == nil && r.After == nil {
		return t.appendOrQueue(ctx, r)
	}
	if err := t.create(ctx, r.Bare); err != nil {
		return Appended{}, err
	}
	stored, existed, err := t.AppendOnce(ctx, r)
	return Appended{Tape: t.Name(), Entries: stored, Existed: existed}, err
}

// HandOff writes the anchor and the event of a handoff.
func (t *Tape) HandOff(ctx context.Context, r HandoffRequest) (Appended, error) {
	if r.Overflow != "" {
		if !r.onlyOverflow() {
			return Appended{}, fmt.Errorf("overflow excludes all other members: %w", handoff.ErrInvalid)
		}
		return t.Overflow(ctx, r.Overflow)
	}
	h, err := r.Anchor()
	if err != nil {
		return Appended{}, err
	}
	return t.handOff(ctx, h, tape.AppendRequest{Key: r.Key, After: r.After, Bare: r.Bare})
}

func (t *Tape) handOff(ctx context.Context, h comma.HandoffRequest, r tape.AppendRequest) (a Appended, err error) {
	if r.Entries, err = t.HandoffEntries(h.Name, h.State, h.Meta); err != nil {
		return a, err
	}
	return t.Append(ctx, r)
}

// ErrNothingToCut is [chat.ErrNothingToCut].
var ErrNothingToCut = chat.ErrNothingToCut

// Overflow hands off because a model refused the context as too long, see
// [chat.Overflow]. cause is the model's error; if that is about something else,
// nothing is written.
func (t *Tape) Overflow(ctx context.Context, cause string) (Appended, error) {
	if !chat.IsContextLength(cause) {
		return Appended{}, fmt.Errorf("%.60q does not report that the context is too long: %w", cause, handoff.ErrInvalid)
	}
	var last *tape.Anchor
	since := tape.Query{}
	anchors, err := t.Tape.Anchors(1)
	if err != nil {
		return Appended{}, err
	}
	if len(anchors) > 0 {
		last, since.Window = &anchors[0], tape.FromLastAnchor()
	}
	state, step, err := chat.Overflow(last, t.Tape.Query(since), cause)
	if err != nil {
		return Appended{}, err
	}
	entries, err := t.HandoffEntries(chat.OverflowAnchor, state, nil)
	if err != nil {
		return Appended{}, err
	}
	return t.Append(ctx, tape.AppendRequest{Entries: append(entries, step)})
}

// Receive receives an envelope, once, see [tape.Tape.Receive].
func (t *Tape) Receive(ctx context.Context, r ReceiveRequest) (Received, error) {
	if err := cmp.Or(r.Body.Check(), r.check()); err != nil {
		return Received{}, err
	}
	if err := t.create(ctx, false); err != nil {
		return Received{}, err
	}
	anchor, existed, err := t.Tape.Receive(ctx, r.Body, r.Name)
	return Received{anchor, existed}, err
}

// create creates a missing tape of a home of Bub as Bub does: at its next turn,
// Bub would write the first anchor, which cuts off the entries before it. A
// caller that writes that anchor itself requests a bare tape. A tape of the
// workspace is created by its store.
func (t *Tape) create(ctx context.Context, bare bool) error {
	if t.all.Home == nil {
		return nil
	}
	ok, err := t.Exists()
	if err == nil && ok {
		err = t.all.Home.CheckEnd(t.Name())
	}
	if err != nil || ok || bare {
		return err
	}
	return t.Ensure(ctx)
}

// Context builds the messages for a model.
func (t *Tape) Context(_ context.Context, r ContextRequest) (Context, error) {
	c := Context{Limit: r.Limit}
	if c.Limit == 0 {
		c.Limit = chat.DefaultLimit
	}
	window, err := r.Part()
	if err != nil {
		return c, err
	}
	s, err := t.Slice(window)
	if err != nil {
		return c, err
	}
	messages, dropped := chat.Messages(s, chat.Options{WithoutState: r.WithoutState, WithoutReasoning: r.WithoutReasoning})
	messages, cleaned := chat.Clean(messages)
	c.Dropped = append(append([]chat.Dropped{}, dropped...), cleaned...)
	if r.Contract {
		messages = append([]chat.Message{chat.System(chat.Contract(c.Limit))}, messages...)
	}
	switch r.For {
	case "openai":
		c.Request = chat.OpenAI(messages)
	case "anthropic":
		var more []chat.Dropped
		c.Request, more = chat.Anthropic(messages)
		c.Dropped = append(c.Dropped, more...)
	default:
		return c, fmt.Errorf("unknown form %q (openai, anthropic): %w", r.For, handoff.ErrInvalid)
	}
	c.Messages, c.Tokens = len(messages), chat.Tokens(messages)
	c.Full = chat.Full(c.Tokens, c.Limit)
	return c, nil
}

// Fork creates a tape that continues this one.
func (t *Tape) Fork(ctx context.Context, r ForkRequest) (tape.ForkResult, error) {
	f, err := r.forTape()
	if err != nil {
		return tape.ForkResult{}, err
	}
	return t.Tape.Fork(ctx, f)
}

// Merge appends the fork's own entries to its parent, and archives the fork.
func (t *Tape) Merge(ctx context.Context, r MergeRequest) (tape.MergeResult, error) {
	return t.Tape.Merge(ctx, tape.MergeRequest{KeepAnchors: r.KeepAnchors})
}

// Discard archives the fork without merging it.
func (t *Tape) Discard(ctx context.Context, r DiscardRequest) (tape.MergeResult, error) {
	return t.Tape.Discard(ctx, r.Reason)
}

// Reset archives the tape's entries and starts it again.
func (t *Tape) Reset(ctx context.Context, r ResetRequest) (Archived, error) {
	if err := CheckConfirmed(t.Name(), r.Archive, r.Confirm); err != nil {
		return Archived{}, err
	}
	path, err := t.Tape.Reset(ctx, tape.ResetRequest{NoArchive: r.Archive != nil && !*r.Archive, Key: r.Key})
	return Archived{t.Name(), path}, err
}

// Create creates a tape, or leaves an existing one unchanged, see
// [tape.Tape.Create].
func (t *Tape) Create(ctx context.Context, r CreateRequest) (Created, error) {
	if err := t.all.options.Prepare(); err != nil {
		return Created{}, err
	}
	created, err := t.Tape.Create(ctx, r.Bare)
	return Created{t.Name(), created, !created}, err
}

// Delete archives the tape's entries and deletes it.
func (t *Tape) Delete(ctx context.Context, r DeleteRequest) (Archived, error) {
	if err := CheckConfirmed(t.Name(), r.Archive, r.Confirm); err != nil {
		return Archived{}, err
	}
	noArchive := r.Archive != nil && !*r.Archive
	if t.all.Home != nil {
		path, err := t.all.Home.Delete(ctx, t.Name(), noArchive)
		return Archived{t.Name(), path}, err
	}
	path, err := t.Tape.Delete(ctx, tape.DeleteRequest{NoArchive: noArchive})
	return Archived{t.Name(), path}, err
}

// Send creates an envelope, and records on the tape that it was sent.
func (t *Tape) Send(ctx context.Context, r SendRequest) (tape.Envelope, error) {
	r, err := r.flat()
	if err != nil {
		return tape.Envelope{}, err
	}
	s := tape.SendRequest{From: r.From, To: r.To, Reason: r.Reason, Summary: r.Summary}
	if r.NextSteps != nil || r.ContextSummary != nil {
		s.Intention = &tape.EnvelopeIntention{NextSteps: text(r.NextSteps), ContextSummary: text(r.ContextSummary)}
	}
	if t.all.options.Outbox != nil && t.all.Home == nil { // it refers to the last entry
		if err := t.all.first(ctx, t.Name()); err != nil {
			return tape.Envelope{}, err
		}
	}
	return t.Tape.Send(ctx, s)
}
