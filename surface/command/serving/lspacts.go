package serving

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/surface/lsp"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
	"handoff/workspace/tasks"
)

// editing is what a language server knows of handoffs, and does with them for the person at the editor. What that person
// claims there is claimed as by a command in the editor's environment.
type editing struct{ *command.Process }

func lspHandoffs(w *command.Process) lsp.Handoffs {
	e := editing{w}
	return lsp.Handoffs{Became: e.became, Act: e.act, Rename: e.rename, Stale: stale, Bundle: linked}
}

// became is what the receipts of a workspace know of a handoff.
func (e editing) became(ctx context.Context, ws *workspace.Workspace, path string) (b lsp.Became) {
	entry := documents.EntryAt(ws, path)
	if written := entry.Name.Time; !written.IsZero() {
		b.Age = say.Ago(e.Now().Sub(written))
	}
	book, err := receipts.Open(ws)
	if err != nil {
		b.State = string(receipts.Unknown)
		return b
	}
	t := receipts.Target{Dir: ws.Root, Ref: path, Who: e.Caller()}
	r, life, err := book.Life(ctx, t)
	if err != nil {
		b.State, b.Age = "not saved yet", ""
		return b
	}
	if len(life.Steps) > 0 {
		b.State, b.By, b.Since, b.Until = string(r.State), r.By, r.Since, r.Until
		mine, err := book.ClaimOn(ctx, t)
		b.Offers = offered(r, err == nil && mine != "" && mine == r.Claim)
		return b
	}
	if b.State = string(book.States(ctx, []documents.Entry{entry})[path].State); b.State == "" {
		b.State = "no receipts, and it does not wait"
		return b
	}
	b.Offers = offered(receipts.Record{}, false)
	return b
}

// offered are the acts that need no reason and no name of somebody else.
func offered(r receipts.Record, mine bool) []string {
	switch r.State {
	case receipt.Claimed:
		if mine {
			return []string{"release", "done"}
		}
		return nil
	case receipt.Done, receipt.Superseded, receipts.Unknown:
		return nil
	}
	return []string{"claim", "done"}
}

// act does one of [lsp.ActNames]. No tests are run: an editor does not wait as long for an answer.
func (e editing) act(ctx context.Context, ws *workspace.Workspace, path, act string) (said string, err error) {
	at := operations.HandoffsIn(e.Process, ws)
	at.Dir = ws.Root
	at.Tests = func() ([][]string, string) { return nil, "no tests are run from an editor" }
	here, name := handoffops.Here{At: at}, command.CallerName(e.Getenv)
	book, err := receipts.Open(ws)
	if err != nil {
		return "", err
	}
	claim, err := book.ClaimOn(ctx, receipts.Target{Dir: ws.Root, Ref: path, Who: at.Who})
	if err != nil {
		return "", err
	}
	if claim != "" {
		name = "" // the holder of the claim
	}
	var r receipts.Record
	switch act {
	case "claim":
		r, err = handoffops.Claim.On(ctx, here, path, receipts.ClaimRequest{As: command.CallerName(e.Getenv)})
	case "release":
		r, err = handoffops.Release.On(ctx, here, path, receipts.ReleaseRequest{Claim: claim})
	case "done":
		r, err = handoffops.Done.On(ctx, here, path, receipts.DoneRequest{Claim: claim, As: name})
	}
	if err != nil {
		return "", command.Bare(err)
	}
	said = fmt.Sprintf("%s: %s", ws.NameOf(path).Called(path), r.State)
	if r.By != "" {
		said += " by " + r.By
	}
	if !r.Until.IsZero() {
		said += " until " + r.Until.UTC().Format(time.RFC3339)
	}
	if r.Unlinked != nil {
		said += "; " + r.Unlinked.Error()
	}
	return said, nil
}

// rename gives the task of a handoff another slug.
func (e editing) rename(ctx context.Context, ws *workspace.Workspace, path, slug string) (now string, err error) {
	dir, err := tasks.Find(ctx, ws, ws.Root, strconv.Itoa(ws.NameOf(path).Task))
	if err != nil {
		return "", err
	}
	below, ok := strings.CutPrefix(path, dir+"/")
	if !ok {
		return "", fmt.Errorf("%w: the handoff is in no folder of a task", handoff.ErrInvalid)
	}
	r, err := tasks.Rename(ctx, ws, tasks.Request{Dir: dir, Slug: slug})
	return r.Dir + "/" + below, err
}
