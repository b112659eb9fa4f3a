package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/file/kept"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/internal/web/listening"
	"handoff/workspace"
)

// RunningError reports that another watch runs in the workspace.
type RunningError struct{ Holder }

func (e *RunningError) Error() string {
	if e.PID == 0 {
		return "another watch is running here; see `handoff watch --status`"
	}
	return fmt.Sprintf("another watch is running here (pid %d on host %s, since %s); see `handoff watch --status`",
		e.PID, e.Host, e.Since.UTC().Format("15:04Z"))
}

func (h Holder) is(other Holder) bool { return h.PID == other.PID && h.Since.Equal(other.Since) }

// ErrNotWatched reports that no watch runs in the workspace.
var ErrNotWatched = errors.New("no watch is running here (`handoff watch` starts one)")

// maxSocket is the longest path of a socket that every system takes, with room for
// the folder that it is bound in.
const maxSocket = 88

// held has the files by which other processes find a watch: the locks that prevent a second
// watch, and the socket that answers. `git clean -xdf` removes all but the lock on the
// workspace's folder.
type held struct {
	lock     fs.FileInfo // of the lock file that is held
	folder   fs.FileInfo // of the workspace's folder that is held; nil if the file system cannot lock folders
	unlock   []func() error
	listener *listening.Socket // nil when there is none
}

// The watcher reports when one of the watch's own files is removed. Where it gets no
// events, a check from time to time finds out.
const (
	checkEvery     = 30 * time.Second
	checkAfterLoss = 100 * time.Millisecond // so that `git clean` finds its folders empty
	checkAgain     = time.Second            // after a file could not be restored
)

// ownFilesOfWatch are the files that other processes find a watch by.
var ownFilesOfWatch = state.Of("workspace/daemon")

// hold makes this process the watch of the workspace, and answers status requests.
// The lock ends with the process; other files of a killed watch are overwritten.
func (d *daemon) hold() (release func(), err error) {
	d.self = thisProcess(d.Root, d.Now())
	d.status.scan(true) // until the first scan is done
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
		if !time.Now().Before(end) || answered(d.Workspace) { // a status request also takes them, for a moment
			break
		}
	}
	h, _ := holder(d.Workspace) // zero if it is not written yet
	return &RunningError{h}
}

// takeOnce locks the lock file and the workspace's folder, or neither. A watch that
// holds the folder remains the watch even if its lock file was removed; it takes
// the new file.
func (d *daemon) takeOnce() (ok bool, err error) {
	unlock, ok, err := lockfile.Try(d.Trusted(), lockPath(d.Workspace))
	if !ok {
		return false, err
	}
	if !d.holdsFolder() {
		unlockFolder, ok, err := lockfile.TryFolder(d.Root)
		if err == nil && !ok {
			return false, unlock()
		}
		if ok {
			d.held.unlock = append(d.held.unlock, unlockFolder)
			d.held.folder, _ = os.Stat(d.Root)
		} // else the file system cannot lock folders, and the file must do
	}
	d.held.unlock = append(d.held.unlock, unlock)
	d.held.lock, err = os.Lstat(lockPath(d.Workspace))
	return err == nil, err
}

// holdsFolder reports whether the folder that is locked is still the workspace's.
func (d *daemon) holdsFolder() bool {
	st, err := os.Stat(d.Root)
	return err == nil && d.held.folder != nil && os.SameFile(st, d.held.folder)
}

// holds reports whether the file that is locked is still the lock file.
func (d *daemon) holds() bool {
	st, err := os.Lstat(lockPath(d.Workspace))
	return err == nil && d.held.lock != nil && os.SameFile(st, d.held.lock)
}

// announce opens the socket and writes the holder file.
func (d *daemon) announce() error {
	if d.held.listener != nil {
		d.held.listener.Close()
	}
	if err := d.listen(); err != nil {
		d.talk(func() { d.req.Say("--status will not work: " + err.Error()) })
	}
	return holderFile(d.Workspace).Replace(d.self)
}

