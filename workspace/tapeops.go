package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff"
	"handoff/tape"
	"handoff/tape/bub"
	"handoff/tape/chat"
	"handoff/tape/comma"
)

// Append adds entries, see [tape.Tape.AppendOnce].
func (t *Tapes) Append(ctx context.Context, one *tape.Tape, r tape.AppendRequest) (stored []tape.Entry, existed bool, err error) {
	if err := t.begin(ctx, one, r.Bare); err != nil {
		return nil, false, err
	}
	return one.AppendOnce(ctx, r)
}

// HandOff writes the anchor and the event of a handoff, in place of entries
// that the request would have.
func (t *Tapes) HandOff(ctx context.Context, one *tape.Tape, h comma.HandoffRequest, r tape.AppendRequest) (stored []tape.Entry, existed bool, err error) {
	if r.Entries, err = one.HandoffEntries(h.Name, h.State, h.Meta); err != nil {
		return nil, false, err
	}
	return t.Append(ctx, one, r)
}

// Overflow hands off because a model has refused the context as too long, see
// [tape.Tape.HandOffOverflow]. cause is what it said; where that is about
// something else nothing is done.
func (t *Tapes) Overflow(ctx context.Context, one *tape.Tape, cause string) ([]tape.Entry, error) {
	if !tape.IsContextLength(cause) {
		return nil, fmt.Errorf("%.60q does not report that the context is too long: %w", cause, handoff.ErrInvalid)
	}
	return one.HandOffOverflow(ctx, cause)
}

// Receive takes an envelope over, see [tape.Tape.Receive].
func (t *Tapes) Receive(ctx context.Context, one *tape.Tape, e tape.Envelope, r ReceiveRequest) (anchor tape.Entry, existed bool, err error) {
	if err := r.For(e); err != nil {
		return tape.Entry{}, false, err
	}
	if err := t.begin(ctx, one, false); err != nil {
		return tape.Entry{}, false, err
	}
	return one.Receive(ctx, e, r.Name)
}

// ReceiveRequest asks for an envelope to be taken over.
type ReceiveRequest struct {
	Name string // of the anchor, "context_handoff" if ""
	As   string // who takes it over, "" if that is not known
}

// For is fs.ErrExist where the envelope is addressed to somebody else.
func (r ReceiveRequest) For(e tape.Envelope) error {
	if r.As != "" && r.As != e.To {
		return fmt.Errorf("the envelope is for %q, not for %q: %w", e.To, r.As, ErrNotAddressed)
	}
	return nil
}

// ErrNotAddressed: who takes an envelope over is not whom it is for.
var ErrNotAddressed = fmt.Errorf("leave it to its receiver: %w", fs.ErrExist)

// begin makes a new tape in a home of Bub as Bub does. Else Bub would write the
// first anchor at its next turn, which would cut off what stands before it.
// A caller that writes that anchor itself begins the tape bare.
func (t *Tapes) begin(ctx context.Context, one *tape.Tape, bare bool) error {
	if t.Home == nil {
		return nil // the store sees to it
	}
	there, err := one.Exists()
	if err == nil && there {
		err = t.Home.CheckEnd(one.Name())
	}
	if err != nil || there || bare {
		return err
	}
	return one.Ensure(ctx)
}

// ContextRequest asks for what a model is to be given.
type ContextRequest struct {
	For          string // the form of the request: openai or anthropic
	Window       tape.Window
	WithoutState bool // leave out the state of the anchor that it begins behind
	// WithoutReasoning leaves out what models have thought.
	WithoutReasoning bool
	Contract         bool // begin with what the seed says of the context's length
	Limit            int  // of the context in tokens, chat.DefaultLimit if 0
}

// TapeContext is what a model is to be given.
type TapeContext struct {
	Request  []byte // a JSON object, what belongs into a provider's request
	Messages int
	Dropped  []chat.Dropped // what could not be told, and why
	Tokens   int            // about
	Limit    int
}

// Full reports whether it is time to hand off.
func (c TapeContext) Full() bool { return chat.Full(c.Tokens, c.Limit) }

// Context makes the messages of a tape for a model.
func (t *Tapes) Context(one *tape.Tape, r ContextRequest) (TapeContext, error) {
	c := TapeContext{Limit: r.Limit}
	if c.Limit == 0 {
		c.Limit = chat.DefaultLimit
	}
	s, err := one.Slice(r.Window)
	if err != nil {
		return c, err
	}
	messages, dropped := chat.Messages(s, chat.Options{WithoutState: r.WithoutState, WithoutReasoning: r.WithoutReasoning})
	messages, cleaned := chat.Clean(messages)
	dropped = append(dropped, cleaned...)
	if r.Contract {
		messages = append([]chat.Message{chat.System(chat.Contract(c.Limit))}, messages...)
	}
	switch r.For {
	case "openai":
		c.Request = chat.OpenAI(messages)
	case "anthropic":
		var more []chat.Dropped
		c.Request, more = chat.Anthropic(messages)
		dropped = append(dropped, more...)
	default:
		return c, fmt.Errorf("unknown form %q (openai, anthropic): %w", r.For, handoff.ErrInvalid)
	}
	c.Messages, c.Dropped, c.Tokens = len(messages), dropped, chat.Tokens(messages)
	return c, nil
}

