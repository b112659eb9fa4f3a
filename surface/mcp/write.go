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
	"handoff/workspace/pins"
	"handoff/workspace/receipts"
)

// newValue is the result of handoff_new.
type newValue struct {
	Ref      string    `json:"ref"`
	Path     string    `json:"path"`
	Findings []finding `json:"findings"`           // that did not prevent it
	Carried  int       `json:"carried,omitempty"`  // items of the last handoff that were taken over
	Vanished int       `json:"vanished,omitempty"` // its pinned items that are not in the new one
	Warning  string    `json:"warning,omitempty"`  // warnings about what was not done
}

// write is the tool handoff_new: `handoff new --from`, with the arguments as values.
func write(c *call) (answer, error) {
	carry, err := c.takeOwn()
	if err != nil {
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
	made, carried, err := c.create(create.Request{Values: draft.Values, Slug: draft.Slug}, carry)
	var refusal *create.RefusedError
	if errors.As(err, &refusal) {
		return refused("Not written. Fix these and call handoff_new again with all values:", draftFindings(draft, refusal)), nil
	}
	if err != nil {
		return answer{}, err
	}
	return c.written(b, made, carried), nil
}

func (c *call) create(req create.Request, carry bool) (made create.Created, carried pins.Carried, err error) {
	if carry {
		return pins.Create(c, c.ws, req)
	}
	made, err = create.Run(c, c.ws, req)
	return made, carried, err
}

// takeOwn removes claim and carry from the arguments, which otherwise are the values of a
// document. The claim replaces that of the environment.
func (c *call) takeOwn() (carry bool, err error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(c.args, &all) != nil || all["claim"] == nil && all["carry"] == nil {
		return false, nil // ParseDraft reports the problem
	}
	var claim *string
	if src := all["claim"]; src != nil && json.Unmarshal(src, &claim) != nil {
		return false, fmt.Errorf("claim: %w: want the text that handoff_claim returned", handoff.ErrInvalid)
	}
	if claim != nil {
		c.setClaim(*claim)
	}
	if src := all["carry"]; src != nil && json.Unmarshal(src, &carry) != nil {
		return false, fmt.Errorf("carry: %w: want true or false", handoff.ErrInvalid)
	}
	delete(all, "claim")
	delete(all, "carry")
	c.args, err = json.Marshal(all)
	return carry, err
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

// written is the answer for a new document. The document is already on the disk, so a
// later failure is only a warning.
func (c *call) written(b *receipts.Book, made create.Created, carried pins.Carried) answer {
	e := documents.EntryAt(c.ws, made.Path)
	v := newValue{Ref: e.Ref(), Path: made.Path, Findings: []finding{}, Carried: carried.Shown + carried.Moved}
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
	text := fmt.Sprintf("Written: %s\n", v.Path) + c.pinned(&v) + lines(v.Findings)
	if v.Warning != "" {
		text += v.Warning + "\n"
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
	if v.Carried > 0 {
		text = fmt.Sprintf("Taken over from %s: %d items of dead_ends and context.\n", before.Path, v.Carried)
	}
	if v.Vanished > 0 {
		text += fmt.Sprintf("%d items of dead_ends and context in %s are not in it: add those that still hold to the file.\n", v.Vanished, before.Path)
	}
	return text
}
