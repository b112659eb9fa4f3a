package tape

import (
	"fmt"
	"strings"
	"testing"
)

func TestSlice(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	add(t, tape, message("a"))
	must(tape.Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
	add(t, tape, message("b"))
	must(tape.Handoff(ctx, "q", nil, nil))(t)
	add(t, tape, message("c"))
	for _, c := range []struct {
		window         Window
		boundary, want string
	}{
		{FromLastAnchor(), "q", "e:handoff c"},
		{AfterAnchor("p"), "p", "e:handoff b a:q e:handoff c"},
		{Window{}, "", "a:session/start e:handoff a a:p e:handoff b a:q e:handoff c"},
		{BetweenAnchors("p", "q"), "p", "e:handoff b"},
	} {
		s, err := tape.Slice(c.window)
		boundary := ""
		if s.Boundary != nil {
			boundary = s.Boundary.Name()
		}
		if err != nil || boundary != c.boundary || short(s.Entries) != c.want {
			t.Errorf("%+v: %s, %q, %v", c.window, boundary, short(s.Entries), err)
		}
	}
	if _, err := tape.Slice(AfterAnchor("none")); err == nil || err.Error() != "[not_found] Anchor 'none' was not found." {
		t.Error(err)
	}
	// without anchors nothing is cut
	if s, err := w.bare(say(1, "x") + "\n").Slice(FromLastAnchor()); err != nil || s.Boundary != nil || short(s.Entries) != "x" {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestRecover(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	if r, err := tape.Recover(); err != nil || r.Anchor != nil || string(r.State) != "{}" {
		t.Errorf("%+v, %v", r, err)
	}
	must(tape.Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
	call := func(ids ...string) Entry {
		var calls []any
		for _, id := range ids {
			if id == "y" { // as Bub has it since 0.6
				calls = append(calls, map[string]any{"id": id, "name": "g", "arguments": "{}", "metadata": map[string]any{}})
				continue
			}
			calls = append(calls, map[string]any{"id": id, "type": "function", "function": map[string]string{"name": "f", "arguments": "{}"}})
		}
		return must(NewEntry(KindToolCall, map[string]any{"calls": calls}, nil))(t)
	}
	add(t, tape, call("done"), must(NewEntry(KindToolResult, map[string]any{"results": []string{"ok"}}, nil))(t), message("m"), call("x", "y"))
	appendTo(t, tape.Path(), `{"id": 10, "kind": "tool_res`)
	r := must(tape.Recover())(t)
	var open []string
	for _, c := range r.Unfinished {
		open = append(open, fmt.Sprint(c.Entry, c.ID, c.Name, c.Arguments))
	}
	if r.Anchor == nil || r.Anchor.Name != "p" || string(r.State) != `{"summary": "s"}` || len(r.Entries) != 5 || strings.Join(open, " ") != "8xf{} 8yg{}" || len(r.Passed) != 0 {
		t.Errorf("%+v %q", r, open)
	}
	add(t, tape, message("again"))
	if r := must(tape.Recover())(t); len(r.Passed) != 1 || r.Passed[0] != 9 {
		t.Errorf("%v", r.Passed)
	}
}
