package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/tape"
	"handoff/workspace/tapes"
)

// tapeEvent has the parts of an event that tests compare.
type tapeEvent struct {
	place   string // its id
	ID      int64
	Kind    string
	Payload struct{ Name, Content string }
}

// follow reads events of a tape until there are n, or the stream ends.
func (s *server) follow(path string, n int, header ...string) (list []tapeEvent) {
	s.t.Helper()
	return s.followAnd(path, n, func() {}, header...)
}

// followAnd is follow, and calls and in another goroutine after the first
// event.
func (s *server) followAnd(path string, n int, and func(), header ...string) (list []tapeEvent) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), waittest.Limit)
	defer cancel()
	resp, lines := s.open(ctx, path, header...)
	if resp.StatusCode != 200 {
		s.t.Fatalf("%s: %d", path, resp.StatusCode)
	}
	var e tapeEvent
	for len(list) < n && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			e = tapeEvent{place: id}
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				s.t.Fatalf("%s: %v", data, err)
			}
			if list = append(list, e); len(list) == 1 {
				go and()
			}
		}
	}
	if err := lines.Err(); err != nil {
		s.t.Fatalf("%s: %d events, then %v", path, len(list), err)
	}
	return list
}

func idsOf(list []tapeEvent) string {
	var ids []string
	for _, e := range list {
		ids = append(ids, fmt.Sprint(e.ID))
	}
	return strings.Join(ids, " ")
}

func TestTapeEvents(t *testing.T) {
	s := serve(t, nil)
	s.want(404, "GET", "/tapes/main/events", "")
	s.phases()
	all := s.follow("/tapes/main/events", 8)
	if got := idsOf(all); got != "1 2 3 4 5 6 7 8" {
		t.Fatalf("%s", got)
	}
	for query, want := range map[string]string{
		"?last_anchor=true": "5 6 7 8", "?after_anchor=session/start&kind=message": "3 6 8", "?from_id=7": "7 8", "?text=lemma": "3", "?since=2026-02-12": "1 2 3 4 5 6 7",
	} {
		if got := idsOf(s.follow("/tapes/main/events"+query, len(strings.Fields(want)))); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if got := idsOf(s.follow("/tapes/main/events?last_anchor=true&from_id=8", 5, "Last-Event-ID", all[2].place)); got != "4 5 6 7 8" {
		t.Errorf("behind 3: %s", got)
	}
	if got := idsOf(s.follow("/tapes/main/events?kind=message", 2, "Last-Event-ID", all[3].place)); got != "6 8" {
		t.Errorf("messages behind 4: %s", got)
	}
	s.want(404, "GET", "/tapes/main/events?after_anchor=x", "")
	for _, bad := range []string{"x", "4", "0-0123456789abcdef", "-1-0123456789abcdef"} {
		s.want(400, "GET", "/tapes/main/events", "", "Last-Event-ID", bad)
	}
	s.want(400, "GET", "/tapes/main/events?since=soon", "")
	if a := s.want(200, "HEAD", "/tapes/main/events", ""); a.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%v", a.Header)
	}

	// A client that reconnects after resets gets all entries that it missed,
	// although the anchor after which it started was archived with the old
	// tape.
	s.post(200, "/tapes/main/reset", `{}`)
	s.post(201, "/tapes/main/entries", said)
	s.post(200, "/tapes/main/reset", `{}`)
	got := s.follow("/tapes/main/events?after_anchor=phase/1", 7, "Last-Event-ID", all[5].place)
	if ids := idsOf(got); ids != "7 8 1 2 3 1 2" {
		t.Errorf("%s", ids)
	}
	s.post(200, "/tapes/main/reset", `{"archive":false,"confirm":"main"}`)
	if ids := idsOf(s.follow("/tapes/main/events", 2, "Last-Event-ID", got[6].place)); ids != "1 2" {
		t.Errorf("after what is destroyed: %s", ids)
	}
}

