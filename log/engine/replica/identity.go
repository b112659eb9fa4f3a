package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/log/engine"
)

// meet learns the identity of a store that the folder was no copy of, before anything is
// compared or fetched. The error is an [engine.ProjectError] if it belongs to another project.
func (r *Replica) meet(ctx context.Context) error {
	if r.folder.Identity == nil {
		return nil
	}
	i, ok, err := engine.ReadIdentity(ctx, r.logs)
	if err != nil {
		return r.about(err)
	}
	if !ok {
		return nil
	}
	return r.know(ctx, i)
}

// know makes an identity that of the store, if none is known. Another one than before becomes
// known when all files were compared with that store: see startOver.
func (r *Replica) know(ctx context.Context, i engine.Identity) error {
	err := i.Allows(r.store, r.folder.Identity(ctx))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refused = err
	switch {
	case err != nil:
		r.ready = false
	case r.identity == "":
		r.identity = i.Store
		if r.ready { // else it is saved when the files were compared
			err = r.trySave()
		}
	}
	return err
}

// verify learns the identity of a store of which the folder had nothing when it was opened: it may
// have been empty then, and another project may have written to it since.
func (r *Replica) verify(ctx context.Context) error {
	r.mu.Lock()
	skip := !r.nothing || r.asked || r.identity != "" || r.folder.Identity == nil
	r.mu.Unlock()
	if skip {
		return nil
	}
	if err := r.patiently(ctx, func() error { return r.meet(ctx) }); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked = true
	return nil
}

// identify gives a store that is empty its identity, before the first append to it. A store
// of an older version, which has logs and no identity, stays as it is: who comes first may be
// the wrong one.
func (r *Replica) identify(ctx context.Context) error {
	r.mu.Lock()
	skip := !r.nothing || r.identity != "" || r.folder.Identity == nil
	r.mu.Unlock()
	if skip {
		return nil
	}
	all, now, err := engine.Changes(ctx, r.logs, "", "")
	if err != nil {
		return r.about(err)
	}
	if len(all) == 0 && now == "" || slices.ContainsFunc(all, func(i engine.Info) bool { return i.Log == engine.IdentityLog }) {
		i, err := engine.Identify(ctx, r.logs, r.folder.Identity(ctx))
		if err == nil || errors.As(err, new(*engine.ProjectError)) {
			err = r.know(ctx, i)
		}
		if err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nothing = false
	return nil
}

// isOther reports whether the store is not the one that the folder was a copy of, though it has
// the same address: it was created again. Then all files are compared with it. Its identity is
// among the logs that changed.
func (r *Replica) isOther(ctx context.Context, changed []engine.Info, now string) (bool, error) {
	r.mu.Lock()
	known := r.identity
	r.mu.Unlock()
	if r.folder.Identity == nil {
		return false, nil
	}
	i, ok, err := r.identityIn(ctx, changed)
	switch {
	case err != nil:
		return false, r.about(err)
	case i.Store == known, !ok && now != "": // the same one; not listed because it has not changed
		return false, nil
	}
	if ok {
		if err := r.know(ctx, i); err != nil {
			return false, err
		}
	}
	if known == "" {
		return false, nil
	}
	return true, r.startOver(ctx, i)
}

// identityIn is the identity in a list of changes.
func (r *Replica) identityIn(ctx context.Context, changed []engine.Info) (i engine.Identity, ok bool, err error) {
	for _, info := range changed {
		if info.Log != engine.IdentityLog {
			continue
		}
		if len(info.Tail) > 0 {
			if i, ok = engine.ParseIdentity(info.Tail[0]); ok {
				return i, ok, nil
			}
		}
		return engine.ReadIdentity(ctx, r.logs)
	}
	return i, false, nil
}

// startOver compares all files with a store that was created again. Those that it lacks are
// set apart: what they have was lost there.
func (r *Replica) startOver(ctx context.Context, i engine.Identity) error {
	files, err := r.all()
	if err == nil {
		_, err = r.compare(ctx, files)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.identity, r.revision, r.lengths = i.Store, "", map[string]count{}
	r.nothing = i.Store == "" // then the first append gives it an identity
	if n := len(r.apart); n > 0 {
		r.say(fmt.Sprintf("%s was created again, or is another store than before: it lacks records of %d of the files here, which are left alone (`handoff store copy files %[1]s` adds what is missing)", r.store, n))
	}
	return r.save()
}
