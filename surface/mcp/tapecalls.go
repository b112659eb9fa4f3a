package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/internal/text/say"
	"handoff/log/tape"
	handingoff "handoff/log/tape/tool"
	"handoff/workspace"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// Defaults and limits of what the tools for tapes return.
const (
	readEntries   = 50
	foundEntries  = 20
	listedAnchors = 20
)

// onTape is a tool for tapes with arguments A.
func onTape[A any](writes bool, do func(c *call, all *tapes.Tapes, in A) (answer, error)) func(*call) (answer, error) {
	return func(c *call) (answer, error) {
		var in A
		if err := c.withObjects(&in); err != nil {
			return answer{}, err
		}
		all, err := tapes.In(c.ws, "", writes)
		if err != nil {
			return answer{}, err
		}
		defer all.Close()
		return do(c, all, in)
	}
}

// withObjects is [call.arguments] for arguments that may have any object: a field of the type json.RawMessage gets its text.
func (c *call) withObjects(into any) error {
	to := reflect.ValueOf(into).Elem()
	for i := range to.NumField() {
		f, name := to.Field(i), to.Type().Field(i).Tag.Get("yaml")
		if f.Type() != reflect.TypeFor[json.RawMessage]() {
			continue
		}
		value, err := c.take(name)
		if err != nil {
			return err
		}
		if value != "" && value != "null" {
			if !strings.HasPrefix(value, "{") {
				return fmt.Errorf("%s: want an object: %w", name, handoff.ErrInvalid)
			}
			f.SetBytes([]byte(value))
		}
	}
	return c.arguments(into)
}

// take takes an argument out of the others, as JSON; "" if it is not among them.
func (c *call) take(name string) (value string, err error) {
	if len(c.args) == 0 {
		return "", nil
	}
	members, err := jsontext.Python.Object(string(c.args))
	if err != nil {
		return "", fmt.Errorf("%w: want an object with the arguments", handoff.ErrInvalid)
	}
	rest := members[:0]
	for _, m := range members {
		if m.Name == name {
			value = m.Value
			continue
		}
		rest = append(rest, m)
	}
	c.args = jsontext.Python.AppendMembers(nil, rest)
	return value, nil
}

// takeText is take for a text.
func (c *call) takeText(name string) (string, error) {
	value, err := c.take(name)
	switch {
	case err != nil || value == "" || value == "null":
		return "", err
	case !jsontext.IsText(value):
		return "", fmt.Errorf("%s: want a text: %w", name, handoff.ErrInvalid)
	}
	return jsontext.Text(value), nil
}

// existing is a tape that is there: a wrong name would read as a tape without entries.
func existing(all *tapes.Tapes, name string) (tapeops.Here, error) {
	one, err := all.Tape(name)
	if err != nil {
		return tapeops.Here{}, err
	}
	return there(one)
}

func there(one *tapes.Tape) (tapeops.Here, error) {
	if ok, err := one.Exists(); err != nil || !ok {
		return tapeops.Here{}, cmp.Or(err, error(workspace.NotFound("no tape "+foreign(one.Name())+" here (tape_info lists the tapes)")))
	}
	return tapeops.Here{Tape: one}, nil
}

// wroteValue is the result of what appends.
type wroteValue struct {
	Tape   string  `json:"tape"`
	IDs    []int64 `json:"ids,omitempty"`
	Queued bool    `json:"queued,omitempty"` // the store is away: the entries wait, and have no ids yet
}

func wrote(a tapes.Appended, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	v := wroteValue{Tape: a.Tape, Queued: a.Queued}
	for _, e := range a.Entries {
		v.IDs = append(v.IDs, e.ID)
	}
	switch {
	case a.Queued:
		return answer{text: "The store is away: the entries wait, and are appended when it is back.\n", value: v}, nil
	case a.Existed:
		return answer{text: "Already appended with the same idempotency_key.\n", value: v}, nil
	}
	return answer{text: fmt.Sprintf("Appended: %s, ids from %d.\n", say.Count(len(v.IDs), "entry"), v.IDs[0]), value: v}, nil
}

