package rip

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"time"

	"handoff/internal/file/atomicfile"
)

// Announce locks the store for a server of this program, as RIP's own servers do,
// and records its endpoint: RIP's clients of the store find it, if their workspace
// has the text of p.Workspace, and start no server of RIP. The endpoint is an http
// URL without a token. release reverses both.
//
// Another server is a [*LiveError] or a [*LockedError]. RIP's clients see the
// threads of the announced server; those in RIP's store are not changed.
func (p Place) Announce(ctx context.Context, endpoint string, now time.Time) (release func() error, err error) {
	if u, err := url.Parse(endpoint); err != nil || u.Scheme != "http" || u.Host == "" {
		return nil, errors.New("RIP's clients accept only a URL like http://127.0.0.1:7341")
	}
	unlock, err := p.lock(ctx, now)
	if err != nil {
		return nil, err
	}
	mine := authority{endpoint, os.Getpid(), now.UnixMilli(), p.Workspace}
	meta, err := json.Marshal(mine)
	if err == nil {
		err = atomicfile.Write(p.root(), p.metaPath(), meta, 0o644)
	}
	if err != nil {
		return nil, errors.Join(err, unlock())
	}
	return func() error {
		if there, err := readAuthority(p.metaPath()); err == nil && there != mine {
			return nil // another process has broken the lock and taken the store
		}
		err := p.root().Remove(p.metaPath())
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, unlock())
	}, nil
}

// HasEvents reports whether the store has events of its own.
func (p Place) HasEvents() bool {
	st, err := os.Stat(p.events())
	return err == nil && st.Size() > 0
}
