package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/lint/rules"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/surface/httpapi"
	"handoff/surface/httpapi/client"
	"handoff/workspace"
	"handoff/workspace/ops"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// both is a server with a client, and the server's threads.
type both struct {
	*client.Client
	local *threads.Threads
}

func serve(t *testing.T, token string) both {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	options := workspace.Options{Rules: rules.All}
	ws, err := workspace.Open(dir, options)
	if err != nil {
		t.Fatal(err)
	}
	local, err := threads.In(t.Context(), ws, true)
	if err != nil {
		t.Fatal(err)
	}
	s := httpapi.New(httpapi.Config{
		Open:    func() (*workspace.Workspace, error) { return workspace.Open(dir, options) },
		Threads: local, Log: slog.New(slog.DiscardHandler), Token: token,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	c, err := client.New("http://"+l.Addr().String(), token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		cancel()
		<-done
		local.Close()
	})
	return both{c, local}
}

// equal compares the server's answer with the result of the threads, as JSON.
func equal[T any](t *testing.T, what string, remote T, remoteErr error, local T, localErr error) {
	t.Helper()
	if remoteErr != nil || localErr != nil {
		t.Errorf("%s: %v, %v", what, remoteErr, localErr)
		return
	}
	a, _ := json.Marshal(remote)
	b, _ := json.Marshal(local)
	if string(a) != string(b) {
		t.Errorf("%s: the server says\n%s\nthe threads\n%s", what, a, b)
	}
}

// TestOperations calls every operation.
func TestOperations(t *testing.T) {
	b, ctx := serve(t, "a token of some length"), t.Context()
	made, err := threadops.Create.On(ctx, b, "", thread.CreateRequest{Title: new("a <b>"), Key: "k"})
	if err != nil || made.Existed {
		t.Fatal(made.Existed, err)
	}
	id := made.ThreadID
	again, err := threadops.Create.On(ctx, b, "", thread.CreateRequest{Title: new("a <b>"), Key: "k"})
	if equal(t, "create", again, err, made, nil); !again.Existed {
		t.Error("a repeated request: reported as new")
	}
	if _, err := threadops.Create.On(ctx, b, "", thread.CreateRequest{Title: new("c"), Key: "k"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a key for another request: %v", err)
	}
	ensured, err := threadops.Ensure.On(ctx, b, "", ops.None{})
	same, localErr := b.local.Ensure(ctx)
	equal(t, "ensure", ensured.ThreadID, err, same.ThreadID, localErr)

	posted, err := threadops.PostMessage.On(ctx, b, id, thread.MessageRequest{Content: "hello", ActorID: "alice", Origin: "cli"})
	if err != nil || posted.ThreadID != id || posted.SessionID == nil {
		t.Fatalf("post: %+v, %v", posted, err)
	}
	var types []string
	for e, err := range b.EventsFrom(ctx, id, 0, true) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, strings.TrimPrefix(e.Payload.Type(), "continuity_"))
		if _, ok := e.Payload.(*thread.RunEnded); ok {
			break
		}
	}
	if got := strings.Join(types, " "); got != "created message_appended run_spawned run_ended" {
		t.Errorf("events: %s", got)
	}

	branch, err := threadops.Branch.On(ctx, b, id, thread.BranchRequest{FromMessageID: &posted.MessageID, Origin: "cli", Key: "b"})
	same2, localErr := b.local.Branch(ctx, id, thread.BranchRequest{FromMessageID: &posted.MessageID, ActorID: "user", Origin: "cli", Key: "b"})
	equal(t, "branch", branch, err, same2, localErr)
	left, err := threadops.Handoff.On(ctx, b, id, thread.HandoffRequest{SummaryMarkdown: new("# S"), FromSeq: new(uint64(1)), Origin: "cli", Key: "h"})
	same3, localErr := b.local.Handoff(ctx, id, thread.HandoffRequest{SummaryMarkdown: new("# S"), FromSeq: new(uint64(1)), ActorID: "user", Origin: "cli", Key: "h"})
	equal(t, "handoff", left, err, same3, localErr)

	list, err := threadops.List.On(ctx, b, "", ops.None{})
	localList, localErr := b.local.List(ctx)
	equal(t, "list", list, err, localList, localErr)
	info, err := threadops.Rename.On(ctx, b, id, thread.RenameRequest{Title: new("other"), By: thread.By{Origin: "cli"}})
	localInfo, localErr := b.local.Get(ctx, id)
	equal(t, "rename", info, err, localInfo, localErr)
	info, err = threadops.Archive.On(ctx, b, id, thread.By{})
	localInfo, localErr = b.local.Get(ctx, id)
	equal(t, "archive", info, err, localInfo, localErr)
	info, err = threadops.Unarchive.On(ctx, b, id, thread.By{})
	localInfo, localErr = b.local.Get(ctx, id)
	equal(t, "unarchive", info, err, localInfo, localErr)
	tree, err := threadops.Lineage.On(ctx, b, id, ops.None{})
	localTree, localErr := b.local.Lineage(ctx, id)
	equal(t, "lineage", tree, err, localTree, localErr)

	cursors, err := threadops.CursorStatus.On(ctx, b, id, struct{}{})
	localCursors, localErr := b.local.CursorStatus(ctx, id)
	equal(t, "cursors", cursors, err, localCursors, localErr)
	rotated, err := threadops.RotateCursor.On(ctx, b, id, thread.RotateRequest{ActorID: "user", Origin: "cli"})
	localRotated, localErr := b.local.RotateCursor(ctx, id, thread.RotateRequest{})
	equal(t, "rotate", rotated, err, localRotated, localErr)
	decided, err := threadops.SelectionStatus.On(ctx, b, id, thread.SelectionRequest{Limit: new(uint32(2))})
	localDecided, localErr := b.local.SelectionStatus(ctx, id, thread.SelectionRequest{Limit: new(uint32(2))})
	equal(t, "selection", decided, err, localDecided, localErr)
	points, err := threadops.CutPoints.On(ctx, b, id, thread.CutPointsRequest{StrideMessages: new(uint64(1)), Limit: new(uint32(2))})
	localPoints, localErr := b.local.CutPoints(ctx, id, thread.CutPointsRequest{StrideMessages: new(uint64(1)), Limit: new(uint32(2))})
	equal(t, "cut points", points, err, localPoints, localErr)
	if made, err := threadops.Checkpoint.On(ctx, b, id, thread.CheckpointRequest{SummaryMarkdown: new("s"), StrideMessages: new(uint64(1))}); err != nil || made.ThreadID != id {
		t.Errorf("checkpoint: %+v, %v", made, err)
	}
	state, err := threadops.CompactionStatus.On(ctx, b, id, thread.StrideRequest{StrideMessages: new(uint64(1))})
	localState, localErr := b.local.CompactionStatus(ctx, id, thread.StrideRequest{StrideMessages: new(uint64(1))})
	equal(t, "compaction status", state, err, localState, localErr)
	auto, err := threadops.AutoCompact.On(ctx, b, id, thread.AutoRequest{StrideMessages: new(uint64(1)), DryRun: true, ActorID: "user", Origin: "cli"})
	localAuto, localErr := b.local.AutoCompact(ctx, id, thread.AutoRequest{StrideMessages: new(uint64(1)), DryRun: true})
	equal(t, "auto", auto, err, localAuto, localErr)
	planned, err := threadops.ScheduleCompact.On(ctx, b, id, thread.ScheduleRequest{AutoRequest: thread.AutoRequest{StrideMessages: new(uint64(1)), DryRun: true, ActorID: "user", Origin: "cli"}})
	localPlanned, localErr := b.local.ScheduleCompact(ctx, id, thread.ScheduleRequest{AutoRequest: thread.AutoRequest{StrideMessages: new(uint64(1)), DryRun: true}})
	equal(t, "schedule", planned, err, localPlanned, localErr)

	req := threads.CompileRequest{Refs: true, MessageID: &posted.MessageID, ActorID: "a", Origin: "o", Budget: new(int64(100)), Store: new(false)}
	there, err := b.Compile(ctx, id, req)
	here, localErr := b.local.Compile(ctx, id, req)
	equal(t, "explanation", there.Explanation, err, here.Explanation, localErr)
	equal(t, "context", there.Bundle.Bytes(), err, here.Bundle.Bytes(), localErr)
	if _, err := b.local.Blobs.Get(there.Bundle.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a context was stored: %v", err)
	}
	if there, err = b.Compile(ctx, id, threads.CompileRequest{}); err != nil {
		t.Error(err)
	} else if err := b.local.Blobs.Verify(there.Bundle.ID()); err != nil {
		t.Errorf("a context was not stored: %v", err)
	}

	found, err := b.Find(ctx, id[:8])
	if err != nil || found != id {
		t.Errorf("find: %s, %v", found, err)
	}
}