// tapeHandoff reads its arguments as a loop does that got the call from a model.
func tapeHandoff(c *call) (answer, error) {
	name, err := c.takeText("tape")
	if err != nil {
		return answer{}, err
	}
	key, err := c.takeText("idempotency_key")
	if err != nil {
		return answer{}, err
	}
	said, err := handingoff.Request(c.args)
	if err != nil {
		return answer{}, err
	}
	all, err := tapes.In(c.ws, "", true)
	if err != nil {
		return answer{}, err
	}
	defer all.Close()
	one, err := all.Tape(name)
	if err != nil {
		return answer{}, err
	}
	return wrote(tapeops.Handoff.On(c, tapeops.Here{Tape: one}, "", tapes.HandoffRequest{Name: said.Name, State: said.State, Key: key}))
}

func tapeAppend(c *call, all *tapes.Tapes, in tapeAppendArguments) (answer, error) {
	e, err := in.entry()
	if err != nil {
		return answer{}, err
	}
	one, err := all.Tape(in.Tape)
	if err != nil {
		return answer{}, err
	}
	return wrote(tapeops.Append.On(c, tapeops.Here{Tape: one}, "", tape.AppendRequest{Entries: []tape.Entry{e}, Key: in.Key}))
}

// entry is a message, or the entry of a kind with a payload.
func (in tapeAppendArguments) entry() (tape.Entry, error) {
	message := in.Content != "" || in.Role != ""
	switch {
	case message == (in.Kind != "" || in.Payload != nil):
		return tape.Entry{}, fmt.Errorf("want content (and role) for a message, or kind and payload: %w", handoff.ErrInvalid)
	case !message && (in.Kind == "" || in.Payload == nil):
		return tape.Entry{}, fmt.Errorf("want kind and payload: %w", handoff.ErrInvalid)
	case message && in.Content == "":
		return tape.Entry{}, fmt.Errorf("want content: %w", handoff.ErrInvalid)
	case !slices.Contains([]string{"", "user", "assistant", "system"}, in.Role):
		return tape.Entry{}, fmt.Errorf("role: want user, assistant or system: %w", handoff.ErrInvalid)
	case !message:
		return tape.NewEntry(in.Kind, in.Payload, nil)
	}
	return tape.NewEntry(tape.KindMessage, struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{cmp.Or(in.Role, "user"), in.Content}, nil)
}

func tapeFork(c *call, all *tapes.Tapes, in tapeForkArguments) (answer, error) {
	one, err := existing(all, in.Tape)
	if err != nil {
		return answer{}, err
	}
	r := tapes.ForkRequest{To: in.To, FromAnchor: given(in.FromAnchor), NextSteps: given(in.NextSteps), ContextSummary: given(in.ContextSummary), Key: in.Key}
	if in.Notify {
		r.TriggerOnComplete = given("notify_parent")
	}
	v, err := tapeops.Fork.On(c, one, "", r)
	if err != nil {
		return answer{}, err
	}
	return answer{text: fmt.Sprintf("Forked, with %s. Append to it with its name as tape, then tape_merge or tape_discard.\n", say.Count(int(v.Entries), "entry")), value: v}, nil
}

func tapeMerge(c *call, all *tapes.Tapes, in tapeMergeArguments) (answer, error) {
	return ended(all, in.Fork, "Merged", func(one tapeops.Here) (tape.MergeResult, error) {
		return tapeops.Merge.On(c, one, "", tapes.MergeRequest{})
	})
}

func tapeDiscard(c *call, all *tapes.Tapes, in tapeDiscardArguments) (answer, error) {
	return ended(all, in.Fork, "Discarded", func(one tapeops.Here) (tape.MergeResult, error) {
		return tapeops.Discard.On(c, one, "", tapes.DiscardRequest{Reason: in.Reason})
	})
}

func ended(all *tapes.Tapes, fork, what string, end func(tapeops.Here) (tape.MergeResult, error)) (answer, error) {
	one, err := all.Tape(fork) // a fork that was merged is not there: the operation says what became of it
	if err != nil {
		return answer{}, err
	}
	v, err := end(tapeops.Here{Tape: one})
	if err != nil {
		return answer{}, err
	}
	return answer{text: fmt.Sprintf("%s: %s. The fork is archived.\n", what, say.Count(v.Entries, "entry")), value: v}, nil
}

// given is nil for an argument that was not given.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// onlyTapes reports whether a folder in which no workspace was found has tapes, which need no more.
func onlyTapes(ws *workspace.Workspace, err error) bool {
	return ws != nil && errors.Is(err, fs.ErrNotExist) && workspace.IsDir(filepath.Join(ws.Root, workspace.StateDir, "tape"))
}
