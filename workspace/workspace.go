// Package workspace opens a tree: it finds its root, its configuration and its tasks,
// and opens the stores of the tool's own files. The operations on a tree are packages
// below this one, such as documents, check, sync and create, and so are its threads and
// tapes: [handoff/workspace/threads.In] and [handoff/workspace/tapes.In] open them.
// Package workspace reads no documents.
//
// Callers pass the rules, the clock and the source of ids to [Open].
package workspace

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/uuid"
	"handoff/lint"
	"handoff/workspace/config"
	"handoff/workspace/stores"
)

// MaxSize is the most bytes of a document that are read. A handoff of one
// screen has about 2 KiB.
const MaxSize = 1 << 20

// Options are what a workspace needs from outside the program. The same
// options and the same requests write the same bytes.
type Options struct {
	Rules     []*lint.Rule     // rules that check documents
	RuleNames []string         // rules that a configuration may name: also those of verify
	Now       func() time.Time // the clock; nil for the system's
	NewID     func() string    // ids of threads, runs and events; nil for random ones
	// Say receives a line about each automatic repair. Progress receives the number of
	// bytes done while an index is built. Either may be nil.
	Say      func(string)
	Progress func(path string, done, total int64)
	// OpenStore opens the store at an address for the workspace with a root. It is called
	// only if the configuration names one.
	OpenStore stores.Opener
	// OpenChain opens what keeps the threads of tasks. It is called only if the configuration
	// asks for those. See [Chain].
	OpenChain func(ctx context.Context, w *Workspace, writes bool) (Chain, error)
	// Work keeps uncommitted work; the zero value keeps none.
	Work Work
	// Trust returns an error if what can act in a workspace may not: its store, its checks and
	// its template. See [handoff/workspace/trust]. nil: nothing of a repository may act.
	Trust func(root string, c config.Config) error
	// Finished returns what reports whether a document, by its path, is history: no successor
	// needs it any more. It is [handoff/workspace/outdated.Finished]; nil: none is.
	Finished func(ctx context.Context, w *Workspace) func(path string) bool
	// Elsewhere returns the folder of another workspace that a tape:// URI names; fs.ErrNotExist if it is not known. nil: none is.
	Elsewhere func(name string) (folder string, err error)
	// Patience is how long to wait for the store: see [stores.Options].
	Patience time.Duration
}

// Workspace is a tree with a specs folder.
type Workspace struct {
	Root    string // absolute
	Config  config.Config
	Options Options

	*stores.Stores // of its receipts, artifacts, threads and tapes

	SetAside SetAside // files of other writers, found by sync

	said    sync.Map   // see SayOnce
	writing sync.Mutex // see Locked
	read    stamp      // of the configuration
}

// New returns the workspace with a root and a configuration, without a look at the disk.
func New(root string, c config.Config, o Options) *Workspace {
	w := &Workspace{Root: root, Config: c, Options: o}
	w.Stores = stores.New(stores.Options{Root: root, Folder: filepath.Join(root, StateDir), Config: func() config.Config { return w.Config },
		Open: o.OpenStore, Trusted: func() error { return w.MayAct() }, Say: o.Say, Patience: o.Patience})
	return w
}

// errNoTrust is for programs that do not ask their user.
var errNoTrust = errors.New("this program trusts no repository")

// MayAct returns an error if the user has not trusted the workspace. Then nothing in it
// may connect to another machine or run a program.
func (w *Workspace) MayAct() error {
	if w.Options.Trust == nil {
		return errNoTrust
	}
	return w.Options.Trust(w.Root, w.Config)
}

// Open finds the workspace that contains dir: the folder of the nearest
// .handoff.yaml at or above dir or, if that file is in a specs folder, the folder
// above specs; else the nearest folder that has a specs folder, else the one with a known
// place of handoffs, else dir itself.
// The error lists the problems of the configuration.
func Open(dir string, o Options) (*Workspace, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	at := locate(dir)
	before := stampOf(at.file)
	c := config.Default()
	if at.file != "" {
		c, err = config.LoadFound(at.root, at.file, o.RuleNames)
	}
	if at.looked {
		c.Use(at.found)
	} else {
		c = WithPlaces(at.root, c)
	}
	w := New(at.root, c, o)
	w.read = before // a change while it was read is seen later
	return w, err
}

