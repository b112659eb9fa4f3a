// Package once makes a request with an idempotency key take effect once, however often
// it is repeated and whichever process is killed meanwhile. It stores the result of the
// first request, and the file that it was about to create. The package knows nothing of
// what a request does.
package once

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/kept"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/workspace"
)

// MaxKey is the maximum length of a key, in bytes.
const MaxKey = 255

// keeping is how long a result is stored at least.
const keeping = 7 * 24 * time.Hour

// maxRecord is the most bytes of a stored result.
const maxRecord = 4 << 20

// File is a file that a request is about to create.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Of names a file by its path and its text.
func Of(path string, text []byte) *File {
	sum := sha256.Sum256(text)
	return &File{path, hex.EncodeToString(sum[:])}
}

// Request names a request.
type Request struct {
	What string // the operation; its keys are its own
	Key  string // idempotency key
	Sum  string // [Sum] of what is asked for
}

// Sum identifies what a request asks for: values of which the JSON is compared.
func Sum(values ...any) string {
	h := sha256.New()
	e := json.NewEncoder(h)
	for _, v := range values {
		if err := e.Encode(v); err != nil {
			panic(err) // a type that has no JSON: a mistake of the caller
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// OtherError reports that a key was used by a request that asked for something else.
type OtherError struct{ Key string }

// Unwrap makes it a [handoff.ErrKeyUsed].
func (e *OtherError) Unwrap() error { return handoff.ErrKeyUsed }

func (e *OtherError) Error() string {
	return fmt.Sprintf("the idempotency key %q was used with other values: repeat that request unchanged, or use another key", e.Key)
}

// record is the stored value of a key. If it has no result, the process was killed.
type record struct {
	At     time.Time       `json:"at"`
	Sum    string          `json:"sum,omitempty"`
	File   *File           `json:"file,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
}

// book stores the results of a workspace's requests, next to its receipts.
type book struct {
	root nofollow.Root
	dir  string
	now  func() time.Time
}

// bookOf finds the results of a workspace. It reads nothing yet. The error is that of
// [workspace.Workspace.Receipts].
func bookOf(ws *workspace.Workspace) (*book, error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	place := store.Place()
	return &book{place.Root, place.Beside(state.Requests), ws.Now}, nil
}

// ErrLongKey is the error for a key that is too long.
var ErrLongKey = fmt.Errorf("%w: an idempotency key has at most %d bytes", handoff.ErrInvalid, MaxKey)

// Do returns the stored result of a request, or calls act and stores its result. existed
// reports which. The error is [*OtherError] if the key was used by a request with another
// Sum: its result may be somebody else's claim. A record without a Sum is of a version that
// did not compare, so it is unknown whose it is. Only one process calls act at a time.
//
// before is the file that an act with this key was about to create when its process was
// killed; nil if there was none. act must check whether that file exists. Before it
// creates a file it calls intend. If act fails, a repetition calls it again. What has no key is done each time.
func Do[T any](ctx context.Context, ws *workspace.Workspace, req Request, act func(before *File, intend func(*File) error) (T, error)) (result T, existed bool, err error) {
	switch {
	case req.Key == "":
		result, err = act(nil, func(*File) error { return nil })
		return result, false, err
	case len(req.Key) > MaxKey:
		return result, false, ErrLongKey
	}
	b, err := bookOf(ws)
	if err != nil {
		return result, false, err
	}
	if err := atomicfile.MkdirAll(b.root, b.dir, 0o700); err != nil {
		return result, false, err
	}
	unlock, err := lockfile.Lock(ctx, b.root, b.dir+".lock")
	if err != nil {
		return result, false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	file := b.file(req.What, req.Key)
	r, err := file.Read()
	if err != nil {
		return result, false, err
	}
	if (r.Result != nil || r.File != nil) && r.Sum != req.Sum {
		return result, false, &OtherError{req.Key}
	}
	if r.Result != nil {
		return result, true, json.Unmarshal(r.Result, &result)
	}
	b.prune()
	result, err = act(r.File, func(f *File) error { return file.Replace(b.stamped(record{Sum: req.Sum, File: f})) })
	if err != nil {
		return result, false, err
	}
	text, err := json.Marshal(result)
	if err == nil {
		err = file.Replace(b.stamped(record{Sum: req.Sum, Result: text}))
	}
	return result, false, err
}

// file is that of a key. Only this user can read it: a result may contain a claim.
func (b *book) file(what, key string) kept.File[record] {
	sum := sha256.Sum256([]byte(what + "\x00" + key))
	return kept.File[record]{Root: b.root, Path: filepath.Join(b.dir, hex.EncodeToString(sum[:16])+".json"), Max: maxRecord, Mode: 0o600, Dir: 0o700, Fix: "delete the file to forget this request"}
}

func (b *book) stamped(r record) record {
	r.At = b.now().UTC()
	return r
}

// prune deletes old records. An error is left to the next request: old records do no
// harm.
func (b *book) prune() {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if st, err := e.Info(); err == nil && b.now().Sub(st.ModTime()) > keeping {
			_ = b.root.Remove(filepath.Join(b.dir, e.Name()))
		}
	}
}
