package httpapi

import (
	"net/http"
	"os"
	"testing"

	"handoff/log/artifact"
)

// TestCrossOrigin: pages of an allowed origin call the server with the token, and with nothing else.
func TestCrossOrigin(t *testing.T) {
	const app, token = "http://localhost:5173", "0123456789abcdef"
	bearer := []string{"Authorization", "Bearer " + token}
	s := serve(t, func(c *Config) {
		c.Token, c.Origins = token, []string{app}
		c.Pages = func(ForPages) http.Handler { return http.NotFoundHandler() }
	})
	cookie := []string{"Cookie", "handoff-" + s.url[len("http://127.0.0.1:"):] + "=" + s.signature()}
	for _, c := range []struct {
		name, method, path, origin string
		header                     []string
		code                       int
		read                       bool // the page may read the answer
	}{
		{"asks", "OPTIONS", "/handoffs/latest/claim", app, []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization"}, 204, true},
		{"another one asks", "OPTIONS", "/handoffs", app + "4", []string{"Access-Control-Request-Method", "POST"}, 403, false},
		{"with the token", "GET", "/handoffs", app, bearer, 200, true},
		{"writes", "POST", "/artifacts", app, bearer, 201, true},
		{"without the token", "GET", "/handoffs", app, nil, 401, true},
		{"writes without it", "POST", "/artifacts", app, nil, 401, true},
		{"a wrong token", "POST", "/artifacts", app, []string{"Authorization", "Bearer x"}, 401, true},
		{"with the cookie", "POST", "/artifacts", app, cookie, 401, true},
		{"another port", "GET", "/handoffs", "http://localhost:5174", bearer, 403, false},
		{"another scheme", "GET", "/handoffs", "https://localhost:5173", bearer, 403, false},
		{"another name of the host", "GET", "/handoffs", "http://127.0.0.1:5173", bearer, 403, false},
		{"no origin", "GET", "/handoffs", "null", bearer, 403, false},
		{"a page for people", "GET", "/view/x", app, bearer, 403, false},
		{"health", "GET", "/healthz", app, nil, 200, true},
		{"another host name", "GET", "/handoffs", app, append([]string{"Host", "evil.example"}, bearer...), 421, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := append([]string{"Origin", c.origin, "Sec-Fetch-Site", "same-site"}, c.header...)
			resp, _ := ask(t, s.client, c.method, s.url+c.path, nil, header...)
			allowed := resp.Header.Get("Access-Control-Allow-Origin")
			if resp.StatusCode != c.code || (allowed == app) != c.read || !c.read && allowed != "" || resp.Header.Get("Vary") != "Origin" {
				t.Errorf("%s %v, want %d", resp.Status, resp.Header, c.code)
			}
			if resp.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
		})
	}
	if names, _ := os.ReadDir(s.path(artifact.Blobs)); len(names) != 2 { // that of the example, and what the token wrote
		t.Errorf("%d blobs", len(names))
	}
}

// TestCrossOriginNeedsToken: without a token, a page of an allowed origin is one of any other origin.
func TestCrossOriginNeedsToken(t *testing.T) {
	s := serve(t, func(c *Config) { c.Origins = []string{"http://localhost:5173"} })
	for _, method := range []string{"GET", "OPTIONS"} {
		if a := s.want(403, method, "/handoffs", "", "Origin", "http://localhost:5173", "Access-Control-Request-Method", "GET"); a.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v", a.Header)
		}
	}
}
