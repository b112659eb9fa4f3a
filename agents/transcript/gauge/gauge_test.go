package gauge_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
	"handoff/internal/text/say"
)

// curve is a session whose context grows by one number of tokens with each
// call.
type curve struct {
	session transcript.Session
	calls   int
}

func (c *curve) call(tokens int) {
	c.calls++
	c.session.Add(transcript.Record{Call: fmt.Sprint(c.calls), Input: tokens})
}

func TestMarks(t *testing.T) {
	for _, c := range []struct {
		name         string
		limit        int
		growth, last int // tokens of a call, and in the context at last
		mark         int
		left, calls  int
	}{
		{"an empty context", 167_000, 2_000, 20_000, 0, 147_000, 73},
		{"a quarter is left", 160_000, 2_000, 120_000, 1, 40_000, 20},
		{"an eighth", 160_000, 2_000, 142_000, 2, 18_000, 9},
		{"the last calls", 160_000, 2_000, 152_000, 3, 8_000, 4},
		{"more than it holds", 160_000, 2_000, 170_000, 3, 0, 0},
		{"large calls come sooner", 160_000, 10_000, 110_000, 2, 50_000, 5},
		{"huge calls in an empty context", 160_000, 40_000, 40_000, 0, 120_000, -1},
	} {
		var s curve
		for at := c.last - 4*c.growth; at < c.last; at += c.growth {
			if at > 0 {
				s.call(at)
			}
		}
		s.call(c.last)
		r := gauge.Read(s.session.Use(), gauge.Limit{Tokens: c.limit, Window: 200_000}, 0, 0)
		if r.Mark != c.mark || r.Left != c.left || r.CallsLeft != c.calls {
			t.Errorf("%s: mark %d, %d left, %d calls; want %d, %d, %d", c.name, r.Mark, r.Left, r.CallsLeft, c.mark, c.left, c.calls)
		}
	}
}

func TestUnknownLimit(t *testing.T) {
	var s curve
	s.call(900_000)
	r := gauge.Read(s.session.Use(), gauge.Limit{}, 0, 0)
	if r.Mark != 0 || r.CallsLeft != -1 || r.Used != 900_000 || r.Short() != "" {
		t.Errorf("%+v, %q", r, r.Short())
	}
}

func TestStep(t *testing.T) {
	read := []gauge.Repeat{{File: "a.go", Times: 3}}
	type step struct {
		name    string
		reading gauge.Reading
		want    gauge.Kind // "" for no note
	}
	var s gauge.State
	for _, c := range []step{
		{"begins in an old session", gauge.Reading{Used: 10, Limit: 100, Compactions: 5, Done: 2}, ""},
		{"reaches a mark", gauge.Reading{Used: 76, Limit: 100, Mark: 1, Compactions: 5, Done: 2}, gauge.Mark},
		{"again", gauge.Reading{Used: 76, Limit: 100, Mark: 1, Compactions: 5, Done: 2}, ""},
		{"the pace falls", gauge.Reading{Used: 77, Limit: 100, Mark: 0, Compactions: 5, Done: 2}, ""},
		{"and rises", gauge.Reading{Used: 78, Limit: 100, Mark: 1, Compactions: 5, Done: 2}, ""},
		{"reads again and again", gauge.Reading{Used: 79, Limit: 100, Mark: 1, Compactions: 5, Done: 2, Repeated: read}, gauge.Repeated},
		{"still", gauge.Reading{Used: 80, Limit: 100, Mark: 1, Compactions: 5, Done: 2, Repeated: read}, ""},
		{"an objective is done", gauge.Reading{Used: 81, Limit: 100, Mark: 1, Compactions: 5, Done: 3}, gauge.Done},
		{"results of tools are dropped", gauge.Reading{Used: 66, Limit: 100, Mark: 0, Compactions: 5, Done: 3}, ""},
		{"reaches the mark again", gauge.Reading{Used: 76, Limit: 100, Mark: 1, Compactions: 5, Done: 3}, gauge.Mark},
		{"skips a mark", gauge.Reading{Used: 95, Limit: 100, Mark: 3, Compactions: 5, Done: 3}, gauge.Mark},
		{"is compacted", gauge.Reading{Limit: 100, Compactions: 6, Done: 3}, gauge.Compacted},
		{"fills", gauge.Reading{Used: 76, Limit: 100, Mark: 1, Compactions: 6, Done: 3, Saved: true}, ""},
		{"was saved", gauge.Reading{Used: 95, Limit: 100, Mark: 3, Compactions: 6, Done: 4, Saved: true, Repeated: read}, ""},
	} {
		next, kind, note := s.Step(c.reading)
		if note != (c.want != "") || note && kind != c.want {
			t.Errorf("%s: note %v %q, want %q", c.name, note, kind, c.want)
		}
		s = next
	}
}

