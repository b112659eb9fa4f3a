// Package stores opens the receipts and the artifacts of a workspace, and the upstreams
// of its threads and tapes. Without a store in the configuration, the files of the
// workspace are all there is. With one, the store is authoritative and those files are a
// copy, which this package keeps up to date. It also keeps what agents put into the
// workspace out of git.
package stores

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/replica"
	"handoff/log/receipt"
	"handoff/workspace/config"
	"handoff/workspace/outbox"
)

// Opener opens the store at an address for the workspace with a root.
type Opener func(ctx context.Context, root string, address engine.Address) (engine.Engine, error)

// Options select the workspace.
type Options struct {
	Root   string               // of the workspace, absolute
	Folder string               // of the tool's own files, absolute
	Config func() config.Config // the present one, which a program may read again
	Open   Opener               // nil: a store in the configuration is an error
	// Trusted returns why the store in the configuration may not be used: the user has not
	// trusted the repository. nil: it is used.
	Trusted func() error
	Say     func(string) // receives a line about each repair; may be nil
	// Patience is how long to wait for the store before the local copy is read, or a
	// request is queued; 0 for the default of its kind.
	Patience time.Duration
}

// Stores are the stores of one workspace. Any goroutine may use them.
type Stores struct {
	o       Options
	private Private // what git does not get

	opening    sync.Mutex // guards the receipts
	receipts   *receipt.Store
	receiptsIn string // address of the store that they were opened for

	mu             sync.Mutex // guards what follows
	engine         *replica.LazyEngine
	copyOfReceipts copied
	copyOfState    copied
	told           string // address of the store that a message has reported as unreachable, or as not trusted
}

// New returns the stores of a workspace. It opens none of them.
func New(o Options) *Stores {
	return &Stores{o: o, private: Private{Root: o.Root, State: filepath.Base(o.Folder)}}
}

// copied is a folder that is a copy of logs.
type copied struct {
	*replica.Replica
	synced bool   // since then it is kept up to date
	leave  func() // ends that
}

// keepEvery is the time between two syncs in a program that runs longer than a moment.
const keepEvery = time.Second

func (s *Stores) address() engine.Address { return s.o.Config().Store }

// Address is the address of the store that the configuration names.
func (s *Stores) Address() string { return s.address().String() }

// HasStream reports whether the configuration names a store for threads, tapes and
// artifacts too. A git remote stores only receipts.
func (s *Stores) HasStream() bool { return s.address().Stream != "" }

// Store returns the store that the configuration names, nil if that is the workspace's
// own files. It stays open until the process ends.
func (s *Stores) Store(ctx context.Context) (engine.Engine, error) {
	if s.address().IsFiles() {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lazy().Open(ctx)
}

// ErrNotTrusted: the configuration names a store, and the user has not trusted the
// repository. Nothing has been sent there.
var ErrNotTrusted = errors.New("the store is not used")

// trusted returns an error if the store may not be used.
func (s *Stores) trusted() error {
	if s.address().IsFiles() || s.o.Trusted == nil {
		return nil
	}
	if err := s.o.Trusted(); err != nil {
		return fmt.Errorf("%s: %w: %w", s.address(), ErrNotTrusted, err)
	}
	return nil
}

// lazy is the engine of the store. The caller holds the lock.
func (s *Stores) lazy() *replica.LazyEngine {
	address := s.address()
	if s.engine != nil && s.engine.Name() == address.String() {
		return s.engine
	}
	open, root := s.o.Open, s.o.Root
	s.forget() // the configuration was reloaded
	s.engine = replica.Lazy(address.String(), func(ctx context.Context) (engine.Engine, error) {
		if err := s.trusted(); err != nil {
			return nil, err
		}
		if open == nil {
			return nil, fmt.Errorf("%s: %w: this program opens no stores", address, errors.ErrUnsupported)
		}
		return open(ctx, root, address)
	})
	return s.engine
}

// Close stops syncing in the background, and returns when nothing more is written. Later
// calls sync again.
func (s *Stores) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget()
}