// TestSession follows the run of a message to its end.
func TestSession(t *testing.T) {
	b, ctx := serve(t, ""), t.Context()
	made, err := threadops.Ensure.On(ctx, b, "", ops.None{})
	if err != nil {
		t.Fatal(err)
	}
	posted, err := threadops.PostMessage.On(ctx, b, made.ThreadID, thread.MessageRequest{Content: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for e, err := range b.Session(ctx, *posted.SessionID) {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, e.Payload.Type())
	}
	if got := strings.Join(types, " "); got != "session_started output_text_delta session_ended" {
		t.Errorf("frames: %s", got)
	}
	if err := b.CancelRun(ctx, "nothing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a run that is not there was cancelled: %v", err)
	}
}

// TestWrongContext: the client rejects a context that does not match its
// description.
func TestWrongContext(t *testing.T) {
	const bundle = `{"schema":"rip.context_bundle.v1","compiler":{"id":"c","strategy":"s"},"source":{"thread_id":"t","from_seq":1},` +
		`"provenance":{"run_session_id":"","actor_id":"a","origin":"o"},"items":[]}`
	for answer, want := range map[string]string{
		`{"bundle_artifact_id":"00","context":` + bundle + `}`: "but the server reports 00",
		`{"bundle_artifact_id":"00","context":{}}`:             "contains no context",
		`{"bundle_artifact_id":"00"}`:                          "contains no context",
	} {
		c := fake(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) })
		if _, err := c.Compile(t.Context(), "t", threads.CompileRequest{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", answer, err, want)
		}
	}
}

