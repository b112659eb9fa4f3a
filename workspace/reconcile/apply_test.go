package reconcile

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"
)

// TestNamed: an error of the system names the file once, and stays what it is.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&fs.PathError{Op: "write", Path: "/srv/a/specs/1_a/.return-meta.json", Err: syscall.ENOSPC}, "specs/1_a/.return-meta.json: no space left on device"},
		{errors.New("was changed"), "specs/1_a/.return-meta.json: was changed"},
	} {
		err := named("specs/1_a/.return-meta.json", c.err)
		if err.Error() != c.want {
			t.Errorf("%q, want %q", err, c.want)
		}
		if of, is := c.err.(*fs.PathError); is && !errors.Is(err, of.Err) {
			t.Errorf("%v is not %v", err, of.Err)
		}
	}
}
