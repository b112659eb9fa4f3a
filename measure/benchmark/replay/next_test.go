package replay_test

import (
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/measure/benchmark/replay"
)

// asked records what a model was asked; it needs 100 bits for a call, and 60 after a text that says "parser".
type asked struct {
	texts []string
	calls [][]string
}

func (a *asked) bits(text string, calls []string) ([]float64, error) {
	a.texts, a.calls = append(a.texts, text), append(a.calls, calls)
	list := make([]float64, len(calls))
	for i := range list {
		if list[i] = 100; strings.Contains(text, "parser") {
			list[i] = 60
		}
	}
	return list, nil
}

func next(a *asked) *replay.Next {
	return &replay.Next{Bits: a.bits, Seed: 1,
		Draft: func(*facts.Facts, bool) string { return "# Draft\n" + strings.Repeat("parser é", 1000) },
		Brief: func(string) string { return "another thing" }}
}

// A text saves what the model needs less than without a text, each has the same size, and the calls are those
// behind the cut, in a line each.
func TestNext(t *testing.T) {
	a := &asked{}
	n := next(a)
	for _, compacted := range []bool{false, true} {
		if err := n.Add([]byte(session(t, compacted))); err != nil {
			t.Fatal(err)
		}
	}
	s, err := n.Suite()
	if err != nil || len(s.Tables) != 2 {
		t.Fatalf("%d tables, %v", len(s.Tables), err)
	}
	rows := map[string]string{}
	for _, row := range s.Tables[0].Rows {
		var cells []string
		for _, c := range row.Cells[:3] {
			cells = append(cells, c.String())
		}
		rows[row.Name] = strings.Join(cells, " ")
	}
	for name, want := range map[string]string{
		"no text: the bits of the call": "100 100 100", "draft": "40 40 40", "brief of the draft": "0 0 0",
		"another session's draft": "40 40 40", "draft, more than another's": "0 0 0",
	} {
		if rows[name] != want {
			t.Errorf("%s: %q, want %q", name, rows[name], want)
		}
	}
	for _, text := range a.texts {
		if len(text) > replay.Size+40 || !strings.HasSuffix(text, "The agent's next call of a tool:\n") {
			t.Errorf("%d bytes: … %q", len(text), text[max(0, len(text)-60):])
		}
	}
	if calls := a.calls[0]; len(calls) != len(replay.Ahead) || !strings.HasPrefix(calls[0], "Bash echo ") || strings.Contains(strings.Join(calls, ""), "\n") {
		t.Errorf("%q", calls)
	}
}

// The interval is drawn from the seed: the same figures each time.
func TestNextAgain(t *testing.T) {
	var first string
	for range 2 {
		n := next(&asked{})
		_, _ = n.Add([]byte(session(t, false))), n.Add([]byte(session(t, true)))
		s, err := n.Suite()
		if err != nil {
			t.Fatal(err)
		}
		if text := s.Markdown(); first == "" {
			first = text
		} else if text != first {
			t.Errorf("other figures:\n%s\n%s", first, text)
		}
	}
}

// TestNextEvery: the model is asked for every second cut only.
func TestNextEvery(t *testing.T) {
	counts := map[int]int{}
	for _, every := range []int{0, 2} {
		a := &asked{}
		n := next(a)
		n.Every = every
		_, _ = n.Add([]byte(session(t, false))), n.Add([]byte(session(t, true)))
		if _, err := n.Suite(); err != nil {
			t.Fatal(err)
		}
		for _, text := range a.texts {
			if strings.HasPrefix(text, "The agent's next call") { // once a cut
				counts[every]++
			}
		}
	}
	if all := counts[0]; all < 2 || counts[2] != (all+1)/2 {
		t.Errorf("%v", counts)
	}
}

func TestNextNeedsTwo(t *testing.T) {
	n := next(&asked{})
	if err := n.Add([]byte(session(t, false))); err != nil {
		t.Fatal(err)
	}
	if s, err := n.Suite(); err != nil || s.Skipped == "" {
		t.Errorf("one session is no control of itself: %q, %v", s.Skipped, err)
	}
}
