package receipts

import (
	"errors"
	"path/filepath"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/killtest"
)

// TestStoppedHolder: a process that is stopped in the middle of a step on a handoff does not
// hang everyone: it is named, and the next handoff is claimed.
func TestStoppedHolder(t *testing.T) {
	killtest.Hold(t, func(path string) error {
		_, err := lockfile.Lock(t.Context(), nofollow.Named, path)
		return err
	})
	root := t.TempDir()
	for _, task := range []int{1, 2} {
		name, text := handoffAt(task, []string{"20260212T110000Z", "20260212T100000Z"}[task-1])
		write(t, root, name, text)
	}
	b := book(t, root, 0)
	first, err := b.Claim(t.Context(), Target{Ref: "1"}, request)
	if err == nil {
		_, err = b.Release(t.Context(), Target{Claim: first.Claim}, "")
	}
	locks, globErr := filepath.Glob(filepath.Join(b.store.Place().Dir, "*.lock"))
	if err = errors.Join(err, globErr); err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	holder := killtest.Stopped(t, locks[0])
	var stopped *lockfile.StoppedError
	if _, err := b.Claim(t.Context(), Target{Ref: "1"}, request); !errors.As(err, &stopped) || stopped.PID != holder.Pid {
		t.Errorf("%v", err)
	}
	item, _, ok, err := b.ClaimNext(t.Context(), Caller{}, nil, request)
	if !ok || err != nil || item.Ref != "2/1" {
		t.Errorf("%+v, %v, %v", item, ok, err)
	}
	if _, _, ok, err := b.ClaimNext(t.Context(), Caller{}, nil, request); ok || !errors.As(err, &stopped) {
		t.Errorf("nothing else waits: %v, %v", ok, err)
	}
}
