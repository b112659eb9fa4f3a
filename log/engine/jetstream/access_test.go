package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/engine"
)

// certificate writes a self-signed certificate for 127.0.0.1 and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: bytes}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// opens fails the test unless Open succeeds, or fails with an error that contains a
// text, and not the token.
func opens(t *testing.T, o Options, want string) {
	t.Helper()
	o.Create = true
	e, err := Open(waittest.Context(t), o)
	if err == nil {
		defer e.Close()
		err = e.Append(waittest.Context(t), engine.Batch{Log: fmt.Sprintf("%d.jsonl", time.Now().UnixNano()), Records: [][]byte{[]byte("x")}})
	}
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%v, want an error with %q", err, want)
	case err != nil && o.Token != "" && strings.Contains(err.Error(), o.Token):
		t.Errorf("the error contains the token: %v", err)
	}
}

func TestTLSAndToken(t *testing.T) {
	cert, key := certificate(t)
	c := natstest.Start(t, natstest.Options{Nodes: 1, Secure: true, Config: fmt.Sprintf("authorization { token: sesame-open }\ntls { cert_file: %q, key_file: %q }\n", filepath.ToSlash(cert), filepath.ToSlash(key))})
	secure := c.Addresses()
	plain := []string{strings.Replace(secure[0], "tls://", "nats://", 1)}
	opens(t, Options{Servers: secure, Stream: "s", CA: cert, Token: "sesame-open"}, "")
	opens(t, Options{Servers: plain, Stream: "s", CA: cert, Token: "sesame-open"}, "") // the server asks for TLS
	opens(t, Options{Servers: secure, Stream: "s", CA: cert}, "HANDOFF_STORE_TOKEN")
	opens(t, Options{Servers: secure, Stream: "s", CA: cert, Token: "wrong-one"}, "refuses these credentials")
	opens(t, Options{Servers: secure, Stream: "s", Token: "sesame-open"}, "HANDOFF_STORE_CA")
	opens(t, Options{Servers: secure, Stream: "s", CA: key, Token: "sesame-open"}, "certificate")
}

func TestTLSMissing(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1})
	opens(t, Options{Servers: []string{strings.Replace(c.Addresses()[0], "nats://", "tls://", 1)}, Stream: "s"}, "tls://")
}

// TestPermissions has a user who may read a store but not write to it.
func TestPermissions(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1, Config: `accounts { A { jetstream: enabled, users: [ { user: w, password: w }, { user: r, password: r, permissions: { publish: [ "$JS.API.STREAM.INFO.s", "$JS.API.STREAM.MSG.GET.s", "$JS.API.DIRECT.GET.>" ], subscribe: [ "_INBOX.>" ] } } ] } }
no_auth_user: r
`})
	opens(t, Options{Servers: c.Addresses(), Stream: "s"}, "not permit")
}

func TestRefusedOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"needs a server":             {Stream: "s"},
		"name of a stream":           {Servers: []string{"nats://h:1"}, Stream: "a.b"},
		"name of a stream \"\"":      {Servers: []string{"nats://h:1"}},
		"HANDOFF_STORE_CREDS":        {Servers: []string{"nats://me:secret@h:1"}, Stream: "s"},
		"invalid URL":                {Servers: []string{"http://h:1"}, Stream: "s"},
		"no-such.creds":              {Servers: []string{"nats://h:1"}, Stream: "s", Creds: filepath.Join("folder", "no-such.creds")},
		"the store: open no-such.ca": {Servers: []string{"nats://h:1"}, Stream: "s", CA: "no-such.ca"},
	} {
		e, err := Open(t.Context(), o)
		if err == nil {
			e.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
}

// TestUnreachable asks a port on which nothing listens.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := "nats://" + l.Addr().String()
	l.Close()
	if _, err := Open(t.Context(), Options{Servers: []string{address}, Stream: "s"}); !errors.Is(err, engine.ErrUnavailable) || !strings.Contains(err.Error(), address+"/s") {
		t.Errorf("%v, want ErrUnavailable with the address", err)
	}
}