// TestTapeEventsOfFork: the stream of a fork ends with the fork. Afterwards it
// is not found, except by clients that have not received all of it.
func TestTapeEventsOfFork(t *testing.T) {
	s := serve(t, nil)
	s.phases()
	s.post(201, "/tapes/main/fork", `{"to":"side","link":true}`)
	s.post(201, "/tapes/side/entries", said)
	merged := make(chan struct{})
	all := s.followAnd("/tapes/side/events", 100, func() {
		defer close(merged)
		s.post(200, "/tapes/side/merge", `{}`)
	})
	<-merged
	last := len(all) - 1
	if all[last].Payload.Name != "tape.closed" || len(all) != 11 {
		t.Errorf("%d events, the last is %+v", len(all), all[last])
	}
	if got := s.follow("/tapes/side/events", 100, "Last-Event-ID", all[last-1].place); idsOf(got) != idsOf(all[last:]) {
		t.Errorf("%+v", got)
	}
	s.want(404, "GET", "/tapes/side/events", "", "Last-Event-ID", all[last].place)
	s.want(404, "GET", "/tapes/side/events", "")
	if text := s.log.String(); strings.Contains(text, "ERROR") {
		t.Errorf("%s", text)
	}
}

// TestReconnectsToTape: clients disconnect and reconnect while the tape grows
// and is sometimes reset. Each must get each message once, in order.
func TestReconnectsToTape(t *testing.T) {
	s := serve(t, nil)
	s.post(201, "/tapes/main/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"0"}}]}`)
	start := s.follow("/tapes/main/events", 1)[0].place // a client without a position starts with the current tape
	other, err := tapes.In(s.another(), "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	ours, theirs := mustTape(t, s.Tapes), mustTape(t, other)
	add := func(n int64, byOther bool) error {
		if byOther {
			return appendTo(theirs, n)
		}
		return appendTo(ours, n)
	}
	places, messages := slices.Repeat([]string{start}, clients), make([]int64, clients)
	furthest := s.reconnect(1, add, func(client int) int64 {
		s.visit("/tapes/main/events", places[client], 1+rand.IntN(6), func(id, data string) error {
			var e tapeEvent
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				return err
			}
			if e.Kind == tape.KindMessage {
				if e.Payload.Content != fmt.Sprint(messages[client]) {
					return fmt.Errorf("message %s, want %d", e.Payload.Content, messages[client])
				}
				messages[client]++
			}
			places[client] = id
			return nil
		})
		return messages[client]
	})
	archives, err := mustTape(t, s.Tapes).Archives()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d reconnects, %d resets, %d messages", reconnects(t), len(archives), furthest)
	if furthest < 20 || len(archives) < 2 || t.Failed() {
		t.Errorf("the test saw little, or the server says: %s", s.log)
	}
}

// appendTo appends a message with its number, and sometimes resets the tape.
func appendTo(one *tape.Tape, n int64) error {
	payload := map[string]string{"role": "user", "content": fmt.Sprint(n), "more": strings.Repeat("x", rand.IntN(2000))}
	e, err := tape.NewEntry(tape.KindMessage, payload, nil)
	if err == nil {
		_, err = one.Append(context.Background(), e)
	}
	if err == nil && n%15 == 0 {
		_, err = one.Reset(context.Background(), tape.ResetRequest{})
	}
	return err
}

func mustTape(t *testing.T, all *tapes.Tapes) *tape.Tape {
	t.Helper()
	one, err := all.Tape("main")
	if err != nil {
		t.Fatal(err)
	}
	return one.Tape
}

// TestSlowReaderOfTape: a client does not read its stream for a while. Writers
// and resets must not wait for it, and it must then get all entries.
func TestSlowReaderOfTape(t *testing.T) {
	const messages = 20
	s := serve(t, func(c *Config) { c.Write = time.Hour })
	s.post(201, "/tapes/main/entries", said)
	slow := s.dial()
	fmt.Fprint(slow, "GET /tapes/main/events?kind=message HTTP/1.1\r\nHost: localhost\r\n\r\n")
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	one := mustTape(t, s.Tapes)
	for i := range messages { // more than buffers can take
		e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": strings.Repeat("x", 1<<20)}, nil)
		if err == nil {
			_, err = one.Append(ctx, e)
		}
		if err == nil && i == messages/2 {
			_, err = one.Reset(ctx, tape.ResetRequest{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got := s.follow("/tapes/main/events", 3); len(got) != 3 {
		t.Errorf("another reader: %+v", got)
	}
	slow.SetReadDeadline(waittest.Deadline())
	lines := bufio.NewReaderSize(slow, 1<<20)
	for n := 0; n < messages+1; {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF) {
			t.Fatalf("message %d: %v", n, err)
		}
		if strings.HasPrefix(string(line), "id: ") {
			n++
		}
	}
}
