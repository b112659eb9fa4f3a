package stores_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/replica"
	"handoff/log/receipt"
	"handoff/workspace/config"
	"handoff/workspace/stores"
)

const (
	stream = "nats://127.0.0.1:1/TEST"
	remote = "git:origin"
)

// opened are the stores of a workspace, and what a test changes of it.
type opened struct {
	*stores.Stores
	root    string
	config  config.Config
	refused error
	said    []string
	opens   int
}

// open opens the stores of a workspace whose configuration names a store; "" for none. An engine of
// nil does not answer.
func open(t *testing.T, root, address string, e engine.Engine) *opened {
	t.Helper()
	o := &opened{root: root, config: config.Default()}
	o.names(t, address)
	o.Stores = stores.New(stores.Options{Root: root, Folder: filepath.Join(root, ".handoff"), Config: func() config.Config { return o.config }, Patience: 5 * time.Second,
		Trusted: func() error { return o.refused }, Say: func(line string) { o.said = append(o.said, line) },
		Open: func(context.Context, string, engine.Address) (engine.Engine, error) {
			if o.opens++; e == nil {
				return nil, fmt.Errorf("%w: no answer", engine.ErrUnavailable)
			}
			return e, nil
		}})
	t.Cleanup(o.Close)
	return o
}

func (o *opened) names(t *testing.T, address string) {
	t.Helper()
	if address == "" {
		address = "files"
	}
	a, err := engine.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	o.config.Store = a
}

// claim claims a handoff in the receipts, and holder is who holds it.
func (o *opened) claim(t *testing.T, by string) error {
	t.Helper()
	r, err := o.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	m := receipt.Moment{Now: time.Unix(1_790_000_000, 0)}
	_, err = r.Record(t.Context(), "a.md", m.Claim(receipt.ClaimRequest{By: by, TTL: time.Hour, ID: func() string { return strings.Repeat(by[:1], 16) }}))
	return err
}

func (o *opened) holder(t *testing.T) string {
	t.Helper()
	r, err := o.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	life, err := r.Life("a.md")
	if err != nil {
		t.Fatal(err)
	}
	return life.Claim.By
}

// TestFiles: without a store the files are all there is: nothing is opened, and nothing queued.
func TestFiles(t *testing.T) {
	o := open(t, t.TempDir(), "", nil)
	if err := o.claim(t, "ada"); err != nil || o.holder(t) != "ada" {
		t.Errorf("%v: held by %s", err, o.holder(t))
	}
	e, err := o.Store(t.Context())
	box, boxErr := o.StreamOutbox()
	if e != nil || err != nil || box != nil || boxErr != nil || o.HasStream() || o.Blobs() != nil || o.Address() != "files" {
		t.Errorf("store %v, %v; outbox %v, %v; stream %t; address %s", e, err, box, boxErr, o.HasStream(), o.Address())
	}
	if up, err := o.Upstream(t.Context()); up != nil || err != nil {
		t.Errorf("%v: the files have an upstream", err)
	}
	if _, behind := o.Behind(); behind || o.Told() || o.opens != 0 || len(o.said) != 0 || o.Refresh(t.Context()) != nil {
		t.Errorf("behind %t, told %t, opened %d times, said %q", behind, o.Told(), o.opens, o.said)
	}
	a, err := o.Artifacts()
	if err != nil || a.Remote != nil {
		t.Errorf("%v: artifacts have a remote", err)
	}
	a.Close()
	one, two := o.Identity(t.Context()), o.Identity(t.Context())
	if one.Store == "" || one.Store == two.Store {
		t.Errorf("%+v, %+v: each store has an identity of its own", one, two)
	}
}

// TestShared: what one workspace claims in a store, another one sees, and refuses.
func TestShared(t *testing.T) {
	store := &enginetest.Memory{}
	a, b := open(t, t.TempDir(), stream, store), open(t, t.TempDir(), stream, store)
	if err := a.claim(t, "ada"); err != nil {
		t.Fatal(err)
	}
	if err := b.claim(t, "bob"); !errors.Is(err, receipt.ErrRefused) || b.holder(t) != "ada" {
		t.Errorf("%v: held by %s", err, b.holder(t))
	}
	e, err := a.Store(t.Context())
	box, boxErr := a.StreamOutbox()
	if e == nil || err != nil || box == nil || boxErr != nil || !a.HasStream() || a.Blobs() == nil || a.Address() != stream {
		t.Errorf("store %v, %v; outbox %v, %v; address %s", e, err, box, boxErr, a.Address())
	}
	if up, err := a.Upstream(t.Context()); up == nil || err != nil {
		t.Errorf("%v: threads have no upstream", err)
	}
	blobs, err := a.Artifacts()
	if err != nil || blobs.Remote == nil {
		t.Errorf("%v: artifacts have no remote", err)
	}
	blobs.Close()
	if _, behind := a.Behind(); behind || a.Told() || len(a.said) != 0 || a.opens != 1 {
		t.Errorf("behind %t, said %q, opened %d times", behind, a.said, a.opens)
	}
	same, _ := a.Receipts()
	if again, _ := a.Receipts(); again != same {
		t.Error("receipts are opened again at each call")
	}
}

