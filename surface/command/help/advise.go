package help

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/workspace/receipts"
)

// Advise prints what to do next about an error that ends a command and does not say it itself: of a system that refuses to
// write, and of a handoff that is in another working tree.
func Advise(ctx context.Context, w *command.Process, err error) {
	switch {
	case errors.Is(err, handoff.ErrNoHandoff):
		sayElsewhere(ctx, w)
	case strings.Contains(err.Error(), "`"): // a command to type
	case errors.Is(err, syscall.ENOSPC):
		w.Say("free some space and repeat the command: what is on the disk is whole")
	case errors.Is(err, syscall.EROFS):
		w.Say("this tree can only be read: `handoff next`, `brief`, `ls` and `serve` work; to write, use a clone of your own")
	case errors.Is(err, fs.ErrPermission):
		w.Say("this user, or the sandbox that it runs in, may not write there: repeat the command where that is allowed")
	}
}

// sayElsewhere names what waits in other working trees of the repository.
func sayElsewhere(ctx context.Context, w *command.Process) {
	const most = 3
	if w.Workspace == nil {
		return
	}
	if book, err := receipts.Open(w.Workspace); err == nil {
		list := book.Elsewhere(ctx, nil)
		for _, e := range list[:min(len(list), most)] {
			w.Say("%s", command.Plain(e.String()))
		}
	}
}
