package notes

import (
	"context"
	"time"

	"handoff/internal/file/kept"
	"handoff/internal/state"
	"handoff/internal/text/secret"
	"handoff/log/receipt"
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
	maxLog    = 1 << 20
)

// Log has the last errors of hooks. A hook that fails prints nothing, because its host
// would show that to the model or to the user: `handoff doctor` finds them here. It is the
// file of a repository, or of a workspace without one.
type Log struct{ file kept.File[[]Fault] }

// OpenLog finds the file of the workspace with a root, next to its receipts. It reads
// nothing yet. The error is that of [receipt.Locate].
func OpenLog(root string) (*Log, error) {
	place, err := receipt.Locate(root)
	if err != nil {
		return nil, err
	}
	return &Log{kept.File[[]Fault]{Root: place.Root, Path: place.Beside(state.Faults), Max: maxLog, Mode: 0o600, Fix: "delete the file to start again",
		Aside: true, Encode: kept.Lines[[]Fault]}}, nil
}

// Path is the file, which need not exist.
func (l *Log) Path() string { return l.file.Path }

// Read are the recorded errors, the oldest first.
func (l *Log) Read() (list []Fault, err error) { return l.file.Read() }

// Add records an error. A damaged file is set aside, because the next error must be found.
func (l *Log) Add(ctx context.Context, f Fault) error {
	f.At, f.Error = f.At.UTC(), secret.Line(f.Error, maxText)
	f.Host, f.Event = secret.Line(f.Host, maxText), secret.Line(f.Event, maxText)
	_, err := l.file.Change(ctx, func(list *[]Fault) bool {
		all := append(*list, f)
		*list = all[max(0, len(all)-maxFaults):]
		return true
	})
	return err
}
