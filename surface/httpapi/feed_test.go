package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/feed"
	"handoff/workspace/receipts"
)

// followFeed reads n events of the feed. After each it calls and, with their number.
func (s *server) followFeed(query string, n int, and func(got int), header ...string) (list []feed.Event) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), waittest.Limit)
	defer cancel()
	resp, lines := s.open(ctx, "/handoffs/events"+query, header...)
	defer resp.Body.Close()
	if resp.StatusCode != 200 {
		s.t.Fatalf("%d", resp.StatusCode)
	}
	id := ""
	for len(list) < n && lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			id = text
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e feed.Event
			if err := json.Unmarshal([]byte(data), &e); err != nil || fmt.Sprint(e.Seq) != id {
				s.t.Fatalf("event %s: %s, %v", id, data, err)
			}
			s.validate("event", data, "/components/schemas/HandoffEvent")
			list = append(list, e)
			and(len(list))
		}
	}
	if err := lines.Err(); err != nil {
		s.t.Fatalf("after %d events: %v", len(list), err)
	}
	return list
}

func typesOf(list []feed.Event) string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("%d:%s", e.Seq, e.Type))
	}
	return strings.Join(out, " ")
}

// TestHandoffEvents: a client gets what existed, then what other clients, people and
// processes do; it resumes where it was, also at another server.
func TestHandoffEvents(t *testing.T) {
	s := serve(t, nil)
	claim := ""
	and := func(got int) {
		switch got {
		case 2:
			claim = s.step(201, "/handoffs/259%2F3/claim", `{"as":"codex"}`).Claim
		case 3:
			s.byHand("specs/259_prove_completeness/handoffs/phase-4-handoff-20260212T150000Z.md")
		case 4:
			book, err := receipts.Open(s.another())
			if err == nil {
				_, err = book.Renew(t.Context(), receipts.Target{Claim: claim}, time.Hour)
			}
			if err != nil {
				t.Error(err)
			}
		}
	}
	all := s.followFeed("", 5, and)
	if got := typesOf(all); got != "0:written 1:linked 2:claimed 3:written 4:renewed" {
		t.Fatalf("%s", got)
	}
	if e := all[2]; e.By != "codex" || e.Path != exampleDocument || e.Task != 259 || e.Phase != "3" || e.Token != 1 {
		t.Errorf("%+v", e)
	}
	if got := typesOf(s.followFeed("?from_seq=0", 2, func(int) {}, "Last-Event-ID", "2")); got != "3:written 4:renewed" {
		t.Errorf("%s", got)
	}
	if got := typesOf(s.followFeed("?type=claimed&type=renewed&task=259", 2, func(int) {})); got != "2:claimed 4:renewed" {
		t.Errorf("%s", got)
	}
	if last := s.want(200, "HEAD", "/handoffs/events", "").Header.Get(lastSeq); last < "4" {
		t.Errorf("last: %s", last)
	}
	s.want(400, "GET", "/handoffs/events?type=eaten", "")
	s.want(400, "GET", "/handoffs/events?task=-1", "")
	s.want(400, "GET", "/handoffs/events", "", "Last-Event-ID", "x")
	if a := s.want(409, "GET", "/handoffs/events", "", "Last-Event-ID", "1000"); !strings.Contains(a.body, "urn:handoff:feed-began-again") {
		t.Errorf("%s", a.body)
	}
	other := serveIn(t, s.root, nil)
	if got := typesOf(other.followFeed("", 1, func(int) {}, "Last-Event-ID", "3")); got != "4:renewed" {
		t.Errorf("from another server: %s", got)
	}
}

