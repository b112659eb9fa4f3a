package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/lint"
	"handoff/log/receipt"
	"handoff/surface/problem"
	"handoff/workspace/authoring"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/pins"
	"handoff/workspace/plans"
)

// newValue is the result of handoff_new.
type newValue struct {
	Ref      string    `json:"ref"`
	Path     string    `json:"path"`
	Findings []finding `json:"findings"`           // that did not prevent it
	Carried  int       `json:"carried,omitempty"`  // items of the last handoff that were taken over
	Vanished int       `json:"vanished,omitempty"` // its pinned items that are not in the new one
	Warning  string    `json:"warning,omitempty"`  // warnings about what was not done
	// Displaced is where the handoff is kept that this one replaced before anybody took it up.
	Displaced string `json:"displaced,omitempty"`
	// Overtaken is the handoff of the task that was still waiting and no longer does.
	Overtaken string `json:"overtaken,omitempty"`
	// Beside are the handoffs that others hold and this one does not continue: they stay open.
	Beside []string `json:"beside,omitempty"`
}

// own are the arguments of handoff_new that are no values of the document.
type own struct {
	carry, unfenced bool
	key, replace    string
	claim           string // that the caller passed; "" for the one of the environment
}

// writeHandoff is the tool handoff_new: `handoff new --from`, with the arguments as values.
func writeHandoff(c *call) (answer, error) {
	own, err := c.takeOwn()
	if err != nil {
		return answer{}, err
	}
	draft, err := create.ParseDraft(argumentsName, c.args)
	if err != nil {
		return answer{}, err
	}
	if err := plans.Named(c.ws, &draft.Values.Named, &draft.Values.Task); err != nil {
		return answer{}, err
	}
	req := authoring.Request{
		Request: create.Request{Values: draft.Values, Slug: draft.Slug, Replace: own.replace, Unfenced: own.unfenced},
		Carry:   own.carry, Key: own.key, Claim: own.claim, Who: c.who, How: "handoff_new",
	}
	if c.config.Author != nil {
		req.Session = func(ctx context.Context) (func(*handoff.Document) string, []string) {
			return c.config.Author(ctx, c.ws)
		}
	}
	made, err := authoring.Run(c, c.ws, req)
	var refusal *create.RefusedError
	if errors.As(err, &refusal) {
		a := refused(problem.Refused, "Not written. Fix these and call handoff_new again with all values:", draftFindings(draft, refusal))
		if item, _, ok := refusal.Proposal(); ok {
			a.text += inert.Quote("next open item of the plan", item)
		}
		return a, nil
	}
	if err != nil {
		return answer{}, mayNotWrite(err)
	}
	return c.written(made), nil
}

// mayNotWrite adds what to do about a claim that forbids the handoff.
func mayNotWrite(err error) error {
	claimed, ok := errors.AsType[*authoring.ClaimedError](err)
	switch {
	case !ok:
	case claimed.Other:
		return fmt.Errorf("%w (if that claim is yours, pass it as claim; otherwise ask the user)", err)
	case errors.As(err, new(*receipt.UnsureError)):
		return fmt.Errorf("%w: nothing was written: try again in a minute, or pass unfenced to write a marked document", err)
	}
	return err
}

// takeOwn removes the arguments that are no values of the document. The claim replaces
// that of the environment.
func (c *call) takeOwn() (o own, err error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(c.args, &all) != nil {
		return o, nil // ParseDraft reports the problem
	}
	var claim, key, replace *string
	for _, a := range []struct {
		name, want string
		to         any
	}{
		{"claim", "the text that handoff_claim returned", &claim},
		{"carry", "true or false", &o.carry},
		{"unfenced", "true or false", &o.unfenced},
		{"idempotency_key", "a text", &key},
		{"replace", "the path or short name of a handoff", &replace},
	} {
		src, ok := all[a.name]
		if !ok {
			continue
		}
		if json.Unmarshal(src, a.to) != nil {
			return o, fmt.Errorf("%s: %w: want %s", a.name, handoff.ErrInvalid, a.want)
		}
		delete(all, a.name)
		c.args = nil
	}
	if claim != nil {
		c.setClaim(*claim)
		o.claim = strings.TrimSpace(*claim)
	}
	if key != nil {
		o.key = *key
	}
	if replace != nil {
		o.replace = *replace
	}
	if c.args == nil {
		c.args, err = json.Marshal(all)
	}
	return o, err
}

