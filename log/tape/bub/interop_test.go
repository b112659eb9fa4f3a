package bub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/log/tape"
	"handoff/log/tape/chat"
)

const workspace = "/home/u/größe ws"

// entry is an entry of JSON.
func entry(t testing.TB, kind, payload, meta string) tape.Entry {
	t.Helper()
	if meta == "" {
		meta = "{}"
	}
	return must(tape.NewEntry(kind, json.RawMessage(payload), json.RawMessage(meta)))(t)
}

// work appends the entries that an agent writes.
func work(t testing.TB, tp *tape.Tape) {
	t.Helper()
	if err := tp.Ensure(ctx); err != nil {
		t.Fatal(err)
	}
	run := `{"run_id": "run-1"}`
	must(tp.Append(ctx,
		entry(t, "system", `{"content": "SYS"}`, run),
		entry(t, "message", `{"role": "user", "content": "Prüfe 😀 \u2028 \"x\\y\" </script> \u0001"}`, run),
		entry(t, "tool_call", `{"calls": [{"id": "c1", "type": "function", "function": {"name": "fs_read", "arguments": "{\"path\":\"a\"}"}}, {"id": "c2", "type": "function", "function": {"name": "bash", "arguments": "{}"}}]}`, run),
		entry(t, "tool_result", `{"results": ["ok", {"größe": [1, 2.5, null, true, 1e+30]}]}`, run),
		entry(t, "message", `{"role": "assistant", "content": "done"}`, run),
		entry(t, "event", `{"name": "run", "data": {"status": "ok", "usage": {"total_tokens": 7, "prompt_tokens": 4}}}`, run)))(t)
	must(tp.Handoff(ctx, "phase/ü", json.RawMessage(`{"summary": "früh", "next_steps": ["a"], "source_ids": [1, 2]}`), nil))(t)
	must(tp.Append(ctx,
		entry(t, "message", `{"role": "user", "content": "go on"}`, ""),
		entry(t, "error", `{"kind": "tool", "message": "broke"}`, ""),
		entry(t, "x.own", `{"deep": `+strings.Repeat(`{"a":[`, 60)+strings.Repeat(`]}`, 60)+`}`, `{"context": false}`)))(t)
	must(tp.Handoff(ctx, "start", nil, nil))(t)
	must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "kept"}`, "")))(t)
	must(tp.Handoff(ctx, "end", nil, nil))(t)
	must(tp.Handoff(ctx, "start", nil, json.RawMessage(`{"m": 1}`)))(t)
	must(tp.Append(ctx, entry(t, "tool_call", `{"calls": [{"id": "c3", "type": "function", "function": {"name": "look", "arguments": "{}"}}]}`, ""),
		entry(t, "tool_result", `{"results": [{"kind": "tool", "message": "no"}]}`, ""), entry(t, "message", `{"role": "assistant", "content": "again"}`, "")))(t)
	must(tp.Handoff(ctx, "end", nil, nil))(t)
	must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "last"}`, ""),
		entry(t, "tool_call", `{"calls": [{"id": "c4", "type": "function", "function": {"name": "look", "arguments": "{\"ä\": 1}"}}]}`, ""),
		entry(t, "tool_result", `{"results": [{"ö": [null]}]}`, ""), entry(t, "message", `{"role": "assistant", "content": "so be it"}`, "")))(t)
}

// shown is entries as Bub shows them.
func shown(entries []tape.Entry) []any {
	list := []any{}
	for _, e := range entries {
		list = append(list, object{"id": e.ID, "kind": e.Kind, "payload": e.Payload, "meta": e.Meta, "date": e.Date})
	}
	return list
}

// sameTape checks that Bub and we find the same on a tape: entries, slices,
// messages, anchors and counts; with Bub's cache and without.
func sameTape(t testing.TB, h *Home, p *peer, stem string) {
	t.Helper()
	for range 2 {
		tp := must(h.Tape(stem))(t)
		same(t, "entries", p.get("read", object{"tape": stem}), shown(must(tp.All(tape.Query{}))(t)))
		sameQueries(t, tp, p, stem)
		sameMessages(t, tp, p, stem)
		info := must(tp.Info())(t)
		info.Passed, info.Title = 0, nil
		same(t, "info", p.get("info", object{"tape": stem}), info)
		for _, limit := range []int{0, 2, 20} {
			anchors := []any{}
			for _, a := range must(tp.Anchors(limit))(t) {
				anchors = append(anchors, object{"name": a.Name, "state": a.State})
			}
			same(t, fmt.Sprint(limit, " anchors"), p.get("anchors", object{"tape": stem, "limit": limit}), anchors)
		}
		p.restart()
	}
}

