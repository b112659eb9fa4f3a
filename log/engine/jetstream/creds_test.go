package jetstream

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nkeys"

	"handoff/internal/testing/natstest"
)

// identity is a key pair of NATS and its public key.
type identity struct {
	pair   nkeys.KeyPair
	public string
}

func newIdentity(t *testing.T, create func() (nkeys.KeyPair, error)) identity {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return identity{pair, public}
}

// token is a JWT in which by states something about an identity.
func (by identity) token(t *testing.T, about identity, kind string, more map[string]any) string {
	t.Helper()
	nats := map[string]any{"type": kind, "version": 2}
	for k, v := range more {
		nats[k] = v
	}
	text := ""
	for i, part := range []map[string]any{{"typ": "JWT", "alg": "ed25519-nkey"}, {"iss": by.public, "sub": about.public, "name": kind, "iat": 1700000000, "jti": about.public, "nats": nats}} {
		data, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			text += "."
		}
		text += base64.RawURLEncoding.EncodeToString(data)
	}
	signature, err := by.pair.Sign([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// credentials writes a .creds file for a user of an account.
func (account identity) credentials(t *testing.T) string {
	t.Helper()
	user := newIdentity(t, nkeys.CreateUser)
	seed, err := user.pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.creds")
	text := fmt.Sprintf("-----BEGIN NATS USER JWT-----\n%s\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n%s\n------END USER NKEY SEED------\n",
		account.token(t, user, "user", map[string]any{"subs": -1, "data": -1, "payload": -1}), seed)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestCredentials has a server with accounts, an operator's signature on each of them.
func TestCredentials(t *testing.T) {
	operator, system := newIdentity(t, nkeys.CreateOperator), newIdentity(t, nkeys.CreateAccount)
	account, stranger := newIdentity(t, nkeys.CreateAccount), newIdentity(t, nkeys.CreateAccount)
	limits := map[string]any{"limits": map[string]any{"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1}}
	stores := map[string]any{"limits": map[string]any{"subs": -1, "data": -1, "payload": -1, "imports": -1, "exports": -1, "wildcards": true, "conn": -1, "leaf": -1,
		"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1}}
	c := natstest.Start(t, natstest.Options{Nodes: 1, Config: fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: {\n%s: %s\n%s: %s\n}\n",
		operator.token(t, operator, "operator", nil), system.public, system.public, operator.token(t, system, "account", limits), account.public, operator.token(t, account, "account", stores))})
	opens(t, Options{Servers: c.Addresses(), Stream: "s", Creds: account.credentials(t)}, "")
	opens(t, Options{Servers: c.Addresses(), Stream: "s", Creds: stranger.credentials(t)}, "refuses these credentials")
	opens(t, Options{Servers: c.Addresses(), Stream: "s"}, "HANDOFF_STORE_CREDS")
	broken := filepath.Join(t.TempDir(), "broken.creds")
	if err := os.WriteFile(broken, []byte("not a key\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	opens(t, Options{Servers: c.Addresses(), Stream: "s", Creds: broken}, "nkeys")
}
