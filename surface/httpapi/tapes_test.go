package httpapi

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"handoff/log/tape"
	"handoff/surface/problem"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// entries requests entries and returns their ids.
func (s *server) entries(query string) string {
	s.t.Helper()
	var ids []string
	for _, e := range into[[]struct{ ID int64 }](s.want(200, "GET", "/tapes/main/entries"+query, "")) {
		ids = append(ids, fmt.Sprint(e.ID))
	}
	return strings.Join(ids, " ")
}

func (s *server) detail(want string, a answer) {
	s.t.Helper()
	if got := into[struct{ Detail string }](a).Detail; got != want {
		s.t.Errorf("%q, want %q", got, want)
	}
}

const said = `{"entries":[{"kind":"message","payload":{"role":"user","content":"Prove the <lemma>"}}]}`

func TestTapeAppend(t *testing.T) {
	s := serve(t, nil)
	if a := s.want(200, "GET", "/tapes", ""); a.body != "[]" {
		t.Errorf("%s", a.body)
	}
	missing := s.want(404, "GET", "/tapes/main", "")
	s.detail("no such tape", missing)
	if got := into[problem.Problem](missing).Type; got != "urn:handoff:no-such-tape" { // as sdk/python expects
		t.Errorf("type %s", got)
	}
	a := s.post(201, "/tapes/main/entries", said)
	const line = `{"id": 3, "kind": "message", "payload": {"role": "user", "content": "Prove the <lemma>"}, "meta": {}, "date": "2026-02-12T16:05:00+00:00"}`
	if want := `{"tape":"main","entries":[` + strings.NewReplacer(`": `, `":`, `, "`, `,"`).Replace(line) + "]}"; a.body != want {
		t.Errorf("%s, want %s", a.body, want)
	}
	src, err := os.ReadFile(s.path(".handoff/tape/main.jsonl"))
	if err != nil || !strings.HasSuffix(string(src), "\n"+line+"\n") {
		t.Errorf("%s, %v", src, err)
	}
	if a := s.want(200, "GET", "/tapes/main/entries?from_id=3", ""); a.body != "["+line+"]" {
		t.Errorf("%s", a.body)
	}

	// Several, all or none; once; and only to what was seen.
	two := `{"after":3,"entries":[{"kind":"tool_call","payload":{"calls":[]},"meta":{"run_id":"r"},"date":"2026-02-11T00:00:00+00:00"},{"kind":"x","payload":{}}]}`
	first := s.post(201, "/tapes/main/entries", two, "Idempotency-Key", "k")
	if again := s.post(200, "/tapes/main/entries", two, "Idempotency-Key", "k"); again.body != first.body {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	s.detail("the Idempotency-Key was used for another request", s.post(409, "/tapes/main/entries", said, "Idempotency-Key", "k"))
	s.detail("the largest id of the tape is not the one in after", s.post(409, "/tapes/main/entries", two))
	s.detail("the largest id of the tape is not the one in after", s.post(409, "/tapes/other/entries", two))
	long := fmt.Sprintf(`{"entries":[{"kind":"x","payload":{}},{"kind":"x","payload":{"x":%q}}]}`, strings.Repeat("x", tape.MaxRequest))
	s.post(413, "/tapes/main/entries", long)
	for body, want := range map[string]int{
		`{"entries":[]}`: 400, `{"entries":null}`: 400, `{}`: 400,
		`{"entries":[{"kind":"","payload":{}}]}`: 400, `{"entries":[{"kind":"x"}]}`: 422, `{"entries":[{"kind":"x","payload":[]}]}`: 422, `{"entries":[{"kind":"x","payload":null}]}`: 422,
		`{"entries":[{"kind":1,"payload":{}}]}`: 422, `{"entries":[{"kind":"x","payload":{},"meta":"m"}]}`: 422, `{"entries":[{"kind":"x","payload":{},"date":"soon"}]}`: 400,
		`{"entries":[{"kind":"x","payload":{}}],"after":-1}`: 400, "{\"entries\":[{\"kind\":\"\xff\",\"payload\":{}}]}": 400, `[`: 400,
	} {
		s.post(want, "/tapes/main/entries", body)
	}
	s.post(400, "/tapes/main/entries", said, "Idempotency-Key", strings.Repeat("k", 300))
	s.want(415, "POST", "/tapes/main/entries", said)
	if got := s.entries(""); got != "1 2 3 4 5" {
		t.Errorf("%s", got)
	}
	info := into[tape.Info](s.want(200, "GET", "/tapes/main", ""))
	if list := into[[]tape.Info](s.want(200, "GET", "/tapes", "")); len(list) != 1 || list[0].Entries != 5 || info.Entries != 5 || *info.LastAnchor != "session/start" {
		t.Errorf("%+v, %+v", list, info)
	}
	if a := s.want(200, "GET", "/tapes/main/entries/3", ""); !strings.Contains(a.body, `"id":3,"kind":"message"`) {
		t.Errorf("%s", a.body)
	}
	s.detail("the tape has no such entry", s.want(404, "GET", "/tapes/main/entries/99", ""))
	s.want(400, "GET", "/tapes/main/entries/x", "")
	h := s.post(201, "/tapes/main/handoff", `{"name":"p","meta":{"run_id":"r"}}`)
	if strings.Count(h.body, `"meta":{"run_id":"r"}`) != 2 {
		t.Errorf("%s", h.body)
	}
	s.post(422, "/tapes/main/handoff", `{"meta":"r"}`)

	s.post(201, "/tapes/full/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"Build it"}},{"kind":"tool_call","payload":{"calls":[]}}]}`)
	for _, body := range []string{`{"overflow":"prompt is too long","name":"n"}`, `{"overflow":"no route to host"}`} {
		s.post(400, "/tapes/full/handoff", body)
	}
	if h := s.post(201, "/tapes/full/handoff", `{"overflow":"prompt is too long"}`); !strings.Contains(h.body, `"task":"Build it"`) {
		t.Errorf("%s", h.body)
	}
	s.detail("a handoff would not make the context shorter: after the last anchor there is only what must be repeated", s.post(400, "/tapes/full/handoff", `{"overflow":"prompt is too long"}`))
}

// TestTapeOtherMembers: unknown members of an entry keep their order and bytes
// when the entry is appended, read, forked and merged.
func TestTapeOtherMembers(t *testing.T) {
	s := serve(t, nil)
	const others = `"trace": {"a": [1, 2.50, "<ä>"]}, "source": "x", "big": 12345678901234567890, "nothing": null`
	body := `{"entries":[{"zone":1,"kind":"message","id":7,"payload":{"role":"user","content":"c"},` + others + `}]}`
	first := s.post(201, "/tapes/main/entries", body, "Idempotency-Key", "k")
	if again := s.post(200, "/tapes/main/entries", body, "Idempotency-Key", "k"); again.body != first.body {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	want := `"zone": 1, ` + others + "}"
	src, err := os.ReadFile(s.path(".handoff/tape/main.jsonl"))
	if err != nil || !strings.HasSuffix(string(src), want+"\n") || !strings.Contains(string(src), `{"id": 3, "kind": "message"`) {
		t.Errorf("%s, %v", src, err)
	}
	look := func(tape string) {
		t.Helper()
		if a := s.want(200, "GET", "/tapes/"+tape+"/entries?kind=message", ""); !strings.Contains(a.body, want) {
			t.Errorf("%s: %s", tape, a.body)
		}
	}
	look("main")
	s.post(201, "/tapes/main/fork", `{"to":"copy"}`)
	s.post(201, "/tapes/main/fork", `{"to":"linked","link":true}`)
	look("copy")
	look("linked")
	s.post(201, "/tapes/copy/entries", strings.Replace(body, `"zone":1`, `"zone":2`, 1))
	s.post(200, "/tapes/copy/merge", `{}`)
	if a := s.want(200, "GET", "/tapes/main/entries?kind=message", ""); !strings.Contains(a.body, `"zone": 2, `+others+"}") {
		t.Errorf("merged: %s", a.body)
	}
	if a := s.want(200, "GET", "/tapes/main/search?text=c", ""); !strings.Contains(a.body, `"zone":1,"trace":`) {
		t.Errorf("found: %s", a.body)
	}
	s.post(422, "/tapes/main/entries", `{"entries":[{"kind":"x","payload":{},"a":1,"a":2}]}`)
}

func TestTapeNames(t *testing.T) {
	s := serve(t, nil)
	for _, name := range []string{"telegram:123", "a%2Fb", "gr%C3%B6%C3%9Fe%20x", "main.jsonl", "a%2F..%2F..%2Fb"} {
		s.post(201, "/tapes/"+name+"/entries", said)
		s.want(200, "GET", "/tapes/"+name, "")
	}
	if list := into[[]tape.Info](s.want(200, "GET", "/tapes", "")); len(list) != 5 {
		t.Errorf("%+v", list)
	}
	for name, want := range map[string]int{
		"..": 404, "%2e%2e": 400, "..%2f..%2fetc%2fpasswd": 400, ".hidden": 400, "a.": 400, "%ff": 400, "a%00": 400, "a%0ab": 400, "con": 400,
		strings.Repeat("x", 4097): 400, "%2Fetc%2Fpasswd": 404,
	} {
		for _, route := range []string{"", "/entries", "/events", "/anchors", "/search", "/context", "/recover"} {
			if a := s.want(want, "GET", "/tapes/"+name+route, ""); strings.Contains(a.body, "passwd") {
				t.Errorf("echoed: %s", a.body)
			}
		}
		if want == 400 {
			s.post(400, "/tapes/"+name+"/entries", said)
			s.post(400, "/tapes/"+name+"/reset", "{}")
		}
	}
	names, err := os.ReadDir(s.path(".handoff/tape"))
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if strings.HasPrefix(n.Name(), "etc") || n.Name() == "b.jsonl" {
			t.Errorf("%s", n.Name())
		}
	}
}

// phases is a tape with two anchors: ids 1 to 8.
func (s *server) phases() {
	s.t.Helper()
	s.post(201, "/tapes/main/entries", said)
	a := s.post(201, "/tapes/main/handoff", `{"name":"phase/1","summary":"Setup done","next_steps":"Prove it","state":{"tables":5}}`)
	if !strings.Contains(a.body, `{"name":"phase/1","state":{"tables":5,"summary":"Setup done","next_steps":"Prove it"}}`) {
		s.t.Errorf("%s", a.body)
	}
	s.post(201, "/tapes/main/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"And now?"}},
		{"kind":"tool_call","payload":{"calls":[{"id":"c1","type":"function","function":{"name":"fs_read","arguments":"{}"}}]}},
		{"kind":"message","payload":{"role":"assistant","content":"ÄRGER"},"date":"2026-02-11"}]}`)
}

func TestTapeSlices(t *testing.T) {
	s := serve(t, nil)
	s.phases()
	for query, want := range map[string]string{
		"": "1 2 3 4 5 6 7 8", "?last_anchor=true": "5 6 7 8", "?after_anchor=session%2Fstart&kind=message": "3 6 8",
		"?between=session/start&between=phase/1": "2 3", "?kind=anchor&kind=event": "1 2 4 5", "?since=2026-02-12": "1 2 3 4 5 6 7",
		"?until=2026-02-11": "8", "?text=%C3%A4rger": "8", "?limit=2": "1 2", "?limit=-6": "1 2", "?limit=0": "", "?from_id=6&limit=2": "6 7", "?after_anchor=": "1 2 3 4 5 6 7 8",
	} {
		if got := s.entries(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	s.detail("[not_found] Anchor 'phase/2' was not found.", s.want(404, "GET", "/tapes/main/entries?after_anchor=phase/2", ""))
	s.detail("[not_found] Anchor 'phase/1' was not found.", s.want(404, "GET", "/tapes/main/entries?between=phase/1&between=phase/1", ""))
	s.detail("[invalid_input] Invalid ISO date or datetime: 'soon'.", s.want(400, "GET", "/tapes/main/entries?since=soon", ""))
	s.detail("[invalid_input] Start date must be earlier than or equal to end date.", s.want(400, "GET", "/tapes/main/events?since=2026-02-03&until=2026-02-02", ""))
	for _, bad := range []string{"?between=a", "?between=a&between=b&between=c", "?last_anchor=true&after_anchor=x", "?last_anchor=yes", "?limit=x", "?from_id=x", "?kind=%ff", "?text=%ff"} {
		s.want(400, "GET", "/tapes/main/entries"+bad, "")
	}

	anchors := into[[]tape.Anchor](s.want(200, "GET", "/tapes/main/anchors?limit=1", ""))
	if len(anchors) != 1 || anchors[0].Name != "phase/1" || anchors[0].ID != 4 {
		t.Errorf("%+v", anchors)
	}
	s.want(400, "GET", "/tapes/main/anchors?limit=-1", "")
	s.post(201, "/tapes/other/entries", said)
	for query, want := range map[string]string{
		"text=lemma": "main ", "text=lemma&all_tapes=true": "main other ", "text=lemna&fuzzy=true": "main ", "text=": "", "text=lemma&kind=event": "",
	} {
		got := ""
		for _, h := range into[[]struct{ Tape string }](s.want(200, "GET", "/tapes/main/search?"+query, "")) {
			got += h.Tape + " "
		}
		if got != want {
			t.Errorf("%s: %s", query, got)
		}
	}
	s.want(400, "GET", "/tapes/main/search?limit=0", "")
}

func TestTapeContext(t *testing.T) {
	s := serve(t, nil)
	s.phases()
	c := into[tapes.Context](s.want(200, "GET", "/tapes/main/context", ""))
	if !strings.HasPrefix(string(c.Request), `{"messages":[`) || c.Messages != 5 || c.Limit != 200000 || c.Full || c.Tokens < 20 {
		t.Errorf("%s, about %d tokens", c.Request, c.Tokens)
	}
	c = into[tapes.Context](s.want(200, "GET", "/tapes/main/context?for=anthropic&all=true&contract=true&context_limit=100", ""))
	if !strings.HasPrefix(string(c.Request), `{"system":[`) || !c.Full {
		t.Errorf("%s, %v", c.Request, c.Full)
	}
	c = into[tapes.Context](s.want(200, "GET", "/tapes/main/context?no_anchor_state=true&between=session/start&between=phase/1", ""))
	if c.Messages != 1 {
		t.Errorf("%s", c.Request)
	}
	s.want(400, "GET", "/tapes/main/context?for=cohere", "")
	s.want(400, "GET", "/tapes/main/context?all=true&last_anchor=true", "")
	s.detail("[not_found] Anchor 'x' was not found.", s.want(404, "GET", "/tapes/main/context?after_anchor=x", ""))
	r := into[struct {
		Anchor     tape.Anchor
		Entries    []struct{ ID int64 }
		Unfinished []tape.Call
	}](s.want(200, "GET", "/tapes/main/recover", ""))
	if r.Anchor.Name != "phase/1" || len(r.Entries) != 4 || len(r.Unfinished) != 1 || r.Unfinished[0].Name != "fs_read" {
		t.Errorf("%+v", r)
	}
}

func TestTapeForks(t *testing.T) {
	s := serve(t, nil)
	s.phases()
	f := into[tape.ForkResult](s.post(201, "/tapes/main/fork", `{"to":"side","from_anchor":"phase/1","next_steps":"try it","link":true}`))
	if f.Tape != "side" || !f.Linked || f.Entries != 5 {
		t.Errorf("%+v", f)
	}
	s.detail("a tape with that name already exists", s.post(409, "/tapes/main/fork", `{"to":"side"}`))
	s.detail("[not_found] Anchor 'x' was not found.", s.post(404, "/tapes/main/fork", `{"to":"y","from_anchor":"x"}`))
	s.detail("[not_found] Entry 99 was not found.", s.post(404, "/tapes/main/fork", `{"to":"y","from_entry":99}`))
	s.post(400, "/tapes/main/fork", `{"to":"y","from_entry":1,"from_anchor":"phase/1"}`)
	s.post(400, "/tapes/main/fork", `{"to":"../x"}`)
	s.post(404, "/tapes/none/fork", `{"to":"y"}`)
	s.detail("want to, the name of the new tape, or an Idempotency-Key to make the name from", s.post(400, "/tapes/main/fork", `{}`))
	s.post(201, "/tapes/side/entries", said)
	s.post(400, "/tapes/main/merge", `{}`)
	m := into[tape.MergeResult](s.post(200, "/tapes/side/merge", `{}`))
	if m.Parent != "main" || m.Entries != 1 || !strings.HasPrefix(m.Archived, "tape/archived/side_") {
		t.Errorf("%+v", m)
	}
	s.post(404, "/tapes/side/merge", `{}`)
	s.detail(tapeops.EndedFork, s.post(409, "/tapes/side/entries", said))
	s.detail(tapeops.EndedFork, s.post(409, "/tapes/side/handoff", `{}`))
	made := into[tape.ForkResult](s.post(201, "/tapes/main/fork", `{}`, "Idempotency-Key", "unnamed"))
	if d := into[tape.MergeResult](s.post(200, "/tapes/"+made.Tape+"/discard", `{"reason":"no"}`)); d.Archived == "" {
		t.Errorf("%+v", d)
	}

	r := into[tapes.Archived](s.post(200, "/tapes/main/reset", `{}`))
	if !strings.HasPrefix(r.Archived, "tape/archived/main_") {
		t.Errorf("%+v", r)
	}
	s.post(201, "/tapes/main/entries", said)
	s.detail("this destroys the tape without an archive: confirm with the tape's name", s.post(400, "/tapes/main/reset", `{"archive":false}`))
	s.post(400, "/tapes/main/reset", `{"archive":false,"confirm":"yes"}`)
	if got := s.entries(""); got != "1 2 3" {
		t.Errorf("%s", got)
	}
	if r := into[tapes.Archived](s.post(200, "/tapes/main/reset", `{"archive":false,"confirm":"main"}`)); r.Archived != "" {
		t.Errorf("%+v", r)
	}
	if got := s.entries(""); got != "1 2" {
		t.Errorf("%s", got)
	}
	s.post(404, "/tapes/none/reset", `{}`)
}

// TestTapeForksOnce repeats requests as a client does that got no answer.
func TestTapeForksOnce(t *testing.T) {
	s := serve(t, nil)
	s.phases()
	const fork = `{"from_anchor":"phase/1","next_steps":"try it"}`
	made := s.post(201, "/tapes/main/fork", fork, "Idempotency-Key", "f")
	if again := s.post(200, "/tapes/main/fork", fork, "Idempotency-Key", "f"); again.body != made.body {
		t.Errorf("%s, then %s", made.body, again.body)
	}
	used := "the Idempotency-Key was used for another request"
	s.detail(used, s.post(409, "/tapes/main/fork", `{}`, "Idempotency-Key", "f"))
	side := into[tape.ForkResult](made).Tape
	s.post(201, "/tapes/"+side+"/fork", `{"to":"below"}`, "Idempotency-Key", "f")
	s.post(200, "/tapes/"+side+"/merge", `{}`)
	if again := s.post(200, "/tapes/main/fork", fork, "Idempotency-Key", "f"); again.body != made.body {
		t.Errorf("%s, then %s", made.body, again.body)
	}
	s.post(200, "/tapes/"+side+"/fork", `{"to":"below"}`, "Idempotency-Key", "f")
	s.post(400, "/tapes/main/fork", `{}`, "Idempotency-Key", strings.Repeat("k", 300))

	reset := s.post(200, "/tapes/main/reset", `{}`, "Idempotency-Key", "r")
	s.post(201, "/tapes/main/entries", said)
	if again := s.post(200, "/tapes/main/reset", `{}`, "Idempotency-Key", "r"); again.body != reset.body {
		t.Errorf("%s, then %s", reset.body, again.body)
	}
	s.detail(used, s.post(409, "/tapes/main/reset", `{"archive":false,"confirm":"main"}`, "Idempotency-Key", "r"))
	s.detail(used, s.post(409, "/tapes/main/entries", said, "Idempotency-Key", "r"))
	if got := s.entries(""); got != "1 2 3" {
		t.Errorf("%s", got)
	}
}

func TestTapeEnvelopes(t *testing.T) {
	s := serve(t, nil)
	s.post(404, "/tapes/main/send", `{"from":"agent:a","to":"agent:b"}`)
	s.phases()
	sent := s.post(200, "/tapes/main/send", `{"from":"agent:a","to":"agent:b","reason":"full"}`)
	if e, err := tape.ParseEnvelope([]byte(sent.body)); err != nil || e.Content.Summary != "Setup done" || e.Content.Intention.NextSteps != "Prove it" {
		t.Errorf("%+v, %v", e, err)
	}
	s.post(400, "/tapes/main/send", `{"from":"","to":"agent:b"}`)
	s.post(422, "/tapes/main/send", `{"from":"a"}`)
	first := s.post(201, "/tapes/b/receive?name=from-a", sent.body)
	again := s.post(200, "/tapes/b/receive", sent.body)
	if strings.TrimSuffix(first.body, `,"existed":false}`) != strings.TrimSuffix(again.body, `,"existed":true}`) || !strings.Contains(first.body, `"name":"from-a"`) {
		t.Errorf("%s, then %s", first.body, again.body)
	}
	s.post(422, "/tapes/b/receive", strings.Replace(sent.body, `"transfer"`, `"share"`, 1))
	s.post(400, "/tapes/b/receive", strings.Replace(sent.body, `"tape://`, `"http://`, 1))
	s.post(422, "/tapes/b/receive", `{}`)
	if info := into[tape.Info](s.want(200, "GET", "/tapes/b", "")); info.Anchors != 2 {
		t.Errorf("%+v", info)
	}
}

// TestTapeBare is what a store of Bub needs: a tape that begins with the first
// appended entry, and does not exist after a reset.
func TestTapeBare(t *testing.T) {
	s := serve(t, nil)
	if a := s.want(201, "PUT", "/tapes/b?bare=true", ""); a.body != `{"tape":"b","created":true}` {
		t.Errorf("%s", a.body)
	}
	if a := s.want(200, "PUT", "/tapes/b", ""); a.body != `{"tape":"b","created":false}` {
		t.Errorf("%s", a.body)
	}
	s.post(201, "/tapes/b/entries", said)
	s.post(201, "/tapes/c/entries", `{"bare":true,"entries":[{"kind":"anchor","payload":{"name":"session/start"}}]}`)
	s.post(201, "/tapes/c/entries", `{"bare":true,"entries":[{"kind":"event","payload":{"name":"handoff"}}]}`)
	s.post(201, "/tapes/d/handoff", `{"bare":true,"name":"p"}`)
	for name, want := range map[string]int{"b": 1, "c": 2, "d": 2} {
		if info := into[tape.Info](s.want(200, "GET", "/tapes/"+name, "")); info.Entries != want {
			t.Errorf("%s: %+v", name, info)
		}
	}
	if r := into[tapes.Archived](s.want(200, "DELETE", "/tapes/b", "")); !strings.HasPrefix(r.Archived, "tape/archived/b_") {
		t.Errorf("%+v", r)
	}
	s.detail("this destroys the tape without an archive: confirm with the tape's name", s.want(400, "DELETE", "/tapes/c?archive=false", ""))
	if r := into[tapes.Archived](s.want(200, "DELETE", "/tapes/c?archive=false&confirm=c", "")); r.Archived != "" {
		t.Errorf("%+v", r)
	}
	s.want(404, "DELETE", "/tapes/c", "")
	s.post(201, "/tapes/d/fork", `{"to":"f"}`)
	s.want(400, "DELETE", "/tapes/f", "")
	if list := into[[]tape.Info](s.want(200, "GET", "/tapes", "")); len(list) != 2 || list[0].Name != "d" || list[1].Name != "f" {
		t.Errorf("%+v", list)
	}
	s.post(200, "/tapes/f/discard", `{}`)
	s.want(409, "PUT", "/tapes/f", "")
}

// TestTapeExec: a comma command is run and recorded once, and what is wrong with it is said in its own words.
func TestTapeExec(t *testing.T) {
	s := serve(t, nil)
	a := into[tapes.Executed](s.post(200, "/tapes/main/exec", `{"command":",handoff name=p state={tables: 5}"}`))
	if a.Command != "tape.handoff" || a.Output != "anchor added: p" || !strings.Contains(string(a.Result), `"tables":5`) {
		t.Errorf("%+v", a)
	}
	if got := s.entries("?text=tape.handoff&kind=event"); got != "5" {
		t.Errorf("recorded in %q", got)
	}
	s.post(200, "/tapes/main/exec", `{"command":",info","no_record":true}`)
	for body, detail := range map[string]string{
		`{"command":",ancors"}`:                 "unknown command ,ancors: did you mean ,anchors?",
		`{"command":"ls"}`:                      `"ls" is not a command: commands start with a comma, like ,handoff name=phase-1 summary="…"`,
		`{"command":",reset archive=false"}`:    "this destroys the tape without an archive: confirm with the tape's name",
		`{"command":",info x=1"}`:               ",tape.info has no x: it takes nothing",
		`{"command":",search query=a start=x"}`: "[invalid_input] Invalid ISO date or datetime: 'x'.",
	} {
		s.detail(detail, s.post(400, "/tapes/main/exec", body))
	}
	s.post(409, "/tapes/main/exec", `{"command":",fork new_session_id=main"}`)
	s.post(200, "/tapes/main/exec", `{"command":",reset archive=false","confirm":"main"}`)
	if got := s.entries(""); got != "1 2 3" { // with the event of the command
		t.Errorf("entries %q", got)
	}
}

// TestTapeURI: the lineage of tapes, what a URI names, and the definition of the tool are routes, too.
func TestTapeURI(t *testing.T) {
	s := serve(t, nil)
	s.post(201, "/tapes/main/entries", said)
	s.post(201, "/tapes/main/handoff", `{"name":"p/1"}`)
	s.post(201, "/tapes/main/fork", `{"to":"side","from_anchor":"p/1"}`)
	for uri, want := range map[string]string{"tape://workspace/main/entry/3": "[3]", "tape:///main/anchor/p%2F1": "[4]", "tape://workspace/main&kind=message": "[3]"} {
		got := []int64{}
		for _, e := range into[[]tape.Entry](s.want(200, "GET", "/tape-uri?uri="+strings.ReplaceAll(uri, "%", "%25"), "")) {
			got = append(got, e.ID)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", uri, got, want)
		}
	}
	for uri, code := range map[string]int{"": 400, "main": 400, "tape://other/main": 404, "tape:///none": 404, "tape:///main/entry/9": 404} {
		s.want(code, "GET", "/tape-uri?uri="+uri, "")
	}
	trees := into[[]*tape.Node](s.want(200, "GET", "/tape-lineage?name=side", ""))
	if len(trees) != 1 || len(trees[0].Children) != 1 || trees[0].Children[0].Tape != "side" {
		t.Errorf("%+v", trees)
	}
	s.want(404, "GET", "/tape-lineage?name=none", "")
	if got := into[struct{ Name string }](s.want(200, "GET", "/tape-schema?for=anthropic", "")); got.Name != "tape_handoff" {
		t.Errorf("%+v", got)
	}
	s.want(400, "GET", "/tape-schema?for=none", "")

	was := s.want(200, "GET", "/tapes/main/entries", "").body
	path := into[tapes.Archived](s.post(200, "/tapes/main/reset", `{}`)).Archived
	if list := s.want(200, "GET", "/tapes/main/archives", "").body; strings.TrimSpace(list) != `[{"archive":"`+path+`"}]` {
		t.Errorf("%s, want %s", list, path)
	}
	if list := s.want(200, "GET", "/tapes/none/archives", "").body; strings.TrimSpace(list) != "[]" {
		t.Error(list)
	}
	at := "/tape-archives/" + strings.ReplaceAll(path, "/", "%2F")
	if got := s.want(200, "GET", at+"/entries", "").body; got != was {
		t.Errorf("archived %s, was %s", got, was)
	}
	if n := into[tape.Info](s.want(200, "GET", at, "")).Entries; n != 5 {
		t.Errorf("%d entries", n)
	}
	if n := len(into[[]tapes.Hit](s.want(200, "GET", at+"/search?text=lemma", ""))); n != 1 {
		t.Errorf("%d found", n)
	}
	if n := into[tapes.Context](s.want(200, "GET", at+"/context?all=true", "")).Messages; n != 3 {
		t.Errorf("%d messages", n)
	}
	s.want(404, "GET", "/tape-archives/tape%2Farchived%2Fnone.jsonl/entries", "")
	for _, path := range []string{"x", "..%2F..%2Fspecs%2Fx.md", "tape%2Farchived%2F..%2Fmain.jsonl", "%2Fetc%2Fpasswd"} {
		s.want(400, "GET", "/tape-archives/"+path, "")
	}
}
