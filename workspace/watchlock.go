package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/web/listening"
)

// RunningError says that another watch runs in the workspace.
type RunningError struct{ Holder }

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return "another watch is running here; see `handoff watch --status`"
	}
	return fmt.Sprintf("another watch is running here (pid %d on host %s, since %s); see `handoff watch --status`",
		e.PID, e.Host, e.Since.UTC().Format("15:04Z"))
}

func (h Holder) is(other Holder) bool { return h.PID == other.PID && h.Since.Equal(other.Since) }

// ErrNotWatched says that no watch runs in the workspace.
var ErrNotWatched = errors.New("no watch is running here (`handoff watch` starts one)")

// maxSocket is the longest path of a socket that every system takes, with room for
// the folder that it is bound in.
const maxSocket = 88

// post is what others know of a watch by: the locks that keep them from being a
// second one, and where it answers. `git clean -xdf` takes away all but the lock
// of the workspace's own folder.
type post struct {
	lock     fs.FileInfo // of the lock file that is held
	folder   fs.FileInfo // of the workspace's folder that is held; nil where folders cannot be
	unlock   []func() error
	listener *listening.Socket // nil when there is none
}

// A watch is told when what others find it by is removed. It looks for that from
// time to time as well, for where it is not told.
const (
	standEvery = 30 * time.Second
	standAfter = 100 * time.Millisecond // a removal, so that `git clean` finds its folders empty
	standAgain = time.Second            // after it could not be put back
)

// standing are the files that others find a watch by.
var standing = []string{StateDir + "/watch.lock", StateDir + "/watch.json", StateDir + "/watch.sock"}

// hold makes this process the one that watches the workspace, and answers
// those who ask. The lock goes with the process; what it left beside the lock
// is overwritten.
func (d *daemon) hold() (release func(), err error) {
	d.self = thisProcess(d.Root, d.Now())
	if err = d.take(); err == nil {
		err = d.announce()
	}
	if err != nil {
		d.leave()
		return nil, err
	}
	return d.leave, nil
}

// take takes the locks. It is a [*RunningError] if another watch has one.
func (d *daemon) take() error {
	if _, err := d.CreateStateDir(); err != nil {
		return err
	}
	for end := time.Now().Add(taking); ; time.Sleep(pollEvery) {
		ok, err := d.takeOnce()
		if ok || err != nil {
			return err
		}
		if !time.Now().Before(end) || d.answered() { // who asks for a status takes them as well, for a moment
			break
		}
	}
	h, _ := d.holder() // it may not be written yet
	return &RunningError{h}
}

// takeOnce takes the lock file and the workspace's folder, or neither. Whoever
// has the folder goes on as the watch though its lock file was removed: the file
// is left to it.
func (d *daemon) takeOnce() (ok bool, err error) {
	unlock, ok, err := lockfile.Try(d.Trusted(), d.lockPath())
	if !ok {
		return false, err
	}
	if !d.holdsFolder() {
		unlockFolder, ok, err := lockfile.TryFolder(d.Root)
		if err == nil && !ok {
			return false, unlock()
		}
		if ok {
			d.post.unlock = append(d.post.unlock, unlockFolder)
			d.post.folder, _ = os.Stat(d.Root)
		} // else the file system locks no folders, and the file has to do
	}
	d.post.unlock = append(d.post.unlock, unlock)
	d.post.lock, err = os.Lstat(d.lockPath())
	return err == nil, err
}

// holdsFolder reports whether the workspace's folder is the one that is held.
func (d *daemon) holdsFolder() bool {
	st, err := os.Stat(d.Root)
	return err == nil && d.post.folder != nil && os.SameFile(st, d.post.folder)
}

// holds reports whether the lock that others would take is the one that is held.
func (d *daemon) holds() bool {
	st, err := os.Lstat(d.lockPath())
	return err == nil && d.post.lock != nil && os.SameFile(st, d.post.lock)
}

