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

// Announce takes the store for a server of ours, as RIP's own servers do, and
// says where that answers: RIP's clients of the store find it there, if their
// workspace has the text of p.Workspace, and none starts a server of RIP. The
// endpoint is an http URL without a token. release takes that back.
//
// Another server is a [*LiveError] or a [*LockedError]. RIP's clients are
// answered with the threads of the server; those in the store are not touched.
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
			return nil // another has taken the store, as if this process were gone
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
