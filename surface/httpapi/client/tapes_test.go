package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/log/tape/bulk"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// The script tape-server of the command tests the answers of a correct server;
// these tests use servers that break connections or send invalid data.

func entry(id int) string {
	return fmt.Sprintf(`{"id": %d, "kind": "message", "payload": {"role": "user", "content": "<%d>"}, "meta": {}, "date": "2026-02-12T16:05:00+00:00"}`, id, id)
}

// TestBrokenTape: the client reconnects with its last position, and notices
// that a tape was reset.
func TestBrokenTape(t *testing.T) {
	var connections atomic.Int64
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if want := "/tapes/a%2Fb/events"; r.URL.EscapedPath() != want || r.URL.RawQuery != "kind=message&kind=x&last_anchor=true" {
			t.Errorf("%s?%s", r.URL.EscapedPath(), r.URL.RawQuery)
		}
		switch n := connections.Add(1); {
		case n == 3:
			panic(http.ErrAbortHandler)
		case n == 1 && r.Header.Get("Last-Event-ID") == "":
			io.WriteString(w, ": a comment\n\nid: p1\ndata: "+entry(7)+"\n\nid:p2\ndata:"+entry(8)+"\n\nid: p3\ndata: {\"id\"")
		case n == 2 && r.Header.Get("Last-Event-ID") == "p2":
			io.WriteString(w, "id: p3\ndata: "+entry(2)+"\n\n")
		case n == 4 && r.Header.Get("Last-Event-ID") == "p3":
			io.WriteString(w, "id: p4\ndata: "+entry(3)+"\n\n")
		case n == 5 && r.Header.Get("Last-Event-ID") == "p4":
			w.WriteHeader(404) // the fork has ended
		default:
			t.Errorf("connection %d behind %q", n, r.Header.Get("Last-Event-ID"))
		}
	})
	resets := 0
	q := tape.FollowRequest{Query: tape.Query{Window: tape.FromLastAnchor(), Kinds: []string{"message", "x"}}, Reset: func() { resets++ }}
	var got []int64
	var last error
	for e, err := range c.Tape("a/b").Follow(t.Context(), q) {
		if last = err; err == nil {
			got = append(got, e.ID)
			if line, err := e.Line(); err != nil || string(line) != entry(int(e.ID)) {
				t.Errorf("%s, %v", line, err)
			}
		}
	}
	if fmt.Sprint(got) != "[7 8 2 3]" || resets != 1 || !errors.Is(last, fs.ErrNotExist) {
		t.Errorf("%d, %d resets, %v", got, resets, last)
	}
}

// TestSend: fields that are not set are not sent.
func TestSend(t *testing.T) {
	var body string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		body = r.Method + " " + r.URL.EscapedPath() + " " + strings.TrimSpace(string(sent))
		io.WriteString(w, "{}")
	})
	for _, one := range []struct {
		request tapes.SendRequest
		want    string
	}{
		{tapes.SendRequest{From: "a", To: "b"}, `{"from":"a","to":"b"}`},
		{tapes.SendRequest{From: "a", To: "b", Reason: "r"}, `{"from":"a","to":"b","reason":"r"}`},
		{tapes.SendRequest{From: "a", To: "b", Summary: "s"}, `{"from":"a","to":"b","summary":"s"}`},
		{tapes.SendRequest{From: "a", To: "b", NextSteps: new("n"), ContextSummary: new("c")}, `{"from":"a","to":"b","next_steps":"n","context_summary":"c"}`},
	} {
		if _, err := tapeops.Send.On(t.Context(), c.Tape("a/b"), "", one.request); err != nil || body != "POST /tapes/a%2Fb/send "+one.want {
			t.Errorf("%+v is sent as %s, %v", one.request, body, err)
		}
	}
}

// TestFollowEnds: following ends by a limit, by the caller, and by the context;
// a query with an end is not followed.
func TestFollowEnds(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "id: p\ndata: "+entry(1)+"\n\nid: q\ndata: "+entry(2)+"\n\n")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	for want, q := range []tape.Query{{Limit: new(0)}, {Limit: new(1)}, {}} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n := 0
		for _, err := range c.Tape("t").Follow(ctx, tape.FollowRequest{Query: q}) {
			if err != nil {
				if !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
				break
			}
			if n++; n == 2 {
				cancel()
			}
		}
		if n != want {
			t.Errorf("%d entries, want %d", n, want)
		}
	}
	for _, q := range []tape.Query{{Window: tape.BetweenAnchors("a", "b")}, {Limit: new(-1)}} {
		for _, err := range c.Tape("t").Follow(t.Context(), tape.FollowRequest{Query: q}) {
			if !errors.Is(err, handoff.ErrInvalid) {
				t.Error(err)
			}
		}
	}
}