// forget leaves the copies of a store. Nothing more may be fetched from there. The
// caller holds the lock.
func (s *Stores) forget() {
	for _, c := range []*copied{&s.copyOfReceipts, &s.copyOfState} {
		if c.leave != nil {
			c.leave()
		}
		*c = copied{}
	}
}

// Receipts returns the store of the receipts of the workspace's handoffs. It returns an
// error if the repository has no safe place for them: see [receipt.Locate]. They are
// opened again if the configuration, read again, names another store.
func (s *Stores) Receipts() (*receipt.Store, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	address := s.address().String()
	if s.receipts != nil && s.receiptsIn == address {
		return s.receipts, nil
	}
	receipts, err := s.openReceipts()
	if err == nil && s.trusted() == nil { // else the user may trust it soon
		s.receipts, s.receiptsIn = receipts, address
	}
	return receipts, err
}

// CatchUp brings all receipts up to date with the store, if there is one, for a decision that is
// about several handoffs.
func (s *Stores) CatchUp(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.copyOfReceipts.Replica == nil {
		return nil
	}
	return s.copyOfReceipts.Sync(ctx)
}

func (s *Stores) openReceipts() (*receipt.Store, error) {
	place, err := receipt.Locate(s.o.Root)
	receipts := receipt.Open(place)
	receipts.Unchecked = true // a workspace finds the document first
	if err == nil && !s.address().IsFiles() {
		receipts.Pending = outbox.Open(place, s.address().String(), s.patience()).Pending
	}
	if err == nil {
		folder := replica.Folder{Root: place.Root, Dir: place.Dir, Prefix: "receipts/", Owns: receipt.Owns, Identity: s.identity()}
		receipts.Upstream, err = s.upstream(context.Background(), folder, !s.address().IsFiles(), &s.copyOfReceipts)
		if errors.Is(err, ErrNotTrusted) { // what is known here can be read; other machines would not see a claim
			s.tellNotTrusted(err)
			receipts.Upstream, err = refuse(folder, err), nil
		}
	}
	receipts.Healed = func(aside string) {
		s.say(aside + ": a torn last line of a receipt was moved here")
	}
	return receipts, err
}

// Artifacts opens the workspace's artifacts, with those of its store. The caller closes
// it.
func (s *Stores) Artifacts() (*artifact.Store, error) {
	store, err := artifact.Open(s.o.Root)
	if err == nil {
		store.Remote = s.Blobs()
	}
	return store, err
}

// Blobs are the artifacts in the store, nil if they are only in the workspace.
func (s *Stores) Blobs() artifact.Remote {
	if !s.HasStream() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lazy()
}

// Refresh brings the threads and tapes up to date with the store, if the configuration
// names one, for callers that read the files themselves.
func (s *Stores) Refresh(ctx context.Context) error {
	_, err := s.Upstream(ctx)
	if errors.Is(err, ErrNotTrusted) {
		s.tellNotTrusted(err)
		return nil
	}
	return err
}

// Upstream brings the threads and tapes up to date, and returns the function that gives
// the upstream of each file; nil for a workspace whose files are the store.
func (s *Stores) Upstream(ctx context.Context) (func(path string) journal.Upstream, error) {
	folder := replica.Folder{Root: nofollow.Root(s.o.Root), Dir: s.o.Folder, Owns: names.Owns, Identity: s.identity()}
	return s.upstream(ctx, folder, s.HasStream(), &s.copyOfState)
}

func (s *Stores) upstream(ctx context.Context, f replica.Folder, stored bool, c *copied) (func(string) journal.Upstream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !stored {
		if c.leave != nil {
			c.leave()
		}
		*c = copied{}
		return s.notACopy(f)
	}
	if err := s.trusted(); err != nil {
		return nil, err
	}
	e := s.lazy()
	if c.Replica == nil {
		c.Replica = replica.New(e, f, s.o.Say)
	}
	if err := s.sync(ctx, c); err != nil {
		return nil, err
	}
	return c.Upstream, nil
}