// restore creates the watch's own files again if they were removed. The error is a
// [*RunningError] if another watch has started in the meantime.
func (d *daemon) restore() error {
	if !workspace.IsDir(d.Root) {
		return nil // the workspace was removed, but may be created again
	}
	if !d.holds() {
		var running *RunningError
		switch err := d.take(); {
		case errors.As(err, &running) && running.PID != 0 && !running.is(d.self):
			return err
		case err != nil:
			return nil // retried later: a status request also takes the lock, for a moment
		}
	} else if exists(holderFile(d.Workspace).Path) && (d.held.listener == nil || exists(d.self.Socket)) {
		return nil
	}
	d.announce()
	return nil
}

// leave releases the locks, and removes the watch's own files.
func (d *daemon) leave() {
	ours := d.holds()
	if l := d.held.listener; l != nil {
		if !ours {
			l.Keep()
		}
		l.Close()
	}
	if ours {
		_ = holderFile(d.Workspace).Remove()
	}
	for _, unlock := range d.held.unlock {
		unlock()
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func lockPath(w *workspace.Workspace) string {
	return filepath.Join(w.Root, state.Dir, state.WatchLock)
}

// holderFile is written by the process that has the locks.
func holderFile(w *workspace.Workspace) kept.File[Holder] {
	return kept.File[Holder]{Root: w.Trusted(), Path: filepath.Join(w.Root, state.Dir, state.Watch), Max: workspace.MaxSize, Mode: 0o644, Encode: kept.Lines[Holder]}
}

// holder reads the process that watches, or the last one if it was killed.
func holder(w *workspace.Workspace) (Holder, error) { return holderFile(w).Read() }

// listen opens the socket for status requests. If its path is too long for a
// socket, it is in the system's folder for temporary files instead.
func (d *daemon) listen() error {
	d.held.listener, d.self.Socket = nil, ""
	path := filepath.Join(d.Root, state.Dir, state.WatchSock)
	if len(path) > maxSocket {
		sum := sha256.Sum256([]byte(d.Root))
		path = filepath.Join(os.TempDir(), "handoff-"+hex.EncodeToString(sum[:8])+".sock")
	}
	nofollow.Root(filepath.Dir(path)).Remove(path) // of a killed watch: we have the lock
	l, err := listening.Unix(path)
	if err != nil {
		return err
	}
	d.held.listener, d.self.Socket = l, path
	go d.answer(l, d.self)
	return nil
}

// Time limits.
const (
	pollEvery  = 10 * time.Millisecond
	taking     = 250 * time.Millisecond // for a lock that a status request may hold for a moment
	starting   = time.Second            // for a starting watch to take its lock
	announcing = 3 * time.Second        // for a watch that has the lock to open its socket
	answering  = 10 * time.Second       // for the answer to a status request on a busy machine
	flushing   = 5 * time.Second        // for the watcher to read the events so far, a part of that
)

// answered reports whether a watch answers at the recorded address.
func answered(w *workspace.Workspace) bool {
	h, err := holder(w)
	if err != nil || h.Socket == "" {
		return false
	}
	c, err := net.DialTimeout("unix", h.Socket, taking)
	if err == nil {
		c.Close()
	}
	return err == nil
}

// unanswered is the error for a request without an answer: no watch runs, or it
// cannot answer.
func unanswered(w *workspace.Workspace, err error) error {
	free, lockErr := unlocked(w)
	if lockErr != nil {
		return lockErr
	}
	if free {
		return ErrNotWatched
	}
	return fmt.Errorf("a watch is running here but does not answer: %w", err)
}

// unlocked reports whether no watch has a lock.
func unlocked(w *workspace.Workspace) (bool, error) {
	if exists(lockPath(w)) {
		unlock, ok, err := lockfile.Try(w.Trusted(), lockPath(w))
		if !ok {
			return false, err
		}
		unlock()
	}
	unlock, ok, err := lockfile.TryFolder(w.Root)
	if ok {
		unlock()
	}
	return ok || err != nil, nil // if folders cannot be locked, no watch has locked one
}