func TestFewCompactions(t *testing.T) {
	var s gauge.State
	noted := []int{}
	for n := range 7 {
		next, kind, note := s.Step(gauge.Reading{Used: 10, Limit: 100, Compactions: n})
		if note && kind == gauge.Compacted {
			noted = append(noted, n)
		}
		s = next
	}
	if fmt.Sprint(noted) != "[4 5 6]" {
		t.Errorf("noted after compactions %v, want from the 4th on", noted)
	}
}

// In 10,000 sessions with random growth, repeated reading of the same records,
// results that are dropped, compactions early and late: no mark is noted twice
// in a context unless the context shrank in between, marks only rise, and the
// state survives a new process for each reading.
func TestNeverTwice(t *testing.T) {
	sessions := uint64(10_000)
	if testing.Short() {
		sessions = 1_000
	}
	for seed := range sessions {
		rng := rand.New(rand.NewPCG(seed, 1))
		limit := []int{67_000, 167_000, 160_000, 524_288, 967_000}[rng.IntN(5)]
		scale := 1 + rng.IntN(limit/20)
		var s curve
		var state gauge.State
		level, noted, notedAt := limit/20, 0, 0
		for range 20 + rng.IntN(60) {
			switch p := rng.IntN(100); {
			case level > limit*(80+rng.IntN(25))/100: // the host compacts
				s.session.Add(transcript.Record{Compacted: true, Before: level})
				level, noted, notedAt = limit/10, 0, 0
			case p < 3: // drops results of tools
				level = level * 3 / 4
			case p < 60:
				level += rng.IntN(scale)
			default: // the pace jumps
				level += rng.IntN(scale) / (1 + rng.IntN(9))
			}
			s.call(level)
			for range 1 + rng.IntN(3) { // the gauge is read again with nothing new
				r := gauge.Read(s.session.Use(), gauge.Limit{Tokens: limit}, 0, 0)
				next, kind, note := reload(t, state).Step(r)
				if notedAt-r.Used >= limit/10 { // it shrank: a mark may be reached again
					noted = 0
				}
				if note && kind == gauge.Mark {
					if next.Mark <= noted {
						t.Fatalf("seed %d: mark %d was noted after %d in one context, %d used of %d", seed, next.Mark, noted, r.Used, limit)
					}
					noted, notedAt = next.Mark, r.Used
				}
				state = next
			}
		}
	}
}