func sameQueries(t testing.TB, tp *tape.Tape, p *peer, stem string) {
	t.Helper()
	limit := func(n int) *int { return &n }
	for _, c := range []struct {
		bubs object
		ours tape.Query
	}{
		{object{"last": true}, tape.Query{Window: tape.FromLastAnchor()}},
		{object{"after": "start"}, tape.Query{Window: tape.AfterAnchor("start")}},
		{object{"after": "phase/ü"}, tape.Query{Window: tape.AfterAnchor("phase/ü")}},
		{object{"after": ""}, tape.Query{Window: tape.AfterAnchor("")}},
		{object{"after": "missing"}, tape.Query{Window: tape.AfterAnchor("missing")}},
		{object{"between": []string{"start", "end"}}, tape.Query{Window: tape.BetweenAnchors("start", "end")}},
		{object{"between": []string{"phase/ü", "end"}}, tape.Query{Window: tape.BetweenAnchors("phase/ü", "end")}},
		{object{"between": []string{"end", "start"}}, tape.Query{Window: tape.BetweenAnchors("end", "start")}},
		{object{"between": []string{"end", "end"}}, tape.Query{Window: tape.BetweenAnchors("end", "end")}},
		{object{"between": []string{"no", "end"}}, tape.Query{Window: tape.BetweenAnchors("no", "end")}},
		{object{"kinds": []string{"message", "anchor"}}, tape.Query{Kinds: []string{"message", "anchor"}}},
		{object{"kinds": []string{"message"}, "limit": 2, "after": "session/start"}, tape.Query{Window: tape.AfterAnchor("session/start"), Kinds: []string{"message"}, Limit: limit(2)}},
		{object{"limit": 0}, tape.Query{Limit: limit(0)}},
		{object{"limit": -3}, tape.Query{Limit: limit(-3)}},
		{object{"limit": 1000}, tape.Query{Limit: limit(1000)}},
		{object{"text": "RUN-1"}, tape.Query{Text: "RUN-1"}},
		{object{"text": "go on", "kinds": []string{"message"}}, tape.Query{Text: "go on", Kinds: []string{"message"}}},
		{object{"text": `"name": "start"`}, tape.Query{Text: `"name": "start"`}},
		{object{"dates": []string{"2026-02-21", "2026-02-21"}}, tape.Query{From: "2026-02-21", To: "2026-02-21"}},
		{object{"dates": []string{"2026-02-21T13:00:00+01:00", "20260221T120000Z"}}, tape.Query{From: "2026-02-21T13:00:00+01:00", To: "20260221T120000Z"}},
		{object{"dates": []string{"2026-W08-6", "2026W086"}}, tape.Query{From: "2026-W08-6", To: "2026W086"}},
		{object{"dates": []string{"2026-W09", "2026-W09-7T23:59"}}, tape.Query{From: "2026-W09", To: "2026-W09-7T23:59"}},
		{object{"dates": []string{"2026-W54-1", "2026-W55"}}, tape.Query{From: "2026-W54-1", To: "2026-W55"}},
		{object{"dates": []string{"2027-01-01", "9999-12-31"}}, tape.Query{From: "2027-01-01", To: "9999-12-31"}},
		{object{"dates": []string{"1970-01-01 00:00", "2026-02-20"}}, tape.Query{From: "1970-01-01 00:00", To: "2026-02-20"}},
		{object{"dates": []string{"2026-02-22", "2026-02-21"}}, tape.Query{From: "2026-02-22", To: "2026-02-21"}},
		{object{"dates": []string{"2026-02-30", "2026-03-01"}}, tape.Query{From: "2026-02-30", To: "2026-03-01"}},
		{object{"dates": []string{"2026-02-21", "soon"}}, tape.Query{From: "2026-02-21", To: "soon"}},
	} {
		what := fmt.Sprint("query ", c.bubs)
		c.bubs["tape"] = stem
		bubs, bubsErr := p.ask("query", c.bubs)
		ours, err := tp.All(c.ours)
		if got := (*tape.Error)(nil); err != nil && !errors.As(err, &got) || err != nil && err.Error() != bubsErr.String() || err == nil && bubsErr != nil {
			t.Errorf("%s: %v, and Bub says %s", what, err, bubsErr)
		} else if err == nil {
			same(t, what, bubs, shown(ours))
		}
	}
}

