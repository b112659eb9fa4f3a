// Package outbox keeps steps on handoffs that could not reach the store, until it
// answers. It keeps requests, not records: whether a step is allowed is decided by the
// store's receipts when the request is sent, so a stale claim is refused then.
//
// The package does not know how a step is recorded.
package outbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"handoff/engine"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/receipt"
)

// Request is a step on a handoff.
type Request struct {
	Key     string    `json:"key"` // idempotency key: equal requests have the same one
	At      time.Time `json:"at"`  // when it was made
	Step    Step      `json:"step"`
	Handoff string    `json:"handoff"` // see [receipt.Place.Path]
	SHA256  string    `json:"sha256,omitempty"`
	Claim   string    `json:"claim,omitempty"`
	By      string    `json:"by,omitempty"`
	Matched bool      `json:"first_action_matched,omitempty"` // Acknowledge
	TTL     int64     `json:"ttl_ns,omitempty"`               // Renew, in nanoseconds
	Why     string    `json:"why,omitempty"`                  // Release
}

// Step is what a request asks for.
type Step string

// The steps that can wait. A claim cannot: its caller has to know who won.
const (
	Acknowledge Step = "ack"
	Renew       Step = "renew"
	Release     Step = "release"
	Done        Step = "done"
)

// Limits of the file.
const (
	maxRequests = 1000
	maxFile     = 4 << 20
)

// ErrFull: the outbox has as many requests as it may have. Nothing was added.
var ErrFull = errors.New("the outbox is full")

// Box is the outbox of a repository, or of a workspace without one: one file next to its
// receipts, which git does not commit. Any number of processes may use it.
type Box struct {
	place receipt.Place
	file  string
}

// Open returns the outbox at the place of the receipts. It reads nothing yet.
func Open(place receipt.Place) *Box {
	return &Box{place, filepath.Join(filepath.Dir(place.Dir), "outbox.json")}
}

// Away reports whether an error means that a request may succeed later: the store
// cannot be reached, or did not say what became of it.
func Away(err error) bool {
	return errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknown)
}

// page is the content of the file.
type page struct {
	Requests []Request `json:"requests"` // the oldest first
}

// Requests returns what waits, the oldest first. A damaged file is an error, and is
// never overwritten.
func (b *Box) Requests() ([]Request, error) {
	src, err := b.place.Root.ReadUnlinked(b.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var p page
	if err == nil {
		if err = json.Unmarshal(src, &p); err != nil {
			err = fmt.Errorf("%s: %w: repair the file, or delete it to give up the requests in it", b.file, err)
		}
	}
	return p.Requests, err
}

// Add adds a request, and returns how many wait then. It is on the disk before Add
// returns. A request that equals one that waits, apart from its time, has no effect.
func (b *Box) Add(ctx context.Context, r Request) (waiting int, err error) {
	if r.Key, err = keyOf(r); err != nil {
		return 0, err
	}
	err = b.change(ctx, func(all []Request) ([]Request, error) {
		if !slices.ContainsFunc(all, func(o Request) bool { return o.Key == r.Key }) {
			if len(all) >= maxRequests {
				return nil, fmt.Errorf("%s: %w: %d requests", b.file, ErrFull, len(all))
			}
			all = append(all, r)
		}
		waiting = len(all)
		return all, nil
	})
	return waiting, err
}

func keyOf(r Request) (string, error) {
	r.Key, r.At = "", time.Time{}
	data, err := json.Marshal(r)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), err
}

// Drain calls send for the requests in order, and removes each one that was recorded or
// refused. refused is called with those that the receipts do not allow any more. It stops
// at the first other error, so that no request overtakes an earlier one. A process that
// is killed between the two sends a request again, which has no further effect.
func (b *Box) Drain(ctx context.Context, send func(Request) error, refused func(Request, error)) (sent int, err error) {
	if all, err := b.Requests(); err != nil || len(all) == 0 {
		return 0, err // as for most commands: no lock
	}
	unlock, err := lockfile.Lock(ctx, b.place.Root, b.file+".drain.lock")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for {
		all, err := b.Requests()
		if err != nil || len(all) == 0 {
			return sent, err
		}
		err = send(all[0])
		if err != nil && !errors.Is(err, receipt.ErrRefused) {
			return sent, err
		}
		if err != nil {
			refused(all[0], err)
		} else {
			sent++
		}
		if err := b.remove(ctx, all[0].Key); err != nil {
			return sent, err
		}
	}
}

func (b *Box) remove(ctx context.Context, key string) error {
	return b.change(ctx, func(all []Request) ([]Request, error) {
		return slices.DeleteFunc(all, func(r Request) bool { return r.Key == key }), nil
	})
}

// change replaces the file while no other process does.
func (b *Box) change(ctx context.Context, f func([]Request) ([]Request, error)) (err error) {
	if err := atomicfile.MkdirAll(b.place.Root, filepath.Dir(b.file), 0o755); err != nil {
		return err
	}
	unlock, err := lockfile.Lock(ctx, b.place.Root, b.file+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err := b.Requests()
	if err != nil {
		return err
	}
	if all, err = f(all); err != nil {
		return err
	}
	data, err := json.MarshalIndent(page{all}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(b.place.Root, b.file, append(data, '\n'), 0o600)
}
