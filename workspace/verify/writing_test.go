package verify

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/lint/rules"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/create"
)

// TestVerifyWhileNew: a handoff that another process is writing is not reported as missing
// in the metadata of its task.
func TestVerifyWhileNew(t *testing.T) {
	const writers, each = 4, 8
	dir := t.TempDir()
	treetest.Write(t, dir, "a.go", "package a\n")
	treetest.Write(t, dir, "specs/README.md", "The tasks.\n")
	open := func() *workspace.Workspace { // as a separate process
		return workspace.New(dir, config.Default(), workspace.Options{Rules: rules.All, Now: time.Now})
	}
	var writing sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			w := open()
			for n := range each {
				v := templates.Values{Task: i + 1, Phase: n + 1, NextAction: "Run `go vet a.go` and read what it prints."}
				made, err := create.Run(t.Context(), w, create.Request{Values: v, Slug: slug(i, n), Draft: true})
				if err != nil || made.Unlinked != nil {
					t.Error(err, made.Unlinked)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writing.Wait(); close(done) }()
	for over := false; !over; {
		select {
		case <-done:
			over = true // again
		default:
		}
		err := Run(t.Context(), open(), Request{}, func(r *Result) error {
			for _, f := range r.Files {
				for _, found := range f.Findings {
					if found.Derivable {
						t.Errorf("%s: %s", f.Path, found.Message)
					}
				}
			}
			return r.Err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// slug is that of a new task; a task that exists has one.
func slug(writer, n int) string {
	if n > 0 {
		return ""
	}
	return fmt.Sprint("task_", writer)
}
