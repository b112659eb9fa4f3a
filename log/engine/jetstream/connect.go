package jetstream

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// check reports mistakes in the options.
func (e *Engine) check() error {
	if len(e.o.Servers) == 0 {
		return errors.New("a JetStream store needs a server, such as nats://127.0.0.1:4222")
	}
	if e.o.Stream == "" || strings.ContainsFunc(e.o.Stream, func(c rune) bool { return c > 0x7f || !plain(byte(c)) }) {
		return fmt.Errorf("invalid name of a stream %q: use letters, digits, - and _, as in nats://HOST:4222/my-project", e.o.Stream)
	}
	for _, s := range e.o.Servers {
		u, err := url.Parse(s)
		switch {
		case err != nil:
			return errors.New("invalid URL of a NATS server: want nats://HOST:PORT or tls://HOST:PORT")
		case u.User != nil:
			return fmt.Errorf("the URL of %s has credentials: name a .creds file in HANDOFF_STORE_CREDS, or set HANDOFF_STORE_TOKEN", u.Host)
		case u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" || strings.Trim(u.Path, "/") != "":
			return fmt.Errorf("invalid URL of a NATS server %q: want nats://HOST:PORT or tls://HOST:PORT", s)
		}
	}
	for what, path := range map[string]string{"credentials": e.o.Creds, "certificates": e.o.CA} {
		if path == "" {
			continue
		}
		if f, err := os.Open(path); err != nil {
			return fmt.Errorf("%s of the store: %w", what, err)
		} else {
			f.Close()
		}
	}
	return nil
}

// connect connects to one of the servers, and keeps connecting later. Requests are
// never kept for the next connection: their callers could not know when they are sent.
func (e *Engine) connect(ctx context.Context) error {
	o := nats.GetDefaultOptions()
	o.Servers, o.Name = e.o.Servers, e.o.Name
	o.MaxReconnect, o.ReconnectWait, o.ReconnectBufSize = -1, 100*time.Millisecond, -1
	o.PingInterval, o.MaxPingsOut = 5*time.Second, 2
	o.Timeout = e.o.Timeout
	if deadline, ok := ctx.Deadline(); ok {
		o.Timeout = max(min(o.Timeout, time.Until(deadline)/time.Duration(len(o.Servers))), time.Millisecond) // they are tried one after the other
	}
	o.Token = e.o.Token
	for _, option := range []struct {
		path string
		set  func(path string) nats.Option
	}{{e.o.Creds, func(path string) nats.Option { return nats.UserCredentials(path) }}, {e.o.CA, func(path string) nats.Option { return nats.RootCAs(path) }}} {
		if option.path != "" {
			if err := option.set(option.path)(&o); err != nil {
				return err
			}
		}
	}
	e.renew()
	o.DisconnectedErrCB = func(*nats.Conn, error) { e.renew() }
	o.ReconnectedCB = func(*nats.Conn) {
		e.ends.reset()
		e.refusal.Store(nil) // permissions may have changed
		e.noConsumers.Store(false)
	}
	o.AsyncErrorCB = func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			e.refusal.Store(&err)
			e.renew() // wakes up the callers that wait for the answer
		}
	}
	var err error
	if e.nc, err = o.Connect(); err != nil {
		return explain(err)
	}
	return nil
}

// renew begins a new link and ends the one before.
func (e *Engine) renew() {
	ctx, end := context.WithCancel(context.Background())
	if old := e.link.Swap(&link{ctx, end}); old != nil {
		old.end()
	}
}

// explain returns why no server could be used.
func explain(err error) error {
	switch {
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked), errors.Is(err, nats.ErrAccountAuthExpired):
		return fmt.Errorf("the server refuses these credentials (%w): see HANDOFF_STORE_CREDS and HANDOFF_STORE_TOKEN", err)
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("%w: a server with TLS has a tls:// address, one without has nats://", err)
	case strings.Contains(err.Error(), "x509:") || strings.Contains(err.Error(), "tls:"):
		return fmt.Errorf("%w: HANDOFF_STORE_CA names the file with the certificates that sign those of the servers", err)
	}
	return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
}
