// Package faults stores the last errors of hooks. A hook that fails prints nothing,
// because its host would show that to the model or to the user, so this file is
// where `handoff doctor` finds out.
package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/text/secret"
	"handoff/receipt"
)

// Fault is one error.
type Fault struct {
	At    time.Time `json:"at"` // UTC
	Host  string    `json:"host"`
	Event string    `json:"event"`
	Error string    `json:"error"` // one line without secrets
}

// Limits of the file. The latest are kept.
const (
	maxFaults = 50
	maxText   = 500 // bytes of an error
	maxFile   = 1 << 20
)

// Log is the file of a repository, or of a workspace without one.
type Log struct {
	place receipt.Place
	file  string
}

// Open finds the file of the workspace with a root, next to its receipts. It reads
// nothing yet. The error is that of [receipt.Locate].
func Open(root string) (*Log, error) {
	place, err := receipt.Locate(root)
	if err != nil {
		return nil, err
	}
	return &Log{place, filepath.Join(filepath.Dir(place.Dir), "hook-errors.json")}, nil
}

// Path is the file, which need not exist.
func (l *Log) Path() string { return l.file }

// Read are the recorded errors, the oldest first.
func (l *Log) Read() (list []Fault, err error) {
	src, err := l.place.Root.ReadUnlinked(l.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		if err = json.Unmarshal(src, &list); err != nil {
			err = fmt.Errorf("%s: %w: delete the file to start again", l.file, err)
		}
	}
	return list, err
}

// Add records an error. A damaged file is replaced, because nothing in it is
// needed.
func (l *Log) Add(ctx context.Context, f Fault) (err error) {
	if err := atomicfile.MkdirAll(l.place.Root, filepath.Dir(l.file), 0o755); err != nil {
		return err
	}
	unlock, err := lockfile.Lock(ctx, l.place.Root, l.file+".lock")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	list, _ := l.Read()
	f.At, f.Error = f.At.UTC(), secret.Line(f.Error, maxText)
	f.Host, f.Event = secret.Line(f.Host, maxText), secret.Line(f.Event, maxText)
	list = append(list, f)
	src, err := json.MarshalIndent(list[max(0, len(list)-maxFaults):], "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(l.place.Root, l.file, append(src, '\n'), 0o600)
}
