package mcp

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/web/listening"
)

const testToken = "0123456789abcdef"

// overHTTP starts a server and returns its URL.
func overHTTP(t *testing.T, c Config, access Access) string {
	t.Helper()
	l, err := listening.Open("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- New(c).Serve(ctx, l, access) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return listening.Name(l) + Path
}

// bearer sends the token.
type bearer struct{ http.RoundTripper }

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testToken)
	return b.RoundTripper.RoundTrip(r)
}

// TestHTTP has clients of both eras call tools over HTTP.
func TestHTTP(t *testing.T) {
	p := newPlace(t)
	url := overHTTP(t, p.config(), Access{Token: testToken})
	for _, version := range versions {
		transport := &http.Transport{}
		client := sdk.NewClient(&sdk.Implementation{Name: "remote", Version: "1"}, nil)
		s, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer{transport}}, DisableStandaloneSSE: true},
			&sdk.ClientSessionOptions{ProtocolVersion: version})
		if err != nil {
			t.Fatalf("%s: %v", version, err)
		}
		if got := s.InitializeResult().ProtocolVersion; got != version {
			t.Errorf("speaks %s, want %s", got, version)
		}
		path := callTool(t, s, "handoff_new", values(nil)).value["path"].(string)
		callTool(t, s, "handoff_current", nil).has(t, false, path+": waiting")
		callTool(t, s, "handoff_new", values(m{"phase": "x"})).has(t, true, "phase: error")
		callTool(t, s, "handoff_claim", m{"action": "done", "ref": path}).has(t, false, path+": done by ")
		if r, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "handoff://chain/7"}); err != nil || !strings.Contains(r.Contents[0].Text, path+" (done)") {
			t.Errorf("%+v, %v", r, err)
		}
		s.Close()
		transport.CloseIdleConnections()
	}
}

// TestCallers refuses requests that the user did not send, and cuts off large ones.
func TestCallers(t *testing.T) {
	p := newPlace(t)
	url := overHTTP(t, p.config(), Access{Token: testToken, Hosts: []string{"named.example"}})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, c := range []struct {
		what, method, path, body string
		header                   []string
		want                     int
	}{
		{"accepted", "POST", "", initialize, nil, 200},
		{"named host", "POST", "", initialize, []string{"Host", "named.example"}, 200},
		{"own page", "POST", "", initialize, []string{"Origin", strings.TrimSuffix(url, Path)}, 200},
		{"other host", "POST", "", initialize, []string{"Host", "evil.example"}, 421},
		{"other page", "POST", "", initialize, []string{"Origin", "http://evil.example"}, 403},
		{"cross-site", "POST", "", initialize, []string{"Sec-Fetch-Site", "cross-site"}, 403},
		{"no token", "POST", "", initialize, []string{"Authorization", ""}, 401},
		{"wrong token", "POST", "", initialize, []string{"Authorization", "Bearer x"}, 401},
		{"other path", "POST", "/x", initialize, nil, 404},
		{"no stream", "GET", "", "", nil, 405},
		{"no JSON", "POST", "", "no JSON", nil, 400},
		{"not JSON's type", "POST", "", initialize, []string{"Content-Type", "text/plain"}, 415},
		{"too large", "POST", "", `{"x":"` + strings.Repeat("x", maxBody) + `"}`, nil, 413},
	} {
		r, err := http.NewRequestWithContext(t.Context(), c.method, url+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Authorization", "Bearer "+testToken)
		for i := 0; i < len(c.header); i += 2 {
			if r.Header.Set(c.header[i], c.header[i+1]); c.header[i] == "Host" {
				r.Host = c.header[i+1]
			}
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if answer.StatusCode != c.want {
			t.Errorf("%s: %d, want %d: %s", c.what, answer.StatusCode, c.want, text)
		}
		if strings.Contains(string(text), testToken) {
			t.Errorf("%s: the answer has the token", c.what)
		}
	}
}

// TestStopped: a server whose listener fails ends.
func TestStopped(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := New(newPlace(t).config()).Serve(t.Context(), l, Access{}); err == nil {
		t.Error("no error")
	}
}