// sync brings a folder up to date if necessary. If the store cannot be reached, the
// files are used unchanged, and a message reports that.
func (s *Stores) sync(ctx context.Context, c *copied) error {
	if c.synced {
		return nil
	}
	box, err := s.Outbox()
	if err == nil {
		err = box.Try(func() error { return s.fetch(ctx, c) })
	}
	switch {
	case err == nil:
	case c.Adopted() && replica.AboutLogs(err):
		s.say(err.Error() + " (all other logs are used)")
	case !c.Adopted() && errors.As(err, new(*replica.NotCopyError)), errors.As(err, new(*engine.ProjectError)):
		return err
	default:
		s.tell(err.Error() + ": reading the local copy, which may be out of date")
	}
	c.synced = true
	s.keep(c)
	return nil
}

// fetch syncs a folder. A caller without patience reads an old copy rather than wait for
// the rest.
func (s *Stores) fetch(ctx context.Context, c *copied) error {
	hurried := engine.Hurry(ctx, s.patience())
	if s.o.Patience > 0 {
		ctx = hurried
	}
	_, err := s.engine.Open(hurried)
	if err == nil {
		err = c.Sync(ctx)
	}
	return err
}

// How long stores may take to answer before a request is queued. A cluster of JetStream
// elects a leader in 4 to 9 s: a request that is queued meanwhile is sent after that.
const (
	patienceOfStream = 2 * time.Second
	patienceOfGit    = 15 * time.Second
)

func (s *Stores) patience() time.Duration {
	switch {
	case s.o.Patience > 0:
		return s.o.Patience
	case s.HasStream():
		return patienceOfStream
	}
	return patienceOfGit
}

// Outbox has the requests that wait for the store.
func (s *Stores) Outbox() (*outbox.Box, error) {
	place, err := receipt.Locate(s.o.Root)
	return outbox.Open(place, s.address().String(), s.patience()), err
}

// StreamOutbox is the outbox for messages and entries; nil if the files are their store.
func (s *Stores) StreamOutbox() (*outbox.Box, error) {
	if !s.HasStream() {
		return nil, nil
	}
	return s.Outbox()
}

// tell reports once for each store why it is not read. The caller holds the lock.
func (s *Stores) tell(line string) {
	if store := s.address().String(); s.told != store {
		s.told = store
		s.say(line)
	}
}

func (s *Stores) tellNotTrusted(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(err.Error() + " (only what this machine has is read)")
}

// Behind reports whether the copies may lack what the store has, because it does not answer,
// and when they had everything; zero if that is not known. It asks nothing.
func (s *Stores) Behind() (asOf time.Time, behind bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range []*copied{&s.copyOfReceipts, &s.copyOfState} {
		if c.Replica == nil || !c.synced {
			continue
		}
		at, current := c.AsOf()
		if !current && (!behind || at.Before(asOf)) {
			asOf, behind = at.UTC(), true
		}
	}
	return asOf, behind
}

// Told reports whether a message has reported that the store cannot be reached.
func (s *Stores) Told() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.told != ""
}

// keep syncs a folder in the background, until Close or until the stores are garbage: a
// command that opens a workspace ends soon and closes nothing.
func (s *Stores) keep(c *copied) {
	ctx, cancel := context.WithCancel(context.Background())
	r := c.Replica // the goroutine must not keep s alive, and c is a part of s
	var keeping sync.WaitGroup
	keeping.Go(func() { r.Keep(ctx, keepEvery, nil) })
	c.leave = func() { cancel(); keeping.Wait() }
	runtime.AddCleanup(s, func(cancel context.CancelFunc) { cancel() }, cancel)
}

func (s *Stores) say(line string) {
	if s.o.Say != nil {
		s.o.Say(line)
	}
}