func sameMessages(t testing.TB, tp *tape.Tape, p *peer, stem string) {
	t.Helper()
	for _, c := range []struct {
		bubs   object
		window tape.Window
	}{
		{object{}, tape.FromLastAnchor()},
		{object{"anchor": nil}, tape.Window{}},
		{object{"anchor": "phase/ü"}, tape.AfterAnchor("phase/ü")},
		{object{"anchor": "start"}, tape.AfterAnchor("start")},
		{object{"anchor": "missing"}, tape.AfterAnchor("missing")},
	} {
		what := fmt.Sprint("messages ", c.bubs)
		if len(c.bubs) == 0 && must(tp.Info())(t).Anchors == 0 {
			continue // an error for Bub; here the whole tape
		}
		c.bubs["tape"] = stem
		bubs, bubsErr := p.ask("messages", c.bubs)
		s, err := tp.Slice(c.window)
		if err != nil || bubsErr != nil {
			if err == nil || err.Error() != bubsErr.String() {
				t.Errorf("%s: %v, and Bub says %s", what, err, bubsErr)
			}
			continue
		}
		messages, dropped := chat.Messages(s, chat.Options{WithoutState: true})
		if len(dropped) > 0 {
			t.Errorf("%s: dropped %+v", what, dropped)
		}
		ours := []any{}
		for _, m := range messages {
			ours = append(ours, m.JSON)
		}
		same(t, what, sent(t, bubs), sent(t, ours))
	}
}

// testBubReads checks that Bub reads everything that is written here, and that
// both read the same after each has appended, by turns and while Bub has the
// tape open.
func testBubReads(t *testing.T, h *Home, p *peer) {
	stem := must(SessionName(workspace, "telegram:123"))(t)
	same(t, "the name of a session", p.get("session", object{"workspace": workspace, "session": "telegram:123"}), stem)
	tp := must(h.Tape(stem))(t)
	work(t, tp)
	same(t, "list", p.get("list", nil), []string{stem})
	sameTape(t, h, p, stem)

	n := must(tp.Info())(t).Entries
	for i := range 5 {
		p.get("append", object{"tape": stem, "kind": "message", "payload": object{"role": "user", "content": fmt.Sprint("from Bub ", i, " ü")}, "meta": object{"i": i}})
		if stored := must(tp.Append(ctx, entry(t, "message", fmt.Sprintf(`{"role": "user", "content": "from us %d"}`, i), "")))(t); stored[0].ID != int64(n+2*i+2) {
			t.Errorf("the id after %d entries is %d", n+2*i+1, stored[0].ID)
		}
	}
	p.get("turn", object{"tape": stem, "messages": []any{object{"role": "user", "content": "turn"}}, "handoffs": []any{object{"name": "p2", "state": object{"summary": "größer"}}}})
	must(tp.Handoff(ctx, "p3", json.RawMessage(`{"summary": "ours"}`), nil))(t)
	sameTape(t, h, p, stem)
	entries := must(tp.All(tape.Query{}))(t)
	if len(entries) != n+16 { // our handoff has three entries, one with its state
		t.Errorf("%d entries, want %d", len(entries), n+16)
	}
	for i, e := range entries {
		if e.ID != int64(i+1) {
			t.Fatalf("entry %d has the id %d", i+1, e.ID)
		}
	}
	// What Bub writes is what would be written here, byte for byte.
	for _, e := range entries {
		if line := must(e.Line())(t); string(line) != e.Raw() {
			t.Errorf("Bub wrote\n%s\nwe would write\n%s", e.Raw(), line)
		}
	}
}