// Recover tells where a tape has come to. Its lists are never nil.
func (t *Tapes) Recover(one *tape.Tape) (tape.Recovery, error) {
	r, err := one.Recover()
	if r.Entries == nil {
		r.Entries = []tape.Entry{}
	}
	if r.Unfinished == nil {
		r.Unfinished = []tape.Call{}
	}
	return r, err
}

// Create begins a tape that is not there, see [tape.Tape.Create].
func (t *Tapes) Create(one *tape.Tape, bare bool) (created bool, err error) {
	if err := t.workspace.enter(true); err != nil {
		return false, err
	}
	return one.Create(bare)
}

// Delete takes a tape away. To destroy what it has wants sure.
func (t *Tapes) Delete(ctx context.Context, one *tape.Tape, r tape.DeleteRequest, sure bool) (archived string, err error) {
	if err := SureOfReset(one.Name(), tape.ResetRequest{NoArchive: r.NoArchive}, sure); err != nil {
		return "", err
	}
	if t.Home != nil {
		return t.Home.Delete(ctx, one.Name(), r.NoArchive)
	}
	return one.Delete(ctx, r)
}

// Reset begins a tape anew. To destroy what it has wants sure.
func (t *Tapes) Reset(ctx context.Context, one *tape.Tape, r tape.ResetRequest, sure bool) (archived string, err error) {
	if err := SureOfReset(one.Name(), r, sure); err != nil {
		return "", err
	}
	return one.Reset(ctx, r)
}

// SureOfReset is [ErrUnsure] where a tape would be destroyed by who has not said
// that he is sure.
func SureOfReset(name string, r tape.ResetRequest, sure bool) error {
	if r.NoArchive && !sure {
		return fmt.Errorf("this destroys tape %s without an archive: %w", name, ErrUnsure)
	}
	return nil
}

// ErrUnsure: what cannot be taken back has to be said twice.
var ErrUnsure = errors.New("confirm")

// ImportTape makes a tape of the workspace from a file, or with a home of Bub
// from what Bub keeps there. to is its name, "" for the one it has; it must be
// free, else the error is fs.ErrExist.
func (t *Tapes) ImportTape(from, to string) (c bub.Converted, err error) {
	var source *tape.Tape
	if t.Home != nil {
		source, err = t.found(from)
	} else {
		source, err = t.Store.File(from)
	}
	if err != nil {
		return c, err
	}
	if to == "" {
		to = source.Name()
	}
	target, err := t.Store.Tape(to)
	if err != nil {
		return c, err
	}
	if err := t.workspace.enter(true); err != nil {
		return c, err
	}
	if t.Home != nil {
		return taken(t.Home.Import(source.Name(), t.Store, to))
	}
	return taken(bub.Convert(source, source.Name(), target))
}

// found is a tape of the home that is there.
func (t *Tapes) found(name string) (*tape.Tape, error) {
	if name == "" {
		return nil, errNoSession
	}
	stem, err := t.Home.Find(t.workspace.Root, name)
	if err != nil {
		return nil, err
	}
	return t.Home.Tape(stem)
}

// ExportTape writes all of a tape of the workspace to a new file, or with a
// home of Bub to the tape of a session there. What a linked fork refers to is
// copied. What is there already is fs.ErrExist.
func (t *Tapes) ExportTape(name, to string) (c bub.Converted, err error) {
	if name == "" {
		name = tape.Main
	}
	source, err := t.Store.Tape(name)
	if err != nil {
		return c, err
	}
	if there, err := source.Exists(); err != nil || !there {
		return c, errors.Join(err, fmt.Errorf("tape %s: no such tape here: %w", name, fs.ErrNotExist))
	}
	if t.Home == nil {
		if st, err := os.Stat(filepath.Dir(to)); err != nil || !st.IsDir() {
			return c, fmt.Errorf("%s: no such folder: %w", filepath.Dir(to), fs.ErrNotExist)
		}
		target, err := t.Store.File(to)
		if err != nil {
			return c, err
		}
		return taken(bub.Convert(source, name, target))
	}
	if to == "" {
		return c, errNoSession
	}
	stem, err := bub.SessionName(t.workspace.Root, to)
	if err != nil {
		return c, err
	}
	return taken(t.Home.Export(t.Store, source, stem))
}

// taken says what is there already.
func taken(c bub.Converted, err error) (bub.Converted, error) {
	if errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s already exists and is left unchanged: %w", c.Path, fs.ErrExist)
	}
	return c, err
}

// notCommand is the error for a text that was to be a command.
func notCommand(text string) error {
	return fmt.Errorf("%.60q is not a command: commands start with a comma, like ,handoff name=phase-1 summary=\"…\": %w", text, handoff.ErrInvalid)
}
