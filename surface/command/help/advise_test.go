package help

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"handoff/surface/command"
)

// TestAdvise: an error that ends a command is followed by what to do, if it does not say that itself.
func TestAdvise(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string // what the advice begins with; "" for none
	}{
		{&fs.PathError{Op: "write", Path: "a", Err: syscall.ENOSPC}, "handoff: free some space"},
		{fmt.Errorf("specs: %w", syscall.EROFS), "handoff: this tree can only be read"},
		{fmt.Errorf("specs: %w (`handoff serve` shows the tree)", syscall.EROFS), ""},
		{&fs.PathError{Op: "open", Path: "a", Err: syscall.EACCES}, "handoff: this user, or the sandbox"},
		{fs.ErrNotExist, ""},
	} {
		var said bytes.Buffer
		Advise(context.Background(), &command.Process{Stderr: &said}, c.err)
		if got := said.String(); c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
