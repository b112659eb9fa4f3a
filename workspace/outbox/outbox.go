// Package outbox keeps requests that could not reach the store, until it answers. It
// keeps requests, not records. When a request is sent, the store decides whether the
// step is allowed and which number the record gets, so it refuses a stale claim.
//
// Each request is one file, so adding one never rewrites the others: a process that is
// killed, or a full disk, loses none of them.
//
// The package does not know how requests are recorded.
package outbox

import (
	"handoff/document/handoff"

	"bytes"
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
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/log/engine"
	"handoff/log/receipt"
)

// Limits of an outbox.
const (
	MaxRequests = 10_000
	MaxBytes    = 64 << 20
	maxRequest  = 33 << 20 // the largest request to HTTP, with its escapes
)

// ErrFull: the outbox has as many requests, or bytes, as it may have. Nothing was added.
var ErrFull = errors.New("the outbox is full: `handoff store drain` sends what waits, `handoff store drain --dry-run` lists it")

// Box is the outbox of a repository, or of a workspace without one: a folder next to its
// receipts, which git does not commit. Any number of processes may use it.
type Box struct {
	root     nofollow.Root
	dir      string
	store    string
	patience time.Duration
	limits   limits
}

type limits struct {
	bytes, request int64
	refused        int
}

// Open returns the outbox at the place of the receipts, for the requests to a store. A
// request is queued if the store does not answer for the time of patience. It reads
// nothing yet.
func Open(place receipt.Place, store string, patience time.Duration) *Box {
	return &Box{place.Root, place.Beside(state.Outbox), store, patience, limits{MaxBytes, maxRequest, MaxRefused}}
}

// Dir is the folder of the outbox. It may not exist.
func (b *Box) Dir() string { return b.dir }

// Hurry returns a context in which the store is given up after that time: see [engine.Hurry].
func (b *Box) Hurry(ctx context.Context) context.Context { return engine.Hurry(ctx, b.patience) }

// Queued reports that a request waits in the outbox.
type Queued struct {
	Waiting int   // requests in the outbox
	Why     error // why it could not be sent
}

// errOrder is why a request waits whose store may answer.
var errOrder = errors.New("earlier requests wait")

// Do calls do, which sends a request, with a context that hurries: see [engine.Hurry]. If
// the store is unreachable, or earlier requests for the same log wait, the request is
// queued. check returns the errors that sending it would have in any case.
func (b *Box) Do(ctx context.Context, r Request, check func() error, do func(context.Context) error) (*Queued, error) {
	n, err := b.Waiting(r.Log())
	if err != nil {
		return nil, err
	}
	why := errOrder
	if n == 0 {
		try := b.Try
		if r.Step == Renew { // the holder relies on it: it asks whether it still is the holder
			try = b.Ask
		}
		why = try(func() error { return do(b.Hurry(ctx)) })
		if !Away(why) {
			return nil, why
		}
	}
	if err := check(); err != nil {
		return nil, err
	}
	waiting, err := b.Add(context.WithoutCancel(ctx), r)
	if err != nil {
		return nil, fmt.Errorf("%w; the request could not be queued either: %w", why, err)
	}
	return &Queued{waiting, why}, nil
}

// Away reports whether an error means that a request may succeed later: the store
// cannot be reached, or did not report the outcome.
func Away(err error) bool {
	return errors.Is(err, engine.ErrUnavailable) || errors.Is(err, engine.ErrUnknown)
}