// Reload reads the configuration again. If it is invalid, the previous one stays
// in use and the error lists the problems.
func (w *Workspace) Reload() error {
	fresh, err := Open(w.Root, w.Options)
	w.read = fresh.read
	if err == nil {
		w.Config = fresh.Config
	}
	return err
}

// Changed reports whether the configuration file is another one than was read last.
func (w *Workspace) Changed() bool {
	file, _ := config.Find(w.Root)
	return stampOf(file) != w.read
}

// stamp is what shows that a file was changed; zero for none.
type stamp struct {
	file string
	size int64
	at   time.Time
}

func stampOf(file string) stamp {
	st, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{file, st.Size(), st.ModTime()}
}

// Locate returns the root of the workspace that contains an absolute folder, and its
// configuration file; "" for none.
func Locate(dir string) (root, file string) {
	at := locate(dir)
	return at.root, at.file
}

// located is where a workspace is.
type located struct {
	root, file string
	found      []task.Detected // the known places of the root, if they were looked for, which takes long in a large tree
	looked     bool
}

func locate(dir string) located {
	if file, ok := config.Find(dir); ok {
		root := filepath.Dir(file)
		if above := RootAbove(root); above != "" && !IsDir(filepath.Join(root, handoff.Root)) {
			root = above
		}
		return located{root: root, file: file}
	}
	for up := range regular.Project(dir) {
		if specs := filepath.Join(up, handoff.Root); IsDir(specs) || regular.KindOf(specs) == regular.Link {
			return located{root: up} // CheckSpecs reports a bad symlink
		}
	}
	at := placesAbove(dir)
	if at.root == "" {
		at.root = dir
	}
	return at
}

// Find returns the root of the workspace that contains an absolute folder, and whether one was set up.
func Find(dir string) (root string, ok bool) {
	at := locate(dir)
	if !at.looked && at.file == "" && !IsDir(filepath.Join(at.root, handoff.Root)) {
		at.found = Places(at.root)
	}
	return at.root, at.file != "" || len(at.found) > 0 || IsDir(filepath.Join(at.root, handoff.Root))
}

// IsSetUp reports what [Find] does for the workspace's root, when it was opened.
func (w *Workspace) IsSetUp() bool {
	_, ok := config.Find(w.Root)
	return ok || len(w.Config.Found) > 0 || IsDir(w.Specs())
}

// SayOnce says a line, but not again in this workspace.
func (w *Workspace) SayOnce(line string) {
	if _, again := w.said.LoadOrStore(line, true); !again && w.Options.Say != nil {
		w.Options.Say(line)
	}
}

// Now is the time by the workspace's clock.
func (w *Workspace) Now() time.Time { return w.Options.Time() }

// NewID is a new id by the workspace's source of ids.
func (w *Workspace) NewID() string {
	if w.Options.NewID == nil {
		return uuid.New()
	}
	return w.Options.NewID()
}

func (o Options) Time() time.Time {
	if o.Now == nil {
		return time.Now()
	}
	return o.Now()
}

// Full returns the absolute path for a path below the root with forward slashes.
func (w *Workspace) Full(rel string) string {
	return w.Root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// Specs is the folder that holds the task folders.
func (w *Workspace) Specs() string { return filepath.Join(w.Root, handoff.Root) }

// Trusted is the root of the workspace as a folder in which files are written without
// following symlinks.
func (w *Workspace) Trusted() nofollow.Root { return nofollow.Root(w.Root) }

// Rel is the path below the root, with forward slashes.
func (w *Workspace) Rel(path string) string { return w.Trusted().Rel(path) }

// RootAbove is the parent of the nearest specs folder in an absolute path; "" if the
// path has none in its project.
func RootAbove(dir string) string {
	below := ""
	for up := range regular.Project(dir) {
		if filepath.Base(below) == handoff.Root {
			return up
		}
		below = up
	}
	return ""
}

func IsDir(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.IsDir()
}