// testBubBegins has Bub create the tape, and archive and reset it.
func testBubBegins(t *testing.T, h *Home, p *peer) {
	stem := must(SessionName(".", "cli_session"))(t)
	wd := must(filepath.Abs("."))(t)
	same(t, "the name of a session", p.get("session", object{"workspace": wd, "session": "cli_session"}), stem)
	tp := must(h.Tape(stem))(t)
	sameTape(t, h, p, stem)
	if _, err := os.Stat(tp.Path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading created a file: %v", err)
	}
	p.get("turn", object{"tape": stem, "messages": []any{object{"role": "user", "content": "hi"}}})
	if got := texts(t, tp); got != "1session/start 2handoff 3hi" {
		t.Errorf("%q", got)
	}
	if err := tp.Ensure(ctx); err != nil { // the tape exists
		t.Error(err)
	}
	sameTape(t, h, p, stem)

	before := string(must(os.ReadFile(tp.Path()))(t))
	p.get("reset", object{"tape": stem, "archive": true})
	files := must(h.List("."))(t)
	if len(files) != 1 || len(files[0].Archives) != 1 || files[0].Hidden {
		t.Fatalf("%+v", files)
	}
	if kept := string(must(os.ReadFile(files[0].Archives[0]))(t)); kept != before {
		t.Errorf("archived was %q", kept)
	}
	must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "after"}`, "")))(t)
	if got := texts(t, tp); got != "1session/start 2handoff 3after" {
		t.Errorf("%q", got)
	}
	sameTape(t, h, p, stem)
}

// testBubHandsOff appends while Bub is between the anchor and the event of a
// handoff, which it writes one after the other.
func testBubHandsOff(t *testing.T, h *Home, p *peer) {
	tp := must(h.Tape("a__b"))(t)
	state := object{"name": "p", "state": object{"summary": "s"}}
	p.get("append", object{"tape": "a__b", "kind": "anchor", "payload": state, "meta": object{}})
	must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "ours"}`, "")))(t)
	p.get("append", object{"tape": "a__b", "kind": "event", "payload": object{"name": "handoff", "data": state}, "meta": object{}})
	if got := texts(t, tp); got != "1p 2ours 3handoff" {
		t.Errorf("%q", got)
	}
	sameTape(t, h, p, "a__b")
}