// setClaim makes a claim that the caller passed replace that of the environment.
func (c *call) setClaim(claim string) {
	if claim = strings.TrimSpace(claim); claim != "" {
		c.who.Claim = claim
	}
}

// draftFindings are the errors of a document that was refused, each with the argument
// that it is about.
func draftFindings(draft *create.Draft, e *create.RefusedError) (list []finding) {
	for _, f := range e.Findings {
		if f.Severity == lint.Error && len(list) < maxFindings {
			one := findingOf(f)
			one.Path, one.Line, one.Argument = "", 0, strings.TrimPrefix(draft.Pointer(e.Doc, f.Lines.First), "/")
			list = append(list, one)
		}
	}
	return list
}

// written is the answer for a new document. The document is already on the disk, so a
// later failure is only a warning.
func (c *call) written(made authoring.Result) answer {
	e := documents.EntryAt(c.ws, made.Path)
	v := newValue{Ref: e.Ref(), Path: made.Path, Findings: []finding{}, Carried: made.Carried.Shown + made.Carried.Moved, Displaced: made.Displaced, Overtaken: made.Overtaken}
	for _, f := range made.Findings {
		if len(v.Findings) < maxFindings {
			v.Findings = append(v.Findings, findingOf(f))
		}
	}
	failed := made.Unlinked
	for _, u := range made.Undone {
		failed = errors.Join(failed, fmt.Errorf("%s: %w", u.What, u.Err))
	}
	if failed != nil {
		v.Warning = foreign(failed.Error())
	}
	text := fmt.Sprintf("Written: %s\n", e.Name.Called(e.Path)) + c.pinned(&v) + lines(v.Findings)
	if v.Displaced != "" {
		text += fmt.Sprintf("This replaces a handoff that was not taken up: it is kept in %s.\n", documents.EntryAt(c.ws, v.Displaced).Name.Called(v.Displaced))
	}
	if v.Overtaken != "" {
		text += fmt.Sprintf("%s was still waiting; this one is newer and now waits instead.\n", documents.EntryAt(c.ws, v.Overtaken).Name.Called(v.Overtaken))
	}
	for _, path := range made.Assumed {
		text += fmt.Sprintf("It continues %s, which a program without a session and a terminal claimed here. If that was another agent than you, tell it.\n", documents.EntryAt(c.ws, path).Name.Called(path))
	}
	for _, held := range made.Beside {
		v.Beside = append(v.Beside, held.Path)
		text += fmt.Sprintf("%s is held by somebody else and stays open; this one waits beside it.\n", documents.EntryAt(c.ws, held.Path).Name.Called(held.Path))
	}
	for _, task := range made.Idle {
		text += "A subagent reported back without having called a tool: it only says what it did. " + inert.Quote("its task", task)
	}
	if v.Warning != "" {
		text += inert.Quote("warning", v.Warning)
	}
	return answer{text: text, value: v}
}

// pinned reports what became of the pinned items of the previous handoff. It
// ignores errors, because the new handoff is already written.
func (c *call) pinned(v *newValue) (text string) {
	before, n, err := pins.Vanished(c, c.ws, v.Path)
	if err == nil {
		v.Vanished = n
	}
	called := before.Name.Called(before.Path)
	if v.Carried > 0 {
		text = fmt.Sprintf("Taken over from %s: %d items of dead_ends and context.\n", called, v.Carried)
	}
	if v.Vanished > 0 {
		text += fmt.Sprintf("%d items of dead_ends and context in %s are not in it: add those that still hold to the file.\n", v.Vanished, called)
	}
	return text
}
