package command

import (
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
	"testing"
)

// TestNamedOnce: a file is named once, also where the caller has put its name before the error of the system.
func TestNamedOnce(t *testing.T) {
	full := func(path string) error { return &fs.PathError{Op: "open", Path: path, Err: syscall.ENOSPC} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{full("/tree/a.md"), "a.md: no space left on device"},
		{fmt.Errorf("a.md: %w", full("/tree/a.md")), "a.md: no space left on device"},
		{fmt.Errorf("task 1: /tree/a.md: %w", full("/tree/a.md")), "task 1: /tree/a.md: no space left on device"},
		{fmt.Errorf("/else/a.md: %w", full("/else/a.md")), "/else/a.md: no space left on device"},
		{fmt.Errorf("b.md: %w", full("/tree/a.md")), "b.md: a.md: no space left on device"},
		{fmt.Errorf("nope: %w", &exec.Error{Name: "nope", Err: exec.ErrNotFound}), "nope: program not found in PATH"},
		{fmt.Errorf("./nope: %w", &fs.PathError{Op: "fork/exec", Path: "./nope", Err: syscall.ENOENT}), "./nope: no such file or folder"},
	} {
		if got := inWords("/tree", c.err.Error(), c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