// Add adds a request, and returns how many wait then. It is on the disk before Add
// returns. A request with the key of one that waits has no effect.
func (b *Box) Add(ctx context.Context, r Request) (waiting int, err error) {
	r.Store = b.store
	if err := r.complete(); err != nil {
		return 0, err
	}
	data, err := encode(r)
	if err != nil {
		return 0, err
	}
	unlock, err := b.lock(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	all, err := b.files()
	if err != nil {
		return 0, err
	}
	f := fileOf(&r)
	if i := slices.IndexFunc(all, func(o file) bool { return o.log == f.log && o.key == f.key }); i >= 0 {
		return len(all), b.same(all[i], r)
	}
	if n := len(all); n > 0 {
		f.number = all[n-1].number + 1
	}
	if err := b.room(all, len(data)); err != nil {
		return 0, err
	}
	err = atomicfile.Create(b.root, filepath.Join(b.dir, f.name()), data, 0o600)
	return len(all) + 1, err
}

// ErrKeyUsed: another request with the same key waits. It is [handoff.ErrKeyUsed].
var ErrKeyUsed = handoff.ErrKeyUsed

// same returns an error if a request that waits is another one with the same key.
func (b *Box) same(f file, r Request) error {
	waits, err := b.read(f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was sent just now
	}
	if err != nil {
		return err
	}
	waits.At, r.At = time.Time{}, time.Time{}
	before, err := encode(waits)
	now, nowErr := encode(r)
	if err = errors.Join(err, nowErr); err == nil && !bytes.Equal(before, now) {
		err = fmt.Errorf("%s: %w", r.Log(), ErrKeyUsed)
	}
	return err
}

// encode is the content of a file. Entries keep their spelling.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return buf.Bytes(), err
}

// room returns an error if a request of some bytes would be too much.
func (b *Box) room(all []file, size int) error {
	have, err := b.bytes(all)
	switch {
	case err != nil:
		return err
	case len(all) >= MaxRequests:
		return fmt.Errorf("%s: %w: it has %d requests", b.dir, ErrFull, len(all))
	case int64(size) > b.limits.request:
		return fmt.Errorf("%s: %w: the request has %d bytes, at most %d are allowed", b.dir, engine.ErrTooLarge, size, b.limits.request)
	case have+int64(size) > b.limits.bytes:
		return fmt.Errorf("%s: %w: %d requests have %d of %d bytes", b.dir, ErrFull, len(all), have, b.limits.bytes)
	}
	return nil
}

// lock keeps other processes from adding requests.
func (b *Box) lock(ctx context.Context) (unlock func() error, err error) {
	if err := atomicfile.MkdirAll(b.root, b.dir, 0o700); err != nil {
		return nil, err
	}
	return lockfile.Lock(ctx, b.root, filepath.Join(b.dir, "add.lock"))
}

// Requests returns the waiting requests, the oldest first, also those for other stores.
// A damaged file is left alone and reported in the error, next to the other requests.
func (b *Box) Requests() ([]Request, error) {
	all, err := b.files()
	requests, failed := make([]Request, 0, len(all)), []error{err}
	for _, f := range all {
		r, err := b.read(f)
		if errors.Is(err, fs.ErrNotExist) {
			continue // sent in the meantime
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		requests = append(requests, r)
	}
	return requests, errors.Join(failed...)
}

// Waiting is how many requests wait for a log. It reads no request.
func (b *Box) Waiting(log string) (n int, err error) {
	all, err := b.files()
	for _, f := range all {
		if f.log == logDigest(log) {
			n++
		}
	}
	return n, err
}

// For returns the requests that wait for a log of this store, in their order. Damaged files
// are left out: who drains reports them.
func (b *Box) For(log string) (requests []Request, err error) {
	all, err := b.files()
	if err != nil {
		return nil, err
	}
	for _, f := range all {
		if f.log != logDigest(log) {
			continue
		}
		r, err := b.read(f)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrDamaged): // sent in the meantime, or cannot be
		case err != nil:
			return nil, err
		case r.Store == "" || r.Store == b.store:
			requests = append(requests, r)
		}
	}
	return requests, nil
}

// Size is how much waits. It reads no request.
func (b *Box) Size() (s Size, err error) {
	all, err := b.files()
	if err == nil {
		s.Requests = len(all)
		s.Bytes, err = b.bytes(all)
	}
	return s, err
}

// Size is how much an outbox has.
type Size struct {
	Requests int   `json:"requests"`
	Bytes    int64 `json:"bytes"`
}

// read reads a request.
func (b *Box) read(f file) (r Request, err error) {
	path := filepath.Join(b.dir, f.name())
	src, err := b.root.ReadUnlinked(path, maxRequest+1)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(src, &r); err != nil || r.Key == "" || fileOf(&r).log != f.log {
		return r, fmt.Errorf("%s: %w: repair the file, or delete it to give up its request (%v)", path, ErrDamaged, err)
	}
	return r, nil
}

// ErrDamaged: the file of a request cannot be read. It is never overwritten or sent.
var ErrDamaged = errors.New("damaged request")
