package tape

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
)

// forkOnce is fork for a request that has a key.
func (t *Tape) forkOnce(ctx context.Context, r ForkRequest) (f ForkResult, err error) {
	if err := checkKey(r.Key); err != nil {
		return f, err
	}
	done, err := t.store.oneAtATime(ctx)
	if err != nil {
		return f, err
	}
	defer done()
	f, ok, err := t.forkedBefore(r)
	if err != nil || ok {
		return f, err
	}
	f, taken := t.fork(ctx, r)
	if errors.Is(taken, fs.ErrExist) { // perhaps by the same request to another process
		if f, ok, err = t.forkedBefore(r); err != nil || ok {
			return f, err
		}
	}
	return f, taken
}

// sessionOf is what tells the fork of a request from others.
func (t *Tape) sessionOf(r *ForkRequest) string {
	if r.Key == "" {
		id := t.store.options.NewID()
		return t.name + "-fork-" + id[:min(8, len(id))]
	}
	sum := sha256.Sum256([]byte(t.name + "\x00" + r.Key))
	return t.name + "-fork-" + hex.EncodeToString(sum[:8]) // longer, as nothing else keeps two apart
}

// digest tells a request from others with its key, "" if it has none.
func (r *ForkRequest) digest() string {
	if r.Key == "" {
		return ""
	}
	src, err := json.Marshal(r)
	if err != nil {
		panic(err) // it is made of texts
	}
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// forkedBefore is the fork that the request has made. It is looked for where
// the graph says; or under the name that it got, as a process may have been
// killed before it was noted.
func (t *Tape) forkedBefore(r ForkRequest) (made ForkResult, ok bool, err error) {
	session := t.sessionOf(&r)
	names := []string{or(r.To, session)}
	l, ok, err := t.store.lastNoted(graphSession(session))
	if err != nil {
		return made, false, err
	}
	if ok && l.Tape != "" && l.Tape != names[0] {
		names = append(names, l.Tape)
	}
	for _, name := range names {
		f, ok, err := t.store.forkIn(name, session)
		if err == nil && ok && f.Request != r.digest() {
			err = fmt.Errorf("tape %s: %w", t.name, ErrKeyUsed)
		}
		if err != nil || ok {
			made = f.result()
			made.Existed = true
			return made, ok, err
		}
	}
	return made, false, nil
}

// forkIn is the event of a session's fork, whose tape may be over.
func (s *Store) forkIn(name, session string) (f forkEvent, ok bool, err error) {
	paths, err := s.filesOf(name)
	if err != nil {
		return f, false, err
	}
	for _, path := range paths {
		j, release, err := s.snapshot(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			f, ok, err = forkOf(j)
			release()
		}
		if err != nil || ok && f.SessionID == session {
			return f, err == nil, err
		}
	}
	return forkEvent{}, false, nil
}

func (f *forkEvent) result() ForkResult {
	return ForkResult{Tape: f.Tape, SessionID: f.SessionID, Parent: f.Parent, Entries: f.Entries, Linked: len(f.Links) > 0}
}
