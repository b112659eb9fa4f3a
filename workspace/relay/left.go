package relay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/check"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/word"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

// linkTask is the task of a relay, with the handoffs in it. It finds out what the agent of a link has
// left: a new handoff, which it checks, and the claim on the one that the agent got, which it
// releases or supersedes.
type linkTask struct {
	ws    *workspace.Workspace
	relay string       // its id
	state *chain.State // of the relay
	life  *receipts.Book
}

// openTask opens the receipts of the workspace. Each method reads s as it is then, so s is the
// state that the relay updates.
func openTask(ws *workspace.Workspace, relay string, s *chain.State) (*linkTask, error) {
	life, err := receipts.Open(ws)
	return &linkTask{ws, relay, s, life}, err
}

// Documents are the handoffs of the task, the newest first.
func (t *linkTask) Documents(ctx context.Context) (paths []string, err error) {
	list, err := documents.List(ctx, t.ws, documents.Filter{Task: &t.state.Plan.Task, Live: true})
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	return paths, err
}

// Look finds what the agent of the link has left. A handoff without errors
// supersedes the one that the agent got, no matter which process wrote the file.
func (t *linkTask) Look(ctx context.Context) (*chain.Left, error) {
	left, err := t.receipt(ctx)
	if err != nil || left.By != "" {
		return left, err
	}
	if err := t.said(left); err != nil {
		return left, err
	}
	if left.Handoff, err = t.Written(ctx, ""); err != nil || left.Handoff == "" || left.Said || left.State == receipt.Done {
		return left, err // of work that is done, nobody continues it
	}
	if left.Findings, err = t.check(ctx, left.Handoff); err != nil || len(left.Findings) > 0 {
		return left, err
	}
	return left, t.Supersede(ctx, left.Handoff)
}

// target is what the link has claimed.
func (t *linkTask) target() receipts.Target {
	return receipts.Target{Dir: t.ws.Root, Ref: t.state.Ref(), Claim: t.state.Claim}
}

// receipt is what became of the claim of the link.
func (t *linkTask) receipt(ctx context.Context) (*chain.Left, error) {
	left := &chain.Left{}
	if t.state.Claim == "" {
		return left, nil
	}
	target := t.target()
	target.Claim = ""
	record, life, err := t.life.Life(ctx, target)
	left.State, left.Acked = record.State, life.Acknowledged != nil || t.acknowledged(life.Steps)
	if err != nil {
		return left, err
	}
	if stale, lost := errors.AsType[*receipt.StaleError](life.Check(record.Path, t.state.Claim)); lost && stale.By != "" {
		left.By = stale.By // a claim that excludes this one
	} else if life.Claim.ID != t.state.Claim {
		left.By = life.Claim.By
	}
	return left, nil
}

// acknowledged reports whether the agent has acknowledged the handoff. A relay that was stopped, or has
// asked something, has claimed it anew since: the session is the same, and has read it.
func (t *linkTask) acknowledged(steps []receipt.Step) bool {
	return slices.ContainsFunc(steps, func(s receipt.Step) bool {
		return s.Kind == receipt.StepAcknowledged && strings.HasSuffix(s.Claim, "."+t.state.ClaimID)
	})
}

// said adds what the agent has told the relay.
func (t *linkTask) said(left *chain.Left) error {
	book, ok := word.To(t.ws, t.relay)
	if !ok {
		return nil
	}
	said, err := book.Read()
	left.Said, left.Other = said.Of(t.state.Handoff), said.Elsewhere(t.state.Handoff)
	return err
}

// FirstAction is what the handoff that the link continues asks for first; "" for none.
func (t *linkTask) FirstAction() string {
	if t.state.Handoff == "" {
		return ""
	}
	doc, err := documents.Read(t.ws, documents.EntryAt(t.ws, t.state.Handoff))
	if err != nil {
		return "" // nothing is to be seen
	}
	step, _ := doc.NextStep()
	return step.Text
}

