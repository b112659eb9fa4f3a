package trust

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"handoff/document/handoff"
	"handoff/workspace/config"
)

// ErrNotTrusted: the repository may not act.
var ErrNotTrusted = errors.New("not trusted")

// ErrStranger: the root, its configuration or its handoffs belong to another user. It is
// also [ErrNotTrusted].
var ErrStranger = fmt.Errorf("of another user and %w", ErrNotTrusted)

// refusal is an error with its own text and a kind.
type refusal struct {
	text string
	kind error
}

func (e *refusal) Error() string { return e.text }
func (e *refusal) Unwrap() error { return e.kind }

// The ways in which a root is trusted.
const (
	No          = "no"
	Recorded    = "yes"
	Environment = "environment" // by [Variable]
	Changed     = "changed"     // what can act is not what the user trusted
	Unneeded    = "not needed"  // nothing can act
)

// Status is what is known about a root.
type Status struct {
	Root    string  `json:"root"`
	Trusted string  `json:"trusted"`
	Owner   int     `json:"owner"`    // uid of another user who owns it, -1 for none
	Acts    []Act   `json:"acts"`     // what can act now
	Record  *Record `json:"recorded"` // its own, or that of another worktree; nil for none
}

// Status returns what is known about a workspace.
func (b *Book) Status(root string, c config.Config) (Status, error) {
	s := Status{Root: real(root), Acts: Acts(root, c), Owner: b.stranger(root, c)}
	if slices.Contains(b.roots, s.Root) {
		s.Trusted = Environment
		return s, nil
	}
	var err error
	s.Record, err = b.read(s.Root)
	if s.Record == nil && len(s.Acts) == 0 && s.Owner < 0 {
		s.Trusted = Unneeded
		return s, err
	}
	if err == nil && (s.Record == nil || !b.covers(s.Record, s)) {
		s.Record = cmp.Or(b.lent(s), s.Record)
	}
	switch {
	case s.Record == nil:
		s.Trusted = No
	case !b.covers(s.Record, s):
		s.Trusted = Changed
	default:
		s.Trusted = Recorded
	}
	return s, err
}

// Check returns nil if what can act in a workspace may act, else an error with the command
// to type.
func (b *Book) Check(root string, c config.Config) error {
	s, err := b.Status(root, c)
	switch {
	case err != nil:
		return &refusal{err.Error(), ErrNotTrusted}
	case s.Trusted == Changed:
		return &refusal{fmt.Sprintf("what this repository connects to or runs has changed since you trusted it: %s shows it and trusts it again", TypeFor(s.Root)), ErrNotTrusted}
	case s.Trusted == No && s.Owner >= 0:
		return &refusal{fmt.Sprintf("%s belongs to another user (%d), whom you have not trusted: %s shows what it connects to or runs, and trusts it", s.Root, s.Owner, TypeFor(s.Root)), ErrStranger}
	case s.Trusted == No:
		return &refusal{fmt.Sprintf("you have not trusted this repository: %s shows what it connects to or runs, and trusts it", TypeFor(s.Root)), ErrNotTrusted}
	}
	return nil
}

// Stranger returns an error if a workspace belongs to another user whom the user has not
// trusted. It costs less than [Book.Check].
func (b *Book) Stranger(root string, c config.Config) error {
	if b.stranger(root, c) < 0 {
		return nil
	}
	if err := b.Check(root, c); errors.Is(err, ErrStranger) {
		return err
	}
	return nil
}

// stranger is the uid of another user who owns the root of a workspace or what it is read
// from, -1 if there is none. The entries count too, because anybody may write to a folder
// such as /tmp.
func (b *Book) stranger(root string, c config.Config) int {
	for _, path := range []string{root, c.Path, filepath.Join(root, handoff.Root)} {
		if uid, ok := b.owner(path); path != "" && ok && !slices.Contains(b.uids, uid) {
			return uid
		}
	}
	return -1
}

// All trusts everything: for workspaces that a program makes itself, and for tests.
func All(string, config.Config) error { return nil }
