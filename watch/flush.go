package watch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/fsnotify/fsnotify"
)

// backlog counts changes on their way from the system to the reader of Dirty. A stage is
// entered before the one before it is left, and the stages are read in that order, so no
// change is ever between two of them. Any goroutine may use it.
type backlog struct {
	rescans atomic.Int64 // requested scans of everything that have not ended
	noted   atomic.Bool  // events were recorded and not read
	reading atomic.Bool  // events are read, or everything is scanned
	due     atomic.Bool  // everything will be scanned, after a pause
	sent    atomic.Int64 // on the way to the debouncer
	busy    atomic.Int64 // tasks in the debouncer
	taken   atomic.Int64 // sets that the reader took from Dirty and is not done with
}

func (b *backlog) size() int {
	n := int(b.rescans.Load())
	for _, stage := range []*atomic.Bool{&b.noted, &b.reading, &b.due} {
		if stage.Load() {
			n++
		}
	}
	for _, stage := range []*atomic.Int64{&b.sent, &b.busy, &b.taken} {
		n += int(max(0, stage.Load()))
	}
	return n
}

// Waiting is how many tasks, or sets of changes that are not yet read, are known to the
// watcher and not done. It is 0 only if the reader is done with all of them; see [Watcher.Done]
// and [Watcher.Flush].
func (w *Watcher) Waiting() int { return w.backlog.size() }

// Done tells the watcher that the reader is done with a set of Dirty. Only Waiting needs it.
func (w *Watcher) Done() { w.backlog.taken.Add(-1) }

// errEnded reports that the watch has ended.
var errEnded = errors.New("the watch has ended")

// Flush waits until Waiting counts all changes that were made before the call. The system
// reports events in order, so all of them have been read when an event about another file
// arrives: file is an empty one that nobody else knows, outside of the workspace, and
// change changes it. Without events, everything is scanned.
func (w *Watcher) Flush(ctx context.Context, file string, change func() error) error {
	if w.Polling() {
		return w.flushPolling(ctx)
	}
	seen, forget := w.marks.add(file)
	defer forget()
	if err := w.marks.watch(file); err != nil {
		return err
	}
	if err := change(); err != nil {
		return err
	}
	select {
	case <-seen:
		return nil
	case <-w.ended:
		return errEnded
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Watcher) flushPolling(ctx context.Context) error {
	looked := make(chan struct{})
	for to := w.looks; ; to = nil {
		select {
		case to <- looked:
		case <-looked:
			return nil
		case <-w.ended:
			return errEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// marks are files of which an event is awaited.
type marks struct {
	using sync.Mutex        // held while a file is added: adding to a watcher that is closed may hit another file with its number
	fs    *fsnotify.Watcher // nil if there is none: then everything will be scanned, or nothing any more

	count atomic.Int64 // so that an event costs nothing while none is awaited
	mu    sync.Mutex
	files map[string]chan struct{}
}

// use replaces the watcher that files are added to. The caller closes the old one after
// that.
func (m *marks) use(fs *fsnotify.Watcher) {
	m.using.Lock()
	defer m.using.Unlock()
	m.fs = fs
}

func (m *marks) watch(file string) error {
	m.using.Lock()
	defer m.using.Unlock()
	if m.fs == nil {
		return nil
	}
	return m.fs.Add(file)
}

// add awaits an event about a file. forget must be called after that.
func (m *marks) add(file string) (seen <-chan struct{}, forget func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[string]chan struct{}{}
	}
	c := make(chan struct{}, 1)
	m.files[file] = c
	m.count.Add(1)
	return c, func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.files, file)
		m.count.Add(-1)
	}
}

// see reports whether an event is about a file that is awaited.
func (m *marks) see(file string) bool {
	if m.count.Load() == 0 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.files[file]
	if ok {
		signal(c)
	}
	return ok
}

// all releases those who wait, because events were lost. The caller has recorded that
// everything must be scanned.
func (m *marks) all() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range m.files {
		signal(c)
	}
}