// TakeBack forgets that the agent said that the work is done: it works again.
func (t *linkTask) TakeBack(ctx context.Context) error {
	book, ok := word.To(t.ws, t.relay)
	if !ok {
		return nil
	}
	return book.TakeBack(ctx, t.state.Handoff)
}

// Finish records that the work of the link is done, with the evidence. lost: another claim has
// replaced that of the link. A task is only released: it may get further relays.
func (t *linkTask) Finish(ctx context.Context, e *receipt.Evidence) (lost bool, err error) {
	if t.state.Claim == "" {
		return false, nil
	}
	if t.state.Handoff == "" {
		_, err = t.life.Release(ctx, t.target(), "the relay is done")
	} else {
		_, err = t.life.FinishWith(ctx, t.target(), "", e)
	}
	if errors.Is(err, receipt.ErrRefused) {
		return true, nil
	}
	return false, err
}

// Written is the newest handoff that the agent wrote, "" for none, if it is newer than this one. A
// report of a closed phase hands nothing over.
func (t *linkTask) Written(ctx context.Context, than string) (string, error) {
	paths, err := t.Documents(ctx)
	if err != nil {
		return "", err
	}
	for _, path := range t.state.Fresh(paths) {
		if path == than {
			return "", nil
		}
		doc, err := documents.Read(t.ws, documents.EntryAt(t.ws, path))
		if err != nil || doc.Continues() || doc.Unfilled() {
			return path, nil // one that cannot be read has errors: see check
		}
	}
	return "", nil
}

// maxFindings is the most findings that an agent is shown.
const maxFindings = 20

// check is what `handoff lint` and `handoff verify` report as errors of a document. It
// is linked first, because an agent may have written the file without `handoff new`.
func (t *linkTask) check(ctx context.Context, path string) (findings []string, err error) {
	add := func(list []lint.Finding) {
		for _, f := range list {
			if f.Severity == lint.Error && len(findings) < maxFindings {
				findings = append(findings, chain.OneLine(fmt.Sprintf("line %d: %s (%s)", f.Lines.First, f.Message, f.Rule)))
			}
		}
	}
	req := check.Request{Dir: t.ws.Root, Paths: []string{filepath.FromSlash(path)}}
	if err := check.Run(ctx, t.ws.Options, req, func(c *check.Result) error {
		if add(c.Findings); c.Err != nil {
			findings = append(findings, chain.OneLine(c.Err.Error()))
		}
		return nil
	}); err != nil || len(findings) > 0 {
		return findings, err
	}
	dir := handoff.ParseName(path).Dir
	_ = sync.Link(ctx, t.ws, sync.Request{Tasks: []string{dir}, Fresh: []string{path}}, path) // what fails is found by verify
	err = verify.Run(ctx, t.ws, verify.Request{Tasks: []string{dir}}, func(v *verify.Result) error {
		for _, f := range v.Files {
			if f.Path == path {
				add(f.Findings)
			}
		}
		return v.Err
	})
	return findings, err
}

// Supersede records that a handoff continues the one of the link. A claim of the task ends: the next link
// claims the handoff.
func (t *linkTask) Supersede(ctx context.Context, next string) error {
	if t.state.Claim == "" {
		return nil
	}
	if t.state.Handoff == "" {
		return t.Release(ctx, "handed over in "+next)
	}
	err := t.life.Supersede(ctx, t.state.Claim, next)
	if errors.Is(err, receipt.ErrRefused) {
		return nil // another claim has replaced it: the next look finds that
	}
	return err
}

// Release releases what the link has claimed, if its work is not finished and the
// claim still holds it.
func (t *linkTask) Release(ctx context.Context, why string) error {
	if t.state.Claim == "" {
		return nil
	}
	_, err := t.life.Release(ctx, t.target(), receipts.Reason(why))
	if errors.Is(err, receipt.ErrRefused) {
		err = nil
	}
	return err
}
