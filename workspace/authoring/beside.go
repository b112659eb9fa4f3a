package authoring

import (
	"context"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
)

// Held decides what a new document means for the handoffs that others hold. It is refused, with a
// [receipt.HeldError], if it would continue one of them, because then two agents would work on one task. In a
// layout that has no tasks, sessions that know nothing of each other write into one folder: then the document
// is written, and what others hold stays open beside it. All surfaces and commands that write documents ask this.
//
// A caller that cannot be told apart from another program holds nothing, unless the request names the document
// that it replaces.
func Held(ctx context.Context, ws *workspace.Workspace, book *receipts.Book, who receipts.Caller, req create.Request) (open []*receipt.HeldError, err error) {
	next, err := nextOf(ctx, ws, req)
	if err != nil {
		return nil, nil // writing it fails, and says why
	}
	for _, held := range book.Others(ctx, who, next) {
		path, _ := book.InWorkspace(held.Path)
		switch {
		case path == req.Replace && path != "":
		case next.At.Name.Loose && !receipt.IsWork(held.Path):
			held.Path = path
			open = append(open, held)
		default:
			return nil, book.Explained(held, who)
		}
	}
	return open, nil
}

// nextOf is the document of a request.
func nextOf(ctx context.Context, ws *workspace.Workspace, req create.Request) (receipts.Next, error) {
	at, err := create.Where(ctx, ws, req)
	return receipts.Next{Task: documents.OfTask(req.Values.Task, req.Values.Named), At: at}, err
}