// TestGit: a git remote has only the receipts.
func TestGit(t *testing.T) {
	o := open(t, t.TempDir(), remote, &enginetest.Memory{})
	box, err := o.StreamOutbox()
	if o.HasStream() || o.Blobs() != nil || box != nil || err != nil {
		t.Errorf("stream %t, outbox %v, %v", o.HasStream(), box, err)
	}
	if up, err := o.Upstream(t.Context()); up != nil || err != nil {
		t.Errorf("%v: threads have an upstream", err)
	}
	if err := o.claim(t, "ada"); err != nil || o.opens != 1 {
		t.Errorf("%v, opened %d times", err, o.opens)
	}
}

// TestNotTrusted: nothing is sent to a store that the user has not trusted; what is here is read, and
// that is said once. When he trusts it, it is used.
func TestNotTrusted(t *testing.T) {
	root := t.TempDir()
	if err := open(t, root, "", nil).claim(t, "ada"); err != nil {
		t.Fatal(err)
	}
	o := open(t, root, stream, &enginetest.Memory{})
	o.refused = errors.New("run handoff trust")
	for range 2 {
		if err := o.claim(t, "bob"); !errors.Is(err, stores.ErrNotTrusted) || !strings.Contains(err.Error(), "run handoff trust") || o.holder(t) != "ada" {
			t.Errorf("%v: held by %s", err, o.holder(t))
		}
	}
	if _, err := o.Upstream(t.Context()); !errors.Is(err, stores.ErrNotTrusted) {
		t.Errorf("%v", err)
	}
	if _, err := o.Store(t.Context()); !errors.Is(err, stores.ErrNotTrusted) {
		t.Errorf("%v", err)
	}
	if err := o.Refresh(t.Context()); err != nil {
		t.Errorf("%v: the files can be read", err)
	}
	if len(o.said) != 1 || !strings.HasSuffix(o.said[0], "(only what this machine has is read)") || !o.Told() || o.opens != 0 {
		t.Errorf("said %q, opened %d times", o.said, o.opens)
	}
	o.refused = nil
	if _, err := o.Receipts(); !errors.As(err, new(*replica.NotCopyError)) || o.opens != 1 {
		t.Errorf("%v, opened %d times: the store is used, and these files are not its copy", err, o.opens)
	}
}

// TestAway: a store that does not answer is reported once, and the copy is read.
func TestAway(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	first := open(t, root, stream, store)
	if err := first.claim(t, "ada"); err != nil {
		t.Fatal(err)
	}
	first.Close()
	o := open(t, root, stream, nil)
	if o.holder(t) != "ada" || len(o.said) != 1 || !strings.HasSuffix(o.said[0], "reading the local copy, which may be out of date") || !o.Told() {
		t.Errorf("held by %s, said %q", o.holder(t), o.said)
	}
	if at, behind := o.Behind(); !behind || at.IsZero() {
		t.Errorf("behind %t since %s", behind, at)
	}
	if _, err := o.Upstream(t.Context()); err != nil || len(o.said) != 1 {
		t.Errorf("%v, said %q", err, o.said)
	}
	bare := stores.New(stores.Options{Root: t.TempDir(), Folder: t.TempDir(), Config: func() config.Config { return o.config }})
	defer bare.Close()
	if _, err := bare.Store(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v: this program opens no stores", err)
	}
}

// TestCopy: files that are a copy of a store are not changed once the configuration names none.
func TestCopy(t *testing.T) {
	store, root := &enginetest.Memory{}, t.TempDir()
	o := open(t, root, stream, store)
	if err := o.claim(t, "ada"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Upstream(t.Context()); err != nil {
		t.Fatal(err)
	}
	o.names(t, "")
	err := o.claim(t, "bob")
	if !errors.Is(err, stores.ErrCopy) || !strings.Contains(err.Error(), "set `store: "+stream+"` in .handoff.yaml, or delete ") || o.holder(t) != "ada" {
		t.Errorf("%v: held by %s", err, o.holder(t))
	}
	up, err := o.Upstream(t.Context())
	if err != nil || up == nil || up(filepath.Join(root, ".handoff", "threads", "a.jsonl")) == nil || up(filepath.Join(root, ".handoff", "notes.txt")) != nil || up(filepath.Join(root, "a.md")) != nil {
		t.Errorf("%v: only the files of the store are a copy", err)
	}
	o.names(t, stream)
	if err := o.claim(t, "bob"); !errors.Is(err, receipt.ErrRefused) || errors.Is(err, stores.ErrCopy) {
		t.Errorf("%v: the store is used again", err)
	}
}

// TestKeepPrivate: git gets what the configuration shares; without one, nothing.
func TestKeepPrivate(t *testing.T) {
	o := open(t, t.TempDir(), "", nil)
	list := filepath.Join(o.root, ".handoff", ".gitignore")
	o.config.Share.Tapes = true
	if err := o.KeepPrivate(); err != nil {
		t.Fatal(err)
	}
	shares, err := os.ReadFile(list)
	if err != nil || strings.Contains(string(shares), "\n/tape/\n") || !strings.Contains(string(shares), "\n/threads/\n") || !stores.IsOwnIgnore(string(shares)) || stores.IsOwnIgnore("x\n") {
		t.Errorf("%v:\n%s", err, shares)
	}
	bare := stores.New(stores.Options{Root: o.root, Folder: filepath.Join(o.root, ".handoff")})
	if err := bare.KeepPrivate(); err != nil {
		t.Fatal(err)
	}
	if kept, _ := os.ReadFile(list); string(kept) != string(shares) {
		t.Errorf("without a configuration the list is kept:\n%s", kept)
	}
	if has := o.Tracked(t.Context()); len(has.Threads)+len(has.Tapes)+len(has.Private) != 0 {
		t.Errorf("%+v: there is no git", has)
	}
}
