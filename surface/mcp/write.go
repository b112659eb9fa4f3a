package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff"
	"handoff/lint"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
)

// newValue is the result of handoff_new.
type newValue struct {
	Ref      string    `json:"ref"`
	Path     string    `json:"path"`
	Findings []finding `json:"findings"`          // that did not prevent it
	Warning  string    `json:"warning,omitempty"` // what was not done besides
}

// write is the tool handoff_new: `handoff new --from`, with the arguments as values.
func write(c *call) (answer, error) {
	if err := c.takeClaim(); err != nil {
		return answer{}, err
	}
	draft, err := create.ParseDraft(argumentsName, c.args)
	if err != nil {
		return answer{}, err
	}
	b, err := receipts.Open(c.ws)
	if err == nil && c.claim != "" {
		err = b.Check(c.claim)
	}
	if err != nil {
		return answer{}, err
	}
	made, err := create.Run(c, c.ws, create.Request{Values: draft.Values, Slug: draft.Slug})
	var refusal *create.RefusedError
	if errors.As(err, &refusal) {
		return refused("Not written. Fix these and call handoff_new again with all values:", draftFindings(draft, refusal)), nil
	}
	if err != nil {
		return answer{}, err
	}
	return c.written(b, made), nil
}

// takeClaim removes the claim from the arguments, which otherwise are the values of a
// document. It replaces that of the environment.
func (c *call) takeClaim() error {
	var all map[string]json.RawMessage
	if json.Unmarshal(c.args, &all) != nil || all["claim"] == nil {
		return nil // ParseDraft reports what is wrong
	}
	var claim *string
	if err := json.Unmarshal(all["claim"], &claim); err != nil {
		return fmt.Errorf("claim: %w: want the text that handoff_claim returned", handoff.ErrInvalid)
	}
	if claim != nil {
		c.setClaim(*claim)
	}
	delete(all, "claim")
	rest, err := json.Marshal(all)
	c.args = rest
	return err
}

// setClaim makes a claim that the caller passed replace that of the environment.
func (c *call) setClaim(claim string) {
	if claim = strings.TrimSpace(claim); claim != "" {
		c.claim = claim
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

// written is the answer for a new document. It is on the disk, so what fails now is only
// a warning.
func (c *call) written(b *receipts.Book, made create.Created) answer {
	e := documents.EntryAt(c.ws, made.Path)
	v := newValue{Ref: e.Ref(), Path: made.Path, Findings: []finding{}}
	for _, f := range made.Findings {
		if f.Severity != lint.Note && len(v.Findings) < maxFindings {
			v.Findings = append(v.Findings, findingOf(f))
		}
	}
	failed := made.Unlinked
	if c.claim != "" {
		if err := b.Supersede(c, c.claim, made.Path); err != nil {
			failed = errors.Join(failed, fmt.Errorf("the claim is not superseded: %w", err))
		}
	}
	if failed != nil {
		v.Warning = oneLine(failed.Error())
	}
	text := fmt.Sprintf("Written: %s\n", v.Path) + lines(v.Findings)
	if v.Warning != "" {
		text += v.Warning + "\n"
	}
	return answer{text: text, value: v}
}