// TestBrokenList: a list that is cut off yields its complete items, then an
// error.
func TestBrokenList(t *testing.T) {
	for answer, want := range map[string]int{
		"[" + entry(1) + "," + entry(2): 2, "[" + entry(1) + "," + entry(2)[:40]: 1, "[": 0, "": 0,
		"{}": 0, `"x"`: 0, "[1]": 0, `[{"id": 1}]`: 0, `[` + strings.Repeat(" ", 30<<20): 0,
	} {
		c := fake(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
		n, last := 0, error(nil)
		for _, err := range c.Tape("t").Query(t.Context(), tape.Query{}) {
			if last = err; err == nil {
				n++
			}
		}
		if n != want || last == nil {
			t.Errorf("%.40q: %d entries, %v", answer, n, last)
		}
	}
	c := fake(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "["+entry(1)+","+entry(2)+"]") })
	for e, err := range c.Tape("t").Query(t.Context(), tape.Query{}) {
		if err != nil || e.ID != 1 {
			t.Errorf("%d, %v", e.ID, err)
		}
		break
	}
}

// TestTapeNames: the client puts only valid names into a path.
func TestTapeNames(t *testing.T) {
	c := fake(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) })
	for _, name := range []string{"", "..", "../threads", ".x", "a\x00"} {
		if _, err := tapeops.Info.On(t.Context(), c.Tape(name), "", ops.None{}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestBulkAppend: the parts of a long append fit into the requests that a server accepts,
// with keys derived from the first.
func TestBulkAppend(t *testing.T) {
	var keys []string
	id := int64(0)
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" {
			io.WriteString(w, `{"status":"ok"}`)
			return
		}
		src, err := io.ReadAll(r.Body)
		var body struct{ Entries []json.RawMessage }
		if err := errors.Join(err, json.Unmarshal(src, &body)); err != nil || len(src) > 2<<20 || len(body.Entries) > 10_000 {
			t.Errorf("%d bytes, %d entries: %v", len(src), len(body.Entries), err)
		}
		keys = append(keys, r.Header.Get("Idempotency-Key"))
		list := make([]string, len(body.Entries))
		for i := range list {
			id++
			list[i] = entry(int(id))
		}
		fmt.Fprintf(w, `{"tape":"main","entries":[%s]}`, strings.Join(list, ","))
	})
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": strings.Repeat("<x>", 1<<10)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	entries := func(yield func(tape.Entry, error) bool) {
		for range 1000 { // 3 MiB
			if !yield(e, nil) {
				return
			}
		}
	}
	part := func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
		a, err := tapeops.Append.On(ctx, c.Tape("main"), "", r)
		return a.Entries, err
	}
	sent := int64(0)
	for e, err := range bulk.Append(t.Context(), tape.AppendRequest{Key: "k"}, entries, part) {
		if sent++; err != nil || e.ID != sent {
			t.Errorf("entry %d of %d, %v", e.ID, sent, err)
		}
	}
	if sent != 1000 {
		t.Errorf("%d entries", sent)
	}
	if got := strings.Join(keys, " "); got != "k k#2 k#3 k#4" {
		t.Errorf("keys %s", got)
	}
}

// TestParameters: what the server assumes without a parameter is not sent, and what a user
// gives is, also if it is empty.
func TestParameters(t *testing.T) {
	var asked string
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		asked = r.Method + " " + r.URL.String()
		io.WriteString(w, "null")
	})
	at := c.Tape("t")
	do := func(_ any, err error) string {
		if err != nil {
			t.Error(err)
		}
		return asked
	}
	for got, want := range map[string]string{
		do(tapeops.Anchors.On(t.Context(), at, "", tapes.AnchorsRequest{Limit: 20})):                                      "GET /tapes/t/anchors",
		do(tapeops.Archives.On(t.Context(), at, "", ops.None{})):                                                          "GET /tapes/t/archives",
		do(tapeops.Anchors.On(t.Context(), at, "", tapes.AnchorsRequest{})):                                               "GET /tapes/t/anchors?limit=0",
		do(tapeops.Search.On(t.Context(), at, "", tapes.SearchRequest{Text: "a b", Kind: []string{"x", "y"}, All: true})): "GET /tapes/t/search?all_tapes=true&kind=x&kind=y&text=a+b",
		do(tapeops.Create.On(t.Context(), at, "", tapes.CreateRequest{Bare: true})):                                       "PUT /tapes/t?bare=true",
		do(tapeops.Delete.On(t.Context(), at, "", tapes.DeleteRequest{Archive: new(true)})):                               "DELETE /tapes/t",
		do(tapeops.Delete.On(t.Context(), at, "", tapes.DeleteRequest{Archive: new(false), Confirm: "t"})):                "DELETE /tapes/t?archive=false&confirm=t",
		do(tapeops.Context.On(t.Context(), at, "", tapes.ContextRequest{For: "openai", Limit: 200000,
			WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{AfterAnchor: new("")}}})): "GET /tapes/t/context?after_anchor=",
		do(tapeops.Receive.On(t.Context(), at, "", tapes.ReceiveRequest{As: "agent:b"})): "POST /tapes/t/receive?as=agent%3Ab",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