// reload stores a state and reads it back, like a program that starts a new
// process for each reading.
func reload(t *testing.T, s gauge.State) (back gauge.State) {
	t.Helper()
	src, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(src, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// Hosts that compact at 50 %, at 80 % and at 967,000 tokens: sessions that grow
// evenly, in bursts and ever faster get the first note with at least one call to
// spare.
func TestBeforeTheCompaction(t *testing.T) {
	hosts := map[string]int{"50 % of 1,048,576": 524_288, "80 % of 200,000": 160_000, "967,000": 967_000}
	for host, limit := range hosts {
		curves := map[string]func(i int, rng *rand.Rand) int{
			"evenly, small": func(int, *rand.Rand) int { return limit / 400 },
			"evenly, large": func(int, *rand.Rand) int { return limit / 12 },
			"in bursts":     func(i int, rng *rand.Rand) int { return limit/300 + i%7/6*rng.IntN(limit/8) },
			"ever faster":   func(i int, _ *rand.Rand) int { return limit / 200 * (1 + i/6) },
			"at random":     func(_ int, rng *rand.Rand) int { return rng.IntN(limit / 10) },
		}
		for name, grow := range curves {
			for seed := range uint64(200) {
				rng := rand.New(rand.NewPCG(seed, 2))
				var s curve
				var state gauge.State
				first, last := 0, 0 // calls at which the first note came, and the last before the compaction
				for level := limit / 20; level < limit; level += grow(s.calls, rng) {
					s.call(level)
					next, _, note := state.Step(gauge.Read(s.session.Use(), gauge.Limit{Tokens: limit}, 0, 0))
					if note && first == 0 {
						first = s.calls
					}
					state, last = next, s.calls
				}
				if first == 0 || first >= last {
					t.Fatalf("%s, %s, seed %d: first note at call %d of %d", host, name, seed, first, last)
				}
			}
		}
	}
}

func TestWords(t *testing.T) {
	r := gauge.Reading{Used: 135_642, Limit: 167_000, Left: 31_358, Pace: 5_000, CallsLeft: 6, Mark: 1, Compactions: 5, Done: 2, Objectives: 5,
		Repeated: []gauge.Repeat{{File: "a.go", Times: 4}}}
	const rest = " Saving a handoff takes one call: `handoff new`. Work can continue after it."
	for kind, want := range map[gauge.Kind]string{
		gauge.Mark:      "About 31,000 tokens (6 calls at this pace) until this session is compacted." + rest,
		gauge.Compacted: "This session has been compacted 5 times, and each summary keeps less." + rest,
		gauge.Repeated:  "a.go was read 4 times without a change, which is a sign of a full context." + rest,
		gauge.Done:      "2 of 5 objectives are done, which is a good moment for a handoff." + rest,
	} {
		if got := r.Text(kind); got != want {
			t.Errorf("%s: %s\nwant %s", kind, got, want)
		}
	}
	r.Left, r.CallsLeft = 0, 0
	if got, want := r.Text(gauge.Mark), "This session may be compacted with the next call."+rest; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.Left, r.CallsLeft = 31_358, 6
	for want, r := range map[string]gauge.Reading{
		"31k to compaction, 6 calls, compacted 5x, handoff new": r,
		"140k to compaction":                               {Used: 1, Limit: 2, Left: 147_000, CallsLeft: -1},
		"910 to compaction, 1 call, handoff saved":         {Used: 1, Limit: 2, Left: 912, CallsLeft: 1, Mark: 3, Saved: true},
		"0 to compaction, less than one call, handoff new": {Used: 1, Limit: 2, Mark: 3},
	} {
		if got := r.Short(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1_234_567: "1,234,567"} {
		if got := say.Number(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// TestRoom: within its room no transcript reaches a higher mark, however its calls grow.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := gauge.Limit{Tokens: rapid.IntRange(0, 400_000).Draw(t, "limit")}
		growth := rapid.SliceOfN(rapid.IntRange(0, 30_000), 0, 8).Draw(t, "growth")
		s := transcript.Session{Used: rapid.IntRange(0, 300_000).Draw(t, "used"), Calls: 3, Growth: growth}
		before := gauge.Read(s.Use(), l, 0, 0)
		left := before.Room()
		if s.Used == 0 && left > 0 {
			t.Fatalf("room %d before it is known what the context has", left)
		}
		for left > 0 {
			n := rapid.IntRange(1, left).Draw(t, "call")
			left -= n
			s.Used, s.Growth = s.Used+n, append(s.Growth, n)
			if after := gauge.Read(s.Use(), l, 0, 0); after.Mark > before.Mark {
				t.Fatalf("from %+v to %+v", before, after)
			}
		}
	})
}
