package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/thread"
	"handoff/surface/command"
)

// TestShowWithoutLineage: show works with a server that has no lineage, such as
// RIP's.
func TestShowWithoutLineage(t *testing.T) {
	needs.Unix(t, "Windows has no such signals")
	_, address := started(t, nil, nil, "", "--listen", "127.0.0.1:0", "--no-token")
	whole, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(whole) }}
	rip := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/lineage") {
			http.NotFound(w, r)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer rip.Close()
	do := func(args ...string) (out, talk string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		w := &command.Process{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Dir: t.TempDir(), Now: time.Now, Getenv: os.Getenv}
		if code := run(context.Background(), w, append(args, "--server", rip.URL)); code != command.Clean {
			t.Fatalf("%s: exit code %d: %s", args, code, &stderr)
		}
		return stdout.String(), stderr.String()
	}
	var made thread.Info
	out, _ := do("thread", "create")
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatal(err)
	}
	do("thread", "post-message", made.ThreadID, "--content", "What is left?")
	out, talk := do("thread", "show", made.ThreadID)
	if !strings.Contains(out, "user\n  What is left?\n") || talk != "handoff: the server does not report which threads continue this one\n" {
		t.Errorf("%q, %q", out, talk)
	}
}