func TestErrors(t *testing.T) {
	b, ctx := serve(t, ""), t.Context()
	if _, err := threadops.Get.On(ctx, b, "11111111-1111-4111-8111-111111111111", ops.None{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "404 Not Found: no such thread: 11111111-1111-4111-8111-111111111111") {
		t.Errorf("no thread: %v", err)
	}
	if _, err := threadops.Get.On(ctx, b, "../ensure", ops.None{}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("a path: %v", err)
	}
	made, err := threadops.Ensure.On(ctx, b, "", ops.None{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := threadops.Branch.On(ctx, b, made.ThreadID, thread.BranchRequest{FromSeq: new(uint64(9))}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("a cut beyond the end: %v", err)
	}
	for e, err := range b.EventsFrom(ctx, "nothing", 0, true) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("events of nothing: %v, %v", e, err)
		}
	}
	for _, bad := range []string{"", "127.0.0.1:7341", "ftp://x", "http://", "http://u:p@x"} {
		if _, err := client.New(bad, ""); err == nil {
			t.Errorf("%q is taken for a server", bad)
		}
	}
	nobody, err := client.New("http://127.0.0.1:1", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := threadops.List.On(ctx, nobody, "", ops.None{}); err == nil {
		t.Error("no server answers, and there was no error")
	}
	// RIP's errors have no body, or plain text.
	rip := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/threads/a":
			w.WriteHeader(http.StatusBadRequest)
		case "/threads/b":
			http.Error(w, "Failed to deserialize", http.StatusUnprocessableEntity)
		case "/threads/c":
			http.Redirect(w, r, "/threads/a", http.StatusFound)
		default:
			io.WriteString(w, "<html>")
		}
	})
	for id, want := range map[string]string{
		"a": "the server says 400 Bad Request",
		"b": "the server says 422 Unprocessable Entity: Failed to deserialize",
		"c": "the server says 302 Found",
		"d": "unexpected answer from the server",
	} {
		if _, err := threadops.Get.On(ctx, rip, id, ops.None{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", id, err, want)
		}
	}
}

