package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/atomicfile"
	"handoff/internal/lockfile"
)

// RunningError says that another watch runs in the workspace.
type RunningError struct{ Holder }

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return "another watch runs here; `handoff watch --status` asks it"
	}
	return fmt.Sprintf("another watch runs here (pid %d on host %s, since %s); `handoff watch --status` asks it",
		e.PID, e.Host, e.Since.UTC().Format("15:04Z"))
}

// ErrNotWatched says that no watch runs in the workspace.
var ErrNotWatched = errors.New("no watch runs here (`handoff watch` starts one)")

// maxSocket is the longest path of a socket that every system takes.
const maxSocket = 100

// hold makes this process the one that watches the workspace, and answers
// those who ask. The lock goes with the process; what it left beside the lock
// is overwritten.
func (d *daemon) hold() (release func(), err error) {
	dir, err := d.stateDir()
	if err != nil {
		return nil, err
	}
	unlock, ok, err := lockfile.Try(filepath.Join(dir, "watch.lock"))
	if err != nil {
		return nil, err
	}
	if !ok {
		h, _ := d.holder() // it may not be written yet
		return nil, &RunningError{h}
	}
	d.self = thisProcess(d.Root, d.req.Now())
	listener, err := d.listen()
	if err != nil {
		d.req.Say("--status will not be answered: " + err.Error())
	}
	data, err := json.MarshalIndent(d.self, "", "  ")
	if err == nil {
		err = atomicfile.Write(d.holderPath(), append(data, '\n'), 0o644)
	}
	release = func() {
		if listener != nil {
			listener.Close() // and removes the socket
		}
		os.Remove(d.holderPath())
		unlock()
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

func (w *Workspace) holderPath() string { return filepath.Join(w.Root, StateDir, "watch.json") }

// holder reads who watches, or who did last, if it was killed.
func (w *Workspace) holder() (Holder, error) {
	var h Holder
	data, err := os.ReadFile(w.holderPath())
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}

// listen opens the socket on which the status is asked for. A path that is too
// long for a socket is replaced by one in the system's folder for temporary
// files.
func (d *daemon) listen() (net.Listener, error) {
	path := filepath.Join(d.Root, StateDir, "watch.sock")
	if len(path) > maxSocket {
		sum := sha256.Sum256([]byte(d.Root))
		path = filepath.Join(os.TempDir(), "handoff-"+hex.EncodeToString(sum[:8])+".sock")
	}
	os.Remove(path) // of a watch that was killed: the lock is ours
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	d.self.Socket = path
	go d.answer(l)
	return l, nil
}

// answer tells each caller the status.
func (d *daemon) answer(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.SetDeadline(time.Now().Add(time.Second)) // one who does not listen holds up the next
		json.NewEncoder(c).Encode(d.status.report(d.self, d.polling.Load(), d.exists))
		c.Close()
	}
}

// WatchStatus asks the watch that runs in the workspace. The error is
// [ErrNotWatched] if there is none.
func (w *Workspace) WatchStatus(ctx context.Context) (WatchStatus, error) {
	var s WatchStatus
	h, err := w.holder()
	if err != nil || h.Socket == "" {
		return s, w.unanswered(errors.New("it left no address"))
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "unix", h.Socket)
	if err != nil {
		return s, w.unanswered(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	if err := json.NewDecoder(c).Decode(&s); err != nil {
		return s, fmt.Errorf("the watch (pid %d) does not answer: %w", h.PID, err)
	}
	return s, nil
}

// unanswered says why nobody answers: nobody is there, or it cannot.
func (w *Workspace) unanswered(err error) error {
	lock := filepath.Join(w.Root, StateDir, "watch.lock")
	if _, statErr := os.Stat(lock); statErr != nil {
		return ErrNotWatched
	}
	unlock, ok, lockErr := lockfile.Try(lock)
	if lockErr != nil {
		return lockErr
	}
	if ok {
		unlock()
		return ErrNotWatched
	}
	return fmt.Errorf("a watch runs here but does not answer: %w", err)
}