// testBubCrashed appends to the file of a killed Bub. Bub itself would lose its
// next entry.
func testBubCrashed(t *testing.T, h *Home, p *peer) {
	whole := say(1, "a") + "\n" + say(2, "b") + "\n"
	for n, cut := range []int{len(whole) - 1, len(whole) - 3, len(whole) - 90} {
		stem := fmt.Sprintf("torn__%d", n)
		put(t, h, stem+".jsonl", whole[:cut])
		tp := must(h.Tape(stem))(t)
		must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "c"}`, "")))(t)
		p.get("append", object{"tape": stem, "kind": "message", "payload": object{"role": "user", "content": "d"}, "meta": object{}})
		want := "1a 2b 3c 4d"
		if n > 0 {
			want = "1a 2c 3d"
		}
		if got := texts(t, tp); got != want {
			t.Errorf("cut at %d: %q", cut, got)
		}
		sameTape(t, h, p, stem)
		// the same, but Bub appends first
		put(t, h, stem+"x.jsonl", whole[:cut])
		p.get("append", object{"tape": stem + "x", "kind": "message", "payload": object{"role": "user", "content": "c"}, "meta": object{}})
		p.restart()
		if lost := p.get("read", object{"tape": stem + "x"}).([]any); len(lost) != 1 {
			t.Errorf("Bub repairs torn lines now: %v", lost)
		}
		tp = must(h.Tape(stem + "x"))(t)
		if got := texts(t, tp); got != strings.TrimSuffix(want, fmt.Sprintf(" %dd", 4-min(n, 1))) {
			t.Errorf("cut at %d: joined: %q", cut, got)
		}
		if _, _, err := h.Fix(ctx, stem+"x"); err != nil {
			t.Error(err)
		}
		p.restart()
		sameTape(t, h, p, stem+"x")
	}
}

// testBubFixed has Bub read fixed files.
func testBubFixed(t *testing.T, h *Home, p *peer) {
	for n, c := range damaged {
		stem := fmt.Sprintf("damaged__%d", n)
		put(t, h, stem+".jsonl", c.content)
		before, err := p.ask("read", object{"tape": stem})
		ours := shown(must(must(h.Tape(stem))(t).All(tape.Query{}))(t))
		_, all := before.([]any)
		all = all && err == nil && len(before.([]any)) == len(ours)
		if reads := c.report.OK() || len(c.report.NoText)+len(c.report.Glued)+len(c.report.Mark) == 0; all != reads {
			t.Errorf("%s: Bub reads %v, %s: the report is %+v", c.what, before, err, c.report)
		}
		if _, _, err := h.Fix(ctx, stem); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
		p.restart()
		sameTape(t, h, p, stem)
	}
}

// testBubConverts converts a tape from a store to Bub and back, and one of the
// oldest format to a store.
func testBubConverts(t *testing.T, h *Home, p *peer) {
	store, err := tape.Open(filepath.Join(t.TempDir(), ".handoff"), tape.Options{Now: now, Workspace: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	native := must(store.Tape(tape.Main))(t)
	work(t, native)
	stem := must(SessionName(workspace, "s"))(t)
	must(h.Export(t.Context(), store, native, stem))(t)
	same(t, "list", p.get("list", nil), []string{stem})
	sameTape(t, h, p, stem)
	p.get("turn", object{"tape": stem, "messages": []any{object{"role": "user", "content": "in Bub"}}})
	if c := must(h.Import(t.Context(), stem, store, "back"))(t); c.Renumbered+c.Passed != 0 || c.Entries != must(native.Info())(t).Entries+1 {
		t.Errorf("%+v", c)
	}
	back := must(os.ReadFile(must(store.Tape("back"))(t).Path()))(t)
	if bubs := must(os.ReadFile(must(h.Tape(stem))(t).Path()))(t); !slices.Equal(back, bubs) {
		t.Errorf("%s\nis not what Bub has\n%s", back, bubs)
	}
	old := must(OldName(workspace, "bub:abc"))(t)
	lines := strings.Split(generations, "\n")
	put(t, h, old+".jsonl", strings.Join(slices.Concat(lines[:2], lines[3:]), "\n"))
	sameTape(t, h, p, old)
}

// testBubTogether appends while Bub does. Bub takes no lock, so ids are used
// twice, but no entry is lost, and both have them in the same order.
func testBubTogether(t *testing.T, h *Home, p *peer) {
	const each = 200
	tp := must(h.Tape("a__b"))(t)
	must(tp.Append(ctx, entry(t, "message", `{"content": "begin"}`, "")))(t)
	var ours sync.WaitGroup
	ours.Go(func() {
		for i := range each {
			if _, err := tp.Handoff(ctx, fmt.Sprint("ours ", i), nil, nil); err != nil {
				t.Error(err)
			}
		}
	})
	for i := range each {
		p.get("append", object{"tape": "a__b", "kind": "message", "payload": object{"content": fmt.Sprint("bub ", i)}, "meta": object{}})
	}
	ours.Wait()
	p.restart()
	entries := must(tp.All(tape.Query{}))(t)
	same(t, "entries", p.get("read", object{"tape": "a__b"}), shown(entries))
	anchors, messages := 0, 0
	for i, e := range entries {
		switch e.Kind {
		case tape.KindAnchor:
			if next := entries[i+1]; e.Name() != fmt.Sprint("ours ", anchors) || next.Kind != tape.KindEvent || next.ID != e.ID+1 {
				t.Errorf("anchor %d is %s, followed by %s", anchors, e.Raw(), next.Raw())
			}
			anchors++
		case tape.KindMessage:
			if want := fmt.Sprintf(`{"content": "bub %d"}`, messages-1); messages > 0 && string(e.Payload) != want {
				t.Errorf("%s, want %s", e.Raw(), want)
			}
			messages++
		}
	}
	if anchors != each || messages != each+1 || len(entries) < 3*each+1 {
		t.Errorf("%d anchors and %d messages in %d entries", anchors, messages, len(entries))
	}
}
