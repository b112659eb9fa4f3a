package receipts

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
)

// TestStoppedHolder: a process that is stopped in the middle of a step on a handoff does not
// hang everyone: it is named, and the next handoff is claimed.
func TestStoppedHolder(t *testing.T) {
	if path := os.Getenv("HANDOFF_TEST_HOLD"); path != "" {
		if _, err := lockfile.Lock(t.Context(), nofollow.Named, path); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		select {}
	}
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
	holder := exec.Command(os.Args[0], "-test.run=^TestStoppedHolder$")
	holder.Env = append(os.Environ(), "HANDOFF_TEST_HOLD="+locks[0])
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { holder.Process.Kill(); holder.Wait() }()
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" || err != nil {
		t.Fatal(line, err)
	}
	if err := holder.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var stopped *lockfile.StoppedError
	if _, err := b.Claim(t.Context(), Target{Ref: "1"}, request); !errors.As(err, &stopped) || stopped.PID != holder.Process.Pid {
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