// TestStreams opens streams that are missing, or cannot be a store.
func TestStreams(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1})
	ctx := waittest.Context(t)
	if _, err := Open(ctx, Options{Servers: c.Addresses(), Stream: "missing"}); !errors.Is(err, ErrNoStream) || !strings.Contains(err.Error(), "handoff store copy files "+c.Addresses()[0]+"/missing") {
		t.Errorf("%v, want ErrNoStream and how to create it", err)
	}
	e := open(t, c, "first")
	var info streamInfo
	other := &Engine{nc: e.nc, o: e.o}
	other.o.Stream = "queue"
	other.link.Store(e.link.Load())
	if err := other.api(ctx, "STREAM.CREATE", config{Name: "queue", Subjects: []string{"handoff.queue.>"}, Retention: "limits", Storage: "memory", Discard: "old", MaxMsgs: 5, MaxBytes: -1, MaxPerLog: -1, Replicas: 1}, &info); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, Options{Servers: c.Addresses(), Stream: "queue", Create: true}); err == nil || !strings.Contains(err.Error(), "cannot be a store") {
		t.Errorf("a queue: %v", err)
	}
	s, err := e.Status(ctx)
	if err != nil || s.Replicas != 1 || s.Current != 1 || s.MaxPayload != 1<<20 || s.Version == "" || s.TLS {
		t.Errorf("status %+v, %v", s, err)
	}
}

// TestRestart kills a server and starts it again: cached facts are still true, and a
// watch continues.
func TestRestart(t *testing.T) {
	c := natstest.Start(t, natstest.Options{Nodes: 1})
	e, ctx := open(t, c, "restart"), waittest.Context(t)
	records := make(chan engine.Record, 100)
	watching, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	t.Cleanup(func() { stop(); waittest.For(t, "the end of the watch", ended) })
	go func() {
		defer close(ended)
		for record, err := range e.Watch(watching, "a.jsonl", 0) {
			if err != nil {
				return
			}
			records <- record
		}
	}()
	for n := range uint64(6) {
		if n == 3 {
			c.Kill(0)
			c.Restart(0)
		}
		if err := engine.Append(ctx, e, waittest.Limit, engine.Batch{Log: "a.jsonl", Expected: n, Records: [][]byte{fmt.Appendf(nil, "%d", n)}}); err != nil {
			t.Fatal(err)
		}
		if r := waittest.For(t, "the record", records); r.Number != n || string(r.Data) != fmt.Sprint(n) {
			t.Fatalf("record %d is %s, want %d", r.Number, r.Data, n)
		}
	}
	c.Kill(0)
	if err := e.Append(ctx, engine.Batch{Log: "a.jsonl", Expected: 6, Records: [][]byte{[]byte("x")}}); !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, engine.ErrUnknown) {
		t.Errorf("without a server: %v", err)
	}
}

// exercise uses everything that a store has.
func exercise(t *testing.T, e *Engine) {
	t.Helper()
	ctx := waittest.Context(t)
	for n := range uint64(3) {
		err := e.Append(ctx, engine.Batch{Log: "a.jsonl", Expected: n, Records: [][]byte{[]byte("x")}}, engine.Batch{Log: "b/b.jsonl", Expected: n, Records: [][]byte{[]byte("y")}})
		if err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for _, err := range e.Read(ctx, "a.jsonl", 0) {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range e.List(ctx, "b/") {
		if n++; err != nil {
			t.Fatal(err)
		}
	}
	for record, err := range e.Watch(ctx, "b/b.jsonl", 2) {
		if n++; err != nil || record.Number != 2 {
			t.Fatal(record, err)
		}
		break
	}
	data := strings.Repeat("0123456789abcdef", 50_000)
	id := artifact.Sum([]byte(data)).String()
	if _, err := e.Put(ctx, id, int64(len(data)), strings.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	b, err := e.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if got, err := io.ReadAll(b); string(got) != data || err != nil {
		t.Errorf("%d other bytes, %v", len(got), err)
	}
	for range e.IDs(ctx) {
		n++
	}
	if n != 6 || e.refusal.Load() != nil {
		t.Errorf("%d results, want 6; refused: %v", n, e.refusal.Load())
	}
}
