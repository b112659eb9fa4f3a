package relay

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"handoff"
	"handoff/lint"
	"handoff/receipt"
	"handoff/workspace/check"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

// documents are the handoffs of the task, the newest first.
func (r *Relay) documents(ctx context.Context) (paths []string, err error) {
	list, err := documents.List(ctx, r.ws, documents.Filter{Task: r.state.Plan.Task, Live: true})
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	return paths, err
}

// look finds out what the agent of the link has left. A handoff without errors
// supersedes the one that the agent got, whoever wrote the file.
func (r *Relay) look(ctx context.Context) (*chain.Left, error) {
	left, err := r.receipt(ctx)
	if err != nil || left.By != "" {
		return left, err
	}
	if left.Handoff, err = r.written(ctx); err != nil || left.Handoff == "" {
		return left, err
	}
	if left.Findings, err = r.check(ctx, left.Handoff); err != nil || len(left.Findings) > 0 {
		return left, err
	}
	return left, r.supersede(ctx, left.Handoff)
}

// receipt is what became of the handoff that the link continues.
func (r *Relay) receipt(ctx context.Context) (*chain.Left, error) {
	left := &chain.Left{}
	if r.state.Handoff == "" {
		return left, nil
	}
	record, life, err := r.life.Life(ctx, receipts.Target{Dir: r.ws.Root, Ref: r.state.Handoff})
	left.State, left.Acked = record.State, life.Acknowledged != nil
	if life.Claim.ID != r.state.Claim && err == nil {
		left.By = life.Claim.By
	}
	return left, err
}

// written is the newest handoff that the agent wrote, "" for none. A report of a closed
// phase hands nothing over.
func (r *Relay) written(ctx context.Context) (string, error) {
	paths, err := r.documents(ctx)
	if err != nil {
		return "", err
	}
	for _, path := range r.state.Fresh(paths) {
		doc, err := documents.Read(r.ws, documents.Entry{Path: path, Name: handoff.ParseName(path)})
		if err != nil || doc.Continues() {
			return path, nil // one that cannot be read has errors: see check
		}
	}
	return "", nil
}

// maxFindings is the most findings that an agent is shown.
const maxFindings = 20

// check is what `handoff lint` and `handoff verify` report as errors of a document. It
// is linked first, because an agent may have written the file without `handoff new`.
func (r *Relay) check(ctx context.Context, path string) (findings []string, err error) {
	add := func(list []lint.Finding) {
		for _, f := range list {
			if f.Severity == lint.Error && len(findings) < maxFindings {
				findings = append(findings, oneLine(fmt.Sprintf("line %d: %s (%s)", f.Lines.First, f.Message, f.Rule)))
			}
		}
	}
	req := check.Request{Dir: r.ws.Root, Paths: []string{filepath.FromSlash(path)}}
	if err := check.Run(ctx, r.ws.Options, req, func(c *check.Result) error {
		if add(c.Findings); c.Err != nil {
			findings = append(findings, oneLine(c.Err.Error()))
		}
		return nil
	}); err != nil || len(findings) > 0 {
		return findings, err
	}
	dir := handoff.ParseName(path).Dir
	_ = sync.Link(ctx, r.ws, sync.Request{Tasks: []string{dir}, Fresh: []string{path}}, path) // what fails is found by verify
	err = verify.Run(ctx, r.ws, verify.Request{Tasks: []string{dir}}, func(v *verify.Result) error {
		for _, f := range v.Files {
			if f.Path == path {
				add(f.Findings)
			}
		}
		return v.Err
	})
	return findings, err
}

// supersede records that a handoff continues the one of the link.
func (r *Relay) supersede(ctx context.Context, next string) error {
	if r.state.Claim == "" {
		return nil
	}
	err := r.life.Supersede(ctx, r.state.Claim, next)
	if errors.Is(err, receipt.ErrRefused) {
		return nil // another claim has replaced it: the next look finds that
	}
	return err
}