// announce says who watches, and where it answers.
func (d *daemon) announce() error {
	if d.post.listener != nil {
		d.post.listener.Close()
	}
	if err := d.listen(); err != nil {
		d.talk(func() { d.req.Say("--status will not work: " + err.Error()) })
	}
	data, err := json.MarshalIndent(d.self, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(d.Trusted(), d.holderPath(), append(data, '\n'), 0o644)
}

// stand puts back what somebody took away. The error is a [*RunningError] if
// another watch has begun meanwhile: there is to be one.
func (d *daemon) stand() error {
	if !IsDir(d.Root) {
		return nil // it may come back
	}
	if !d.holds() {
		var running *RunningError
		switch err := d.take(); {
		case errors.As(err, &running) && running.PID != 0 && !running.is(d.self):
			return err
		case err != nil:
			return nil // the next time: who asks for a status takes the lock as well, for a moment
		}
	} else if there(d.holderPath()) && (d.post.listener == nil || there(d.self.Socket)) {
		return nil
	}
	d.announce()
	return nil
}

// leave gives the lock back, and takes away what is ours.
func (d *daemon) leave() {
	ours := d.holds()
	if l := d.post.listener; l != nil {
		if !ours {
			l.Keep()
		}
		l.Close()
	}
	if ours {
		d.Trusted().Remove(d.holderPath())
	}
	for _, unlock := range d.post.unlock {
		unlock()
	}
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func (w *Workspace) lockPath() string { return filepath.Join(w.Root, StateDir, "watch.lock") }

func (w *Workspace) holderPath() string { return filepath.Join(w.Root, StateDir, "watch.json") }

// holder reads who watches, or who did last, if it was killed.
func (w *Workspace) holder() (Holder, error) {
	var h Holder
	data, err := w.Trusted().ReadUnlinked(w.holderPath(), MaxSize)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err
}

// listen opens the socket on which the status is asked for. A path that is too
// long for a socket is replaced by one in the system's folder for temporary
// files.
func (d *daemon) listen() error {
	d.post.listener, d.self.Socket = nil, ""
	path := filepath.Join(d.Root, StateDir, "watch.sock")
	if len(path) > maxSocket {
		sum := sha256.Sum256([]byte(d.Root))
		path = filepath.Join(os.TempDir(), "handoff-"+hex.EncodeToString(sum[:8])+".sock")
	}
	nofollow.Root(filepath.Dir(path)).Remove(path) // of a watch that was killed: the lock is ours
	l, err := listening.Unix(path)
	if err != nil {
		return err
	}
	d.post.listener, d.self.Socket = l, path
	go d.answer(l, d.self)
	return nil
}

// answer tells each caller the status.
func (d *daemon) answer(l net.Listener, self Holder) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.SetDeadline(time.Now().Add(time.Second)) // one who does not listen holds up the next
		json.NewEncoder(c).Encode(d.status.report(self, d.polling.Load(), d.exists))
		c.Close()
	}
}

// How long a watch that is starting is waited for.
const (
	pollEvery  = 10 * time.Millisecond
	taking     = 250 * time.Millisecond // for a lock that another process may hold for a moment only
	starting   = time.Second            // for a watch to take its lock
	announcing = 3 * time.Second        // for a watch that has the lock to answer
	answering  = 10 * time.Second       // for the answer of one that took the call: a busy machine may stop it for some
)

// answered reports whether a watch answers at the address that is left here.
func (w *Workspace) answered() bool {
	h, err := w.holder()
	if err != nil || h.Socket == "" {
		return false
	}
	c, err := net.DialTimeout("unix", h.Socket, taking)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// WatchStatus asks the watch that runs in the workspace. It waits a moment for
// one that is starting; the error is [ErrNotWatched] if there is none then.
func (w *Workspace) WatchStatus(ctx context.Context) (WatchStatus, error) {
	began := time.Now()
	for {
		s, err := w.ask(ctx)
		patience := announcing
		if errors.Is(err, ErrNotWatched) {
			patience = starting
		}
		if err == nil || errors.Is(err, errSilent) || time.Since(began) >= patience {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

// errSilent says that a watch took the call and did not answer it.
var errSilent = errors.New("does not answer")

// ask is WatchStatus without patience.
func (w *Workspace) ask(ctx context.Context) (WatchStatus, error) {
	var s WatchStatus
	h, err := w.holder()
	if errors.As(err, new(*nofollow.LinkError)) {
		return s, err
	}
	if err != nil || h.Socket == "" {
		return s, w.unanswered(errors.New("it recorded no address"))
	}
	ctx, cancel := context.WithTimeout(ctx, answering)
	defer cancel()
	c, err := new(net.Dialer).DialContext(ctx, "unix", h.Socket)
	if err != nil {
		return s, w.unanswered(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(answering))
	if err := json.NewDecoder(c).Decode(&s); err != nil {
		return s, fmt.Errorf("the watch (pid %d) %w: %w", h.PID, errSilent, err)
	}
	return s, nil
}

// unanswered says why nobody answers: nobody is there, or it cannot.
func (w *Workspace) unanswered(err error) error {
	free, lockErr := w.unlocked()
	if lockErr != nil {
		return lockErr
	}
	if free {
		return ErrNotWatched
	}
	return fmt.Errorf("a watch is running here but does not answer: %w", err)
}

// unlocked reports whether no watch has a lock.
func (w *Workspace) unlocked() (bool, error) {
	if there(w.lockPath()) {
		unlock, ok, err := lockfile.Try(w.Trusted(), w.lockPath())
		if !ok {
			return false, err
		}
		unlock()
	}
	unlock, ok, err := lockfile.TryFolder(w.Root)
	if ok {
		unlock()
	}
	return ok || err != nil, nil // where folders cannot be locked nobody has one
}