// TestEventTypes: the filter and the schema of events have all types.
func TestEventTypes(t *testing.T) {
	var names []string
	for _, kind := range feed.Types {
		names = append(names, string(kind))
	}
	filter, _ := reflect.TypeFor[feedInput]().FieldByName("Type")
	event, _ := reflect.TypeFor[feed.Event]().FieldByName("Type")
	want := strings.Join(names, ",")
	for _, tag := range []reflect.StructTag{filter.Tag, event.Tag} {
		if got := tag.Get("enum"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// byHand writes a document without the tool.
func (s *server) byHand(path string) {
	if err := errors.Join(os.MkdirAll(filepath.Dir(s.path(path)), 0o755), os.WriteFile(s.path(path), []byte("# Phase 1 Handoff\n"), 0o644)); err != nil {
		s.t.Error(err)
	}
}

// feedReader is a client that reconnects. It knows nothing but what it has received.
type feedReader struct {
	client *http.Client
	lines  []string
}

// visit connects where the client was, reads some events and disconnects in the middle
// of the next one. A server that ends or does not answer ends the visit; an event that
// is not the next one is an error. done reports that all events were read.
func (r *feedReader) visit(url string, some int) (done bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", url+"/handoffs/events", nil)
	if err != nil {
		return false, err
	}
	if n := len(r.lines); n > 0 {
		req.Header.Set("Last-Event-ID", fmt.Sprint(n-1))
	}
	resp, err := r.client.Do(req)
	if err != nil {
		return false, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusConflict {
		return false, fmt.Errorf("the feed has less than %d events", len(r.lines))
	}
	in, id := bufio.NewReaderSize(resp.Body, 16+rand.IntN(4096)), ""
	for some > 0 {
		line, err := in.ReadString('\n')
		if err != nil {
			return false, nil
		}
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			id = text
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if id != fmt.Sprint(len(r.lines)) {
				return false, fmt.Errorf("event %s, want %d", id, len(r.lines))
			}
			r.lines = append(r.lines, data)
			some--
		}
	}
	return true, nil
}

// TestReconnectsToHandoffs: clients disconnect at random points and reconnect, while
// handoffs are written by hand and over HTTP, other processes take steps, and the server
// is restarted again and again. Each client must get each event once, in order.
// HANDOFF_RECONNECTS is the number of reconnects, 500 by default.
func TestReconnectsToHandoffs(t *testing.T) {
	s := serve(t, nil)
	var url atomic.Pointer[string]
	url.Store(&s.url)
	var left, foremost atomic.Int64
	left.Store(reconnects(t))
	stop := make(chan struct{})
	var reading, writing sync.WaitGroup
	documents := 1
	writing.Go(func() { documents += s.happen(stop, &foremost, &url) })
	readers := make([]feedReader, clients)
	for i := range readers {
		r := &readers[i]
		transport := &http.Transport{}
		defer transport.CloseIdleConnections()
		r.client = &http.Client{Transport: transport}
		reading.Go(func() {
			for left.Load() > 0 && !t.Failed() {
				done, err := r.visit(*url.Load(), 1+rand.IntN(4))
				if err != nil {
					t.Error(err)
				}
				if done {
					left.Add(-1)
				}
				for seen := foremost.Load(); int64(len(r.lines)) > seen && !foremost.CompareAndSwap(seen, int64(len(r.lines))); seen = foremost.Load() {
				}
			}
		})
	}
	restarts := 0
	for each := reconnects(t) / 10; left.Load() > each && !t.Failed(); restarts++ {
		until := left.Load() - each
		waittest.Until(t, "reconnects", func() bool { return left.Load() <= until || t.Failed() })
		if err := s.stop(); err != nil {
			t.Error(err)
		}
		s = serveIn(t, s.root, nil)
		url.Store(&s.url)
	}
	reading.Wait()
	close(stop)
	writing.Wait()
	frames := s.checkFeed(readers, documents)
	t.Logf("%d reconnects, %d restarts, %d handoffs, %d events received", reconnects(t), restarts, documents, frames)
	if frames < int(reconnects(t)) || restarts < 5 {
		t.Errorf("the test saw little: %d events, %d restarts", frames, restarts)
	}
}

// happen lets things happen to handoffs, a little ahead of the fastest client, until
// stop is closed. It returns how many handoffs were written.
func (s *server) happen(stop chan struct{}, foremost *atomic.Int64, url *atomic.Pointer[string]) (documents int) {
	book, err := receipts.Open(s.another())
	if err != nil {
		s.t.Error(err)
		return 0
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	target := receipts.Target{Dir: s.root, Ref: exampleDocument}
	start := time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC)
	for n := 1; ; n++ {
		for int64(n) > foremost.Load()+20 {
			time.Sleep(time.Millisecond)
			select {
			case <-stop:
				return documents
			default:
			}
		}
		switch {
		case n%50 == 0: // over HTTP; the server may end meanwhile, so the key makes it safe to repeat
			for code := 0; code/100 != 2; {
				body := fmt.Sprintf(`{"slug":"served","phase":1,"draft":true,"next_action":"Event %d."}`, n)
				req, _ := http.NewRequest("POST", *url.Load()+"/specs/"+fmt.Sprint(n)+"/handoffs", strings.NewReader(body))
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Idempotency-Key", fmt.Sprint(n))
				if resp, err := client.Do(req); err == nil {
					code = resp.StatusCode
					resp.Body.Close()
				}
			}
			documents++
		case n%4 == 0:
			path := fmt.Sprintf("specs/%d_x/handoffs/phase-1-handoff-%s.md", 1+n%3, start.Add(time.Duration(n)*time.Second).Format("20060102T150405Z"))
			s.byHand(path)
			target.Ref = path
			documents++
		default:
			r, err := book.Claim(context.Background(), target, receipt.ClaimRequest{By: "codex", TTL: time.Hour, Force: true, Why: fmt.Sprint(n)})
			if err != nil || r.State != receipt.Claimed {
				s.t.Errorf("%+v, %v", r, err)
				return documents
			}
		}
	}
}

// checkFeed compares what the readers got with the feed, and the feed with the receipts.
// It returns how many events were received.
func (s *server) checkFeed(readers []feedReader, documents int) (received int) {
	s.t.Helper()
	f := feed.New(feed.Options{Open: func() (*workspace.Workspace, error) { return s.another(), nil }})
	defer f.Close()
	if err := f.Update(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	files, err := filepath.Glob(s.path(".handoff/feeds/*.jsonl"))
	if err != nil || len(files) != 1 {
		s.t.Fatalf("%v, %v", files, err)
	}
	src, err := os.ReadFile(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	all := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	for i, r := range readers {
		received += len(r.lines)
		for n, line := range r.lines {
			if n >= len(all) || line != all[n] {
				s.t.Fatalf("client %d: event %d is %s", i, n, line)
			}
		}
	}
	written, steps, links := map[string]bool{}, map[string]uint64{}, map[string]bool{}
	for _, line := range all {
		var e feed.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.t.Fatal(err)
		}
		switch {
		case e.Type == feed.Written && !written[e.Path]:
			written[e.Path] = true
		case e.Type == feed.Linked && !links[e.Path+e.Bundle]:
			links[e.Path+e.Bundle] = true
		case e.Step != nil && *e.Step == steps[e.Path]:
			steps[e.Path]++
		default:
			s.t.Errorf("twice, or not the next one: %s", line)
		}
	}
	store, err := s.another().Receipts()
	if err != nil {
		s.t.Fatal(err)
	}
	for l, err := range store.Changed(receipt.Seen{}) {
		if err != nil {
			s.t.Fatal(err)
		}
		if path := l.Steps[0].Handoff; steps[path] != uint64(len(l.Steps)) {
			s.t.Errorf("%s: %d steps of %d", path, steps[path], len(l.Steps))
		}
	}
	if len(written) != documents {
		s.t.Errorf("%d handoffs are written in the feed, %d in the tree", len(written), documents)
	}
	return received
}
