package client_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"

	"handoff/surface/httpapi/client"
)

// Any operation of docs/openapi.json can be asked for; the answers are its JSON.
func ExampleClient_Call() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // in the role of `handoff serve`
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/handoffs" && r.URL.Query().Get("state") == "waiting" {
			fmt.Fprint(w, `[{"path":"specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md","state":"waiting"}]`)
			return
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"type":"about:blank","title":"Not Found","status":404,"detail":"no such handoff"}`)
	}))
	defer server.Close()
	c, err := client.New(server.URL, "")
	if err != nil {
		panic(err)
	}
	defer c.Close()
	ctx := context.Background()
	var waiting []struct{ Path string }
	err = c.Call(ctx, "GET", []string{"handoffs"}, url.Values{"state": {"waiting"}}, nil, &waiting)
	fmt.Println(waiting, err)

	var brief string
	err = c.Call(ctx, "GET", []string{"handoffs", "311/1", "brief"}, nil, nil, &brief)
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// [{specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md}] <nil>
	// true
}