// TestRIPSaysNothing uses a server that answers like RIP, which ignores unknown
// fields and gives no reasons. The client must not send fields that RIP would
// ignore.
func TestRIPSaysNothing(t *testing.T) {
	ctx, posted := t.Context(), 0
	const id = "11111111-1111-4111-8111-111111111111"
	rip := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == "POST" && r.URL.Path == "/threads":
			w.WriteHeader(http.StatusMethodNotAllowed)
		case r.Method == "POST" && (strings.HasSuffix(r.URL.Path, "/branch") || strings.HasSuffix(r.URL.Path, "/handoff")):
			posted++
			w.WriteHeader(http.StatusCreated)
			io.WriteString(w, `{"thread_id":"c"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	second := func(_ any, err error) error { return err }
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"a key for a branch":  {second(threadops.Branch.On(ctx, rip, id, thread.BranchRequest{Key: "k"})), "an idempotency key: the server is not `handoff serve`, and RIP silently ignores an idempotency key"},
		"a key for a handoff": {second(threadops.Handoff.On(ctx, rip, id, thread.HandoffRequest{SummaryMarkdown: new("s"), Key: "k"})), "an idempotency key"},
		"references":          {second(threadops.Handoff.On(ctx, rip, id, thread.HandoffRequest{SummaryMarkdown: new("s"), Refs: thread.HandoffRefs{Files: []bundle.FileRef{{Path: "a.go"}}}})), "references to threads, files and artifacts"},
		"create":              {second(threadops.Create.On(ctx, rip, "", thread.CreateRequest{})), "405 Method Not Allowed without details: it seems to be RIP, which does not support this"},
		"archive":             {second(threadops.Archive.On(ctx, rip, id, thread.By{})), "404 Not Found without details: it seems to be RIP, which does not support this: use `handoff serve`"},
		"lineage":             {second(threadops.Lineage.On(ctx, rip, id, ops.None{})), "which does not support this"},
		"get":                 {second(threadops.Get.On(ctx, rip, id, ops.None{})), "it seems to be RIP, which has no such thread"},
		"status":              {second(threadops.CursorStatus.On(ctx, rip, id, struct{}{})), "it seems to be RIP, which has no such thread"},
		"cancel":              {rip.CancelRun(ctx, id), "which has no such run"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, c.err, c.want)
		}
	}
	if posted > 0 {
		t.Errorf("%d requests were sent that RIP takes for others", posted)
	}
	if _, err := threadops.Branch.On(ctx, rip, id, thread.BranchRequest{}); err != nil {
		t.Error(err)
	}
}

// TestHandoffRefs: references that are sent are in the bundle.
func TestHandoffRefs(t *testing.T) {
	b, ctx := serve(t, ""), t.Context()
	made, err := threadops.Ensure.On(ctx, b, "", ops.None{})
	if err != nil {
		t.Fatal(err)
	}
	r := thread.HandoffRequest{SummaryMarkdown: new("s"), Refs: thread.HandoffRefs{Files: []bundle.FileRef{{Path: "a/b.go", Note: new("start here")}}}, Key: "k"}
	first, err := threadops.Handoff.On(ctx, b, made.ThreadID, r)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := threadops.Handoff.On(ctx, b, made.ThreadID, r); err != nil || again.ThreadID != first.ThreadID {
		t.Errorf("%+v, %v", again, err)
	}
	r.Refs.Files[0].Path = "a/c.go"
	if _, err := threadops.Handoff.On(ctx, b, made.ThreadID, r); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same key with another reference: %v", err)
	}
	for e, err := range b.EventsFrom(ctx, first.ThreadID, 1, false) {
		p, ok := e.Payload.(*thread.HandedOff)
		if err != nil || !ok {
			t.Fatal(e, err)
		}
		want := bundle.Handoff{SummaryMarkdown: "s", Refs: bundle.Refs{Files: []bundle.FileRef{{Path: "a/b.go", Note: new("start here")}},
			Threads: []bundle.ThreadRef{{ThreadID: made.ThreadID, Note: new("source cut")}}}}
		if *p.SummaryArtifactID != want.ID().String() {
			t.Errorf("the bundle is not %s", want.Bytes())
		}
	}
}

func fake(t *testing.T, h http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(h)
	c, err := client.New(s.URL+"/", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return c
}

// frame is an event as RIP sends it.
func frame(seq int) string {
	return fmt.Sprintf(`data: {"id":"e%d","session_id":"t","stream_kind":"continuity","stream_id":"t","timestamp_ms":1,"seq":%[1]d,"type":"continuity_message_appended","actor_id":"u","origin":"o","content":"%s"}`,
		seq, strings.Repeat("x", seq*40_000)) + "\n\n"
}

func numbers(t *testing.T, c *client.Client, from uint64, follow bool, most int) (got []uint64) {
	t.Helper()
	for e, err := range c.EventsFrom(t.Context(), "t", from, follow) {
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, e.Seq); len(got) == most {
			break
		}
	}
	return got
}

// TestRIPStream: RIP sends all events from the start and does not mark the end.
// A client that does not follow ends a moment after the last event.
func TestRIPStream(t *testing.T) {
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		for seq := range 4 {
			io.WriteString(w, ": ping\n\n"+frame(seq))
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	if got := fmt.Sprint(numbers(t, c, 0, false, 0)); got != "[0 1 2 3]" {
		t.Errorf("all: %s", got)
	}
	if got := fmt.Sprint(numbers(t, c, 2, true, 2)); got != "[2 3]" {
		t.Errorf("from 2: %s", got)
	}
}

// TestBrokenStream: broken connections neither lose nor duplicate events.
func TestBrokenStream(t *testing.T) {
	var connections atomic.Int64
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		n := int(connections.Add(1))
		if n == 3 {
			panic(http.ErrAbortHandler)
		}
		for seq := range n * 2 { // all events again, as RIP does
			io.WriteString(w, frame(seq))
		}
		io.WriteString(w, frame(n * 2)[:30]) // and half of the next
	})
	if got := fmt.Sprint(numbers(t, c, 0, true, 9)); got != "[0 1 2 3 4 5 6 7 8]" {
		t.Errorf("events: %s", got)
	}
	if n := connections.Load(); n < 4 {
		t.Errorf("%d connections", n)
	}
	gone := fake(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, frame(0)) })
	for _, err := range gone.EventsFrom(t.Context(), "t", 0, false) {
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Error(err)
		}
	}
}

// TestMissingEvents: the client retries if a server skips events or has no
// capacity for a stream, and gives up if the server has lost an event.
func TestMissingEvents(t *testing.T) {
	var connections atomic.Int64
	c := fake(t, func(w http.ResponseWriter, r *http.Request) {
		switch connections.Add(1) {
		case 1:
			io.WriteString(w, frame(0)+frame(2)+frame(3))
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			io.WriteString(w, frame(0)+frame(1)+frame(2)+frame(3))
		}
	})
	if got := fmt.Sprint(numbers(t, c, 0, true, 4)); got != "[0 1 2 3]" {
		t.Errorf("events: %s", got)
	}
	if n := connections.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	lost := fake(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, frame(0)+frame(2)) })
	var got error
	for e, err := range lost.EventsFrom(t.Context(), "t", 0, false) {
		if err == nil && e.Seq != 0 {
			t.Errorf("event %d", e.Seq)
		}
		got = err
	}
	if got == nil || got.Error() != "event 1 is missing: 2 came" {
		t.Errorf("%v", got)
	}
}

// TestEndOfEvents: the server sends the number of its last event, so that
// clients need not wait.
func TestEndOfEvents(t *testing.T) {
	b, ctx := serve(t, ""), t.Context()
	made, err := threadops.Create.On(ctx, b, "", thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		if _, err := b.local.Post(ctx, made.ThreadID, thread.MessageRequest{Content: "m"}); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for e, err := range b.EventsFrom(ctx, made.ThreadID, 0, false) {
		if err != nil || e.Seq != uint64(n) {
			t.Fatalf("event %d: %d, %v", n, e.Seq, err)
		}
		n++
	}
	if n != 301 {
		t.Errorf("%d events, want 301", n)
	}
	for e, err := range b.EventsFrom(ctx, made.ThreadID, 301, false) {
		t.Errorf("behind the end: %v, %v", e, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	time.AfterFunc(100*time.Millisecond, cancel)
	for _, err := range b.EventsFrom(ctx, made.ThreadID, 301, true) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended by %v", err)
		}
	}
}

func TestSocket(t *testing.T) {
	needs.Unix(t, "sockets have paths on Unix")
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, `[]`) })}
	go s.Serve(l)
	defer s.Close()
	c, err := client.New("unix:"+path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if list, err := threadops.List.On(t.Context(), c, "", ops.None{}); err != nil || list == nil {
		t.Errorf("%v, %v", list, err)
	}
}
