package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// IdentityLog is the log of a store that says which store it is, and of which project. It is
// no log of a workspace: it is neither fetched, copied nor compared. Stores of older versions
// have none, and may be of any project.
const IdentityLog = "receipts/store" + Suffix

// Identity is the first record of [IdentityLog]. Later ones are for newer versions.
type Identity struct {
	Store   string   `json:"store"`             // a random id, so that a store that was created again is another one
	Project []string `json:"project,omitempty"` // the first commits of the repository; none if there are none
}

// ProjectError: the store belongs to another project. Nothing is read from it or written to it.
type ProjectError struct {
	Name         string // of the store
	Theirs, Ours string // a first commit of each
}

func (e *ProjectError) Error() string {
	return fmt.Sprintf("%s belongs to another project: its repository begins with commit %.12s, this one with %.12s. Name another store in `store:` "+
		"(for JetStream, another stream at the end of the address), and create it with `handoff store copy files STORE`", e.Name, e.Theirs, e.Ours)
}

// Allows returns a [ProjectError] if a store of a name is not for the project of another identity.
// If either has no commit, as in a shallow clone, that is not known, and allowed.
func (i Identity) Allows(name string, other Identity) error {
	if len(i.Project) == 0 || len(other.Project) == 0 {
		return nil
	}
	if slices.ContainsFunc(i.Project, func(commit string) bool { return slices.Contains(other.Project, commit) }) {
		return nil
	}
	return &ProjectError{name, i.Project[0], other.Project[0]}
}

// ReadIdentity returns the identity of a store; ok is false if it has none. One that is damaged,
// or that another program has written, counts as none: it must not block all others.
func ReadIdentity(ctx context.Context, logs Logs) (i Identity, ok bool, err error) {
	for record, err := range logs.Read(ctx, IdentityLog, 0) {
		if Foreign(err) != nil {
			return i, false, nil
		}
		if err != nil {
			return i, false, err
		}
		i, ok = ParseIdentity(record)
		return i, ok, nil
	}
	return i, false, nil
}

// ParseIdentity parses the first record of [IdentityLog].
func ParseIdentity(r Record) (i Identity, ok bool) {
	err := json.Unmarshal(r.Data, &i)
	return i, err == nil && r.Number == 0 && i.Store != ""
}

// Identify returns the identity of a store. If it has none, it gets this one: of several processes
// that try, one succeeds. The error is a [ProjectError] if it belongs to another project.
func Identify(ctx context.Context, e Engine, own Identity) (Identity, error) {
	i, ok, err := ReadIdentity(ctx, e)
	if err == nil && !ok {
		data, _ := json.Marshal(own) // cannot fail
		i = own
		err = Append(ctx, e, Budget, Batch{Log: IdentityLog, Records: [][]byte{data}})
		if errors.Is(err, ErrConflict) { // another process was faster
			i, _, err = ReadIdentity(ctx, e)
		}
	}
	if err != nil {
		return i, About(e.Name(), err)
	}
	return i, i.Allows(e.Name(), own)
}
