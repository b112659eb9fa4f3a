package rip

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"handoff/internal/file/regular"
	"handoff/internal/process"
)

// authority describes the process that uses a store: in lock.json, and with its
// endpoint in meta.json.
type authority struct {
	Endpoint      string `json:"endpoint,omitempty"`
	PID           int    `json:"pid"`
	StartedAtMS   int64  `json:"started_at_ms"`
	WorkspaceRoot string `json:"workspace_root"`
}

func (p Place) lockPath() string { return p.path("authority", "lock.json") }

func (p Place) metaPath() string { return p.path("authority", "meta.json") }

func readAuthority(path string) (a authority, err error) {
	src, err := regular.Read(path, nil, maxSnapshot)
	if err == nil {
		err = json.Unmarshal(src, &a)
	}
	return a, err
}

// lock locks the store as RIP's servers do, by creating a file exclusively. A lock
// of a process that no longer exists, and whose endpoint does not answer, is
// removed.
func (p Place) lock(ctx context.Context, now time.Time) (unlock func() error, err error) {
	if err := p.live(ctx); err != nil {
		return nil, err
	}
	if err := p.root().MkdirAll(p.path("authority"), 0o755); err != nil {
		return nil, err
	}
	mine, err := json.Marshal(authority{PID: os.Getpid(), StartedAtMS: now.UnixMilli(), WorkspaceRoot: p.Workspace})
	if err != nil {
		return nil, err
	}
	for range 2 {
		f, err := p.root().OpenFile(p.lockPath(), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err == nil {
			_, err = f.Write(append(mine, '\n'))
			return func() error { return p.root().Remove(p.lockPath()) }, errors.Join(err, f.Close())
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if err := p.breakStale(ctx, now); err != nil {
			return nil, err
		}
	}
	return nil, &LockedError{Path: p.lockPath()}
}

// live is a [*LiveError] if a server answers.
func (p Place) live(ctx context.Context) error {
	meta, err := readAuthority(p.metaPath())
	if err == nil && answers(ctx, meta.Endpoint) {
		return &LiveError{meta.Endpoint, meta.PID}
	}
	return nil
}

// breakStale removes the lock of a process that no longer exists.
func (p Place) breakStale(ctx context.Context, now time.Time) error {
	if err := p.live(ctx); err != nil {
		return err
	}
	old, err := readAuthority(p.lockPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil: // not JSON: perhaps it is being written
		st, statErr := os.Stat(p.lockPath())
		if statErr == nil && now.Sub(st.ModTime()) < time.Second {
			return &LockedError{Path: p.lockPath()}
		}
	case old.PID > 0 && !process.Gone(old.PID):
		return &LockedError{p.lockPath(), old.PID}
	}
	// Renamed first: of several processes that find it stale only one removes it,
	// and none removes the lock that the next one creates.
	aside := fmt.Sprintf("%s.stale-%d-%d-%d", p.lockPath(), old.PID, old.StartedAtMS, now.UnixMilli())
	if err := p.root().Rename(p.lockPath(), aside); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p.root().Remove(aside)
	p.root().Remove(p.metaPath())
	return nil
}

// answers reports whether a RIP server is running there. It does not use
// net/http, which would slow down the start of every command.
func answers(ctx context.Context, endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return false
	}
	const patience = time.Second
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(conn, "GET /openapi.json HTTP/1.0\r\nHost: %s\r\nConnection: close\r\n\r\n", u.Host)
	status, err := bufio.NewReader(io.LimitReader(conn, 1<<10)).ReadString('\n')
	return err == nil && strings.HasPrefix(status, "HTTP/1.") && strings.Contains(status, " 200")
}
