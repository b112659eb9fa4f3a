package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/log/receipt"
)

// Sender sends the requests of an outbox.
type Sender struct {
	// Send records a request. [receipt.ErrRefused] means that it is not allowed, and
	// never will be. A request may be repeated after its process was killed; its key
	// makes that harmless.
	Send func(Request) error
	// Refused is called with requests that were refused, after they were set aside. It may
	// be nil.
	Refused func(Refused)
	// AnyStore also sends requests that were made for another store.
	AnyStore bool
	Most     time.Duration // no request is begun later: the rest waits; 0 for no limit
	Now      func() time.Time
}

// Refused is a request that the store refused. The last [MaxRefused] are kept, because
// another process than the one that made it may have sent it.
type Refused struct {
	Request Request   `json:"request"`
	At      time.Time `json:"at"`
	Why     string    `json:"why"`
}

// Text is a line about it.
func (r Refused) Text() string {
	return fmt.Sprintf("outbox: %s of %s, made %s: not recorded: %s", r.Request.Step, r.Request.Log(), r.Request.At.UTC().Format("2006-01-02T15:04:05Z"), r.Why)
}

// MaxRefused is how many refused requests are kept.
const MaxRefused = 100

// Drain sends what waits, in order for each log, and removes each request that was
// recorded or refused. Only one process drains; if another one is draining, that is not
// an error. If the store cannot be reached the rest waits, and [Away] is true for the
// error. After any other error the other requests for the same log wait, and those for
// other logs are sent.
func (b *Box) Drain(ctx context.Context, s Sender) (sent int, err error) {
	begin := time.Now()
	for {
		if all, err := b.files(); err != nil || len(all) == 0 {
			return sent, err // as for most commands: no lock
		}
		unlock, ok, err := lockfile.Try(b.root, filepath.Join(b.dir, "drain.lock"))
		if err != nil || !ok {
			return sent, err
		}
		d := b.drain(s, nil)
		d.begin = begin
		err = errors.Join(d.run(ctx), unlock())
		sent += d.sent
		// A process that found the lock held may have added a request after the last
		// check, and no other process would send that.
		if err != nil || !d.more() {
			return sent, err
		}
	}
}

// drain prepares a run; only are the logs whose requests it sends, nil for all.
func (b *Box) drain(s Sender, only []string) *drain {
	return &drain{Box: b, Sender: s, only: only, begin: time.Now(), stuck: map[string]bool{}, others: map[file]bool{}}
}

// drain is one run of Drain.
type drain struct {
	*Box
	Sender
	only   []string // digests of logs
	begin  time.Time
	sent   int
	stuck  map[string]bool // logs whose next request cannot be sent now
	others map[file]bool   // requests for another store
	failed []error
}

// run sends until nothing is left that can be sent.
func (d *drain) run(ctx context.Context) error {
	for {
		f, ok, err := d.next()
		if err != nil || !ok {
			return errors.Join(append(d.failed, err)...)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.one(f); err != nil {
			return errors.Join(append(d.failed, err)...)
		}
	}
}

// next is the oldest request that can be sent, if there is time for it.
func (d *drain) next() (f file, ok bool, err error) {
	if d.Most > 0 && time.Since(d.begin) > d.Most {
		return f, false, nil
	}
	all, err := d.files()
	for _, f := range all {
		if !d.stuck[f.log] && !d.others[f] && (d.only == nil || slices.Contains(d.only, f.log)) {
			return f, true, err
		}
	}
	return f, false, err
}

func (d *drain) more() bool {
	_, ok, err := d.next()
	return ok && err == nil
}

// one sends a request. The error ends the run.
func (d *drain) one(f file) error {
	r, err := d.read(f)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the request was abandoned
	case err != nil:
		return d.leave(f, err)
	case r.Store != "" && r.Store != d.store && !d.AnyStore:
		d.others[f] = true
		return nil
	}
	err = d.Send(r)
	if Away(err) {
		return err
	}
	if errors.Is(err, receipt.ErrRefused) {
		return d.setAside(f, Refused{r, d.Now().UTC(), err.Error()})
	}
	if err != nil {
		return d.leave(f, fmt.Errorf("outbox: %s of %s: %w", r.Step, r.Log(), err))
	}
	d.sent++
	return d.remove(f)
}

// leave lets a request and those after it for the same log wait.
func (d *drain) leave(f file, why error) error {
	d.stuck[f.log] = true
	d.failed = append(d.failed, why)
	return nil
}

func (b *Box) remove(f file) error {
	err := b.root.Remove(filepath.Join(b.dir, f.name()))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (b *Box) refusedDir() string { return filepath.Join(b.dir, "refused") }

// setAside keeps a refused request, and then removes it. A process that is killed
// between the two sends it again, and it is refused again.
func (d *drain) setAside(f file, r Refused) error {
	data, err := encode(r)
	if err == nil {
		err = atomicfile.MkdirAll(d.root, d.refusedDir(), 0o700)
	}
	all, listErr := filesIn(d.refusedDir())
	if err = errors.Join(err, listErr); err != nil {
		return err
	}
	kept := f
	if n := len(all); n > 0 {
		if kept.number = all[n-1].number; all[n-1].key != f.key {
			kept.number++
		}
	}
	if err := atomicfile.Write(d.root, filepath.Join(d.refusedDir(), kept.name()), data, 0o600); err != nil {
		return err
	}
	if err := d.remove(f); err != nil {
		return err
	}
	if d.Sender.Refused != nil {
		d.Sender.Refused(r)
	}
	return d.forget(len(all) + 1 - d.limits.refused)
}

// forget removes the oldest refused requests.
func (b *Box) forget(n int) error {
	all, err := filesIn(b.refusedDir())
	for _, f := range all[:min(max(n, 0), len(all))] {
		err = errors.Join(err, b.root.Remove(filepath.Join(b.refusedDir(), f.name())))
	}
	return err
}

// Forget removes the refused requests that are kept, and returns their number.
func (b *Box) Forget() (n int, err error) {
	all, err := filesIn(b.refusedDir())
	return len(all), errors.Join(err, b.forget(len(all)))
}

// Refused returns the refused requests that are kept, the oldest first.
func (b *Box) Refused() (list []Refused, err error) {
	all, err := filesIn(b.refusedDir())
	for _, f := range all {
		path := filepath.Join(b.refusedDir(), f.name())
		var r Refused
		src, readErr := b.root.ReadUnlinked(path, 2*maxRequest)
		if readErr == nil {
			readErr = json.Unmarshal(src, &r)
		}
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", path, readErr))
			continue
		}
		list = append(list, r)
	}
	return list, err
}
