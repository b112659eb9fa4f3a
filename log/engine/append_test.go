package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"time"

	"handoff/log/engine"
	. "handoff/log/engine/enginetest"
)

func batch(log string, expected uint64, records ...string) engine.Batch {
	b := engine.Batch{Log: log, Expected: expected}
	for _, record := range records {
		b.Records = append(b.Records, []byte(record))
	}
	return b
}

// TestAppend appends a1 and a2 to a log that has a0, through a store that answers like
// a network that fails.
func TestAppend(t *testing.T) {
	ours := []string{"a0", "a1", "a2"}
	for _, c := range []struct {
		name    string
		answers []Answer
		other   []engine.Batch // appended by another writer before the second attempt
		late    bool           // the first attempt arrives after those
		budget  time.Duration
		want    error
		has     []string
	}{
		{name: "answered", has: ours},
		{name: "lost", answers: []Answer{Lost}, has: ours},
		{name: "lost three times", answers: []Answer{Lost, Lost, Lost}, has: ours},
		{name: "written without an answer", answers: []Answer{Unheard}, has: ours},
		{name: "late, so the second attempt meets it", answers: []Answer{Late}, has: ours},
		{name: "late twice", answers: []Answer{Late, Late}, has: ours},
		{name: "away, then lost, then written without an answer", answers: []Answer{Away, Lost, Unheard}, has: ours},
		{name: "late, then away", answers: []Answer{Late, Away}, has: ours},
		{name: "lost, and another writer was faster", answers: []Answer{Lost}, other: []engine.Batch{batch("a.jsonl", 1, "other")}, want: engine.ErrConflict, has: []string{"a0", "other"}},
		{name: "lost, and another writer appended more", answers: []Answer{Lost}, other: []engine.Batch{batch("a.jsonl", 1, "o1", "o2", "o3")}, want: engine.ErrConflict, has: []string{"a0", "o1", "o2", "o3"}},
		{name: "written without an answer, and another writer came after", answers: []Answer{Unheard}, other: []engine.Batch{batch("a.jsonl", 3, "other")}, has: append(slices.Clone(ours), "other")},
		{name: "late, but another writer was faster", late: true, other: []engine.Batch{batch("a.jsonl", 1, "other")}, want: engine.ErrConflict, has: []string{"a0", "other"}},
		{name: "away for longer than the budget", answers: slices.Repeat([]Answer{Away}, 50), budget: time.Millisecond, want: engine.ErrUnavailable, has: []string{"a0"}},
		{name: "the budget is used up before the first attempt", budget: -1, want: engine.ErrUnavailable, has: []string{"a0"}},
		{name: "lost for longer than the budget", answers: slices.Repeat([]Answer{Lost}, 50), budget: 100 * time.Millisecond, want: engine.ErrUnknown, has: []string{"a0"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &Memory{}
			if err := m.Append(t.Context(), batch("a.jsonl", 0, "a0")); err != nil {
				t.Fatal(err)
			}
			m.Answers = c.answers
			if c.budget == 0 {
				c.budget = time.Hour
			}
			err := engine.Append(t.Context(), &overtaken{Memory: m, t: t, by: c.other, late: c.late}, c.budget, batch("a.jsonl", 1, "a1", "a2"))
			if !errors.Is(err, c.want) || c.want == nil && err != nil {
				t.Errorf("error %v, want %v", err, c.want)
			}
			if errors.Is(c.want, engine.ErrConflict) && errors.Is(err, engine.ErrUnknown) {
				t.Errorf("%v is a conflict and unknown at once", err)
			}
			if got := records(t, m, "a.jsonl"); !slices.Equal(got, c.has) {
				t.Errorf("the log has %q, want %q", got, c.has)
			}
		})
	}
}

// overtaken has another writer append right after the first attempt, or before it
// arrives.
type overtaken struct {
	*Memory
	t    *testing.T
	by   []engine.Batch
	late bool
}

func (o *overtaken) Append(ctx context.Context, batches ...engine.Batch) (err error) {
	by := o.by
	o.by = nil
	if by == nil || !o.late {
		err = o.Memory.Append(ctx, batches...)
	}
	if by == nil {
		return err
	}
	answers := o.Answers
	o.Answers = nil
	if err := o.Memory.Append(ctx, by...); err != nil {
		o.t.Fatal(err)
	}
	o.Answers = answers
	if o.late {
		o.Memory.Append(ctx, batches...) // its answer comes too late
		return engine.ErrUnknown
	}
	return err
}

// TestAppendPairs appends to two logs at once.
func TestAppendPairs(t *testing.T) {
	for _, c := range []struct {
		name     string
		answers  []Answer
		other    engine.Batch
		conflict string // its log
	}{
		{name: "written without an answer", answers: []Answer{Unheard}},
		{name: "late", answers: []Answer{Late}},
		{name: "lost, and the first log has new records", answers: []Answer{Lost}, other: batch("a.jsonl", 0, "other"), conflict: "a.jsonl"},
		{name: "lost, and the second log has new records", answers: []Answer{Lost}, other: batch("b.jsonl", 0, "other"), conflict: "b.jsonl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &Memory{Answers: c.answers}
			o := &overtaken{Memory: m, t: t}
			if c.conflict != "" {
				o.by = []engine.Batch{c.other}
			}
			err := engine.Append(t.Context(), o, time.Hour, batch("a.jsonl", 0, "a0"), batch("b.jsonl", 0, "b0"))
			a, b := records(t, m, "a.jsonl"), records(t, m, "b.jsonl")
			var conflict *engine.ConflictError
			switch {
			case c.conflict == "":
				if err != nil || !slices.Equal(a, []string{"a0"}) || !slices.Equal(b, []string{"b0"}) {
					t.Errorf("%v, the logs have %q and %q", err, a, b)
				}
			case !errors.As(err, &conflict) || conflict.Log != c.conflict || conflict.Len != 1 || errors.Is(err, engine.ErrUnknown):
				t.Errorf("%v, want a conflict of %s", err, c.conflict)
			case slices.Contains(a, "a0") || slices.Contains(b, "b0"):
				t.Errorf("after a conflict the logs have %q and %q", a, b)
			}
		})
	}
}

// scripted answers appends with errors, and reads with its records or an error.
type scripted struct {
	*Memory
	answers []error
	unread  error
	calls   int
}

func (s *scripted) Append(context.Context, ...engine.Batch) error {
	err := s.answers[min(s.calls, len(s.answers)-1)]
	s.calls++
	return err
}

func (s *scripted) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	if s.unread != nil {
		return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, s.unread) }
	}
	return s.Memory.Read(ctx, log, from)
}

// TestAppendStaysUnknown: after an attempt that may have written the records, no later
// error may report that nothing was written.
func TestAppendStaysUnknown(t *testing.T) {
	unknown, away := fmt.Errorf("%w: timeout", engine.ErrUnknown), fmt.Errorf("%w: gone", engine.ErrUnavailable)
	for name, c := range map[string]struct {
		answers []error
		unread  error
	}{
		"then too large":     {answers: []error{unknown, engine.ErrTooLarge}},
		"then the context":   {answers: []error{unknown, context.DeadlineExceeded}},
		"then away":          {answers: []error{unknown, away}},
		"and unreadable":     {answers: []error{unknown}, unread: away},
		"a conflict, unread": {answers: []error{unknown, &engine.ConflictError{Log: "a.jsonl", Len: 1}}, unread: away},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &scripted{Memory: &Memory{}, answers: c.answers, unread: c.unread}
			err := engine.Append(t.Context(), s, time.Second, batch("a.jsonl", 0, "a0"))
			if !errors.Is(err, engine.ErrUnknown) {
				t.Errorf("error %v, want ErrUnknown", err)
			}
			if last := c.answers[len(c.answers)-1]; !errors.Is(err, last) {
				t.Errorf("error %v does not say %v", err, last)
			}
		})
	}
}

// TestAppendIsNotRepeated: an outcome that is certain is returned at once.
func TestAppendIsNotRepeated(t *testing.T) {
	for _, certain := range []error{nil, &engine.ConflictError{Log: "a.jsonl", Expected: 0, Len: 3}, engine.ErrTooLarge, engine.ErrUnsupported, engine.ErrInvalid, errors.New("disk full")} {
		s := &scripted{Memory: &Memory{}, answers: []error{certain}}
		if err := engine.Append(t.Context(), s, time.Hour, batch("a.jsonl", 0, "a0")); err != certain || s.calls != 1 {
			t.Errorf("%v: error %v after %d calls", certain, err, s.calls)
		}
	}
}

// TestAppendEndsWithItsContext: a caller that gives up does not wait for the budget.
func TestAppendEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &scripted{Memory: &Memory{}, answers: []error{engine.ErrUnavailable}}
	cancel()
	if err := engine.Append(ctx, s, time.Hour, batch("a.jsonl", 0, "a0")); !errors.Is(err, engine.ErrUnavailable) || s.calls != 1 {
		t.Errorf("error %v after %d calls", err, s.calls)
	}
}

func records(t *testing.T, logs engine.Logs, log string) (all []string) {
	t.Helper()
	for record, err := range logs.Read(t.Context(), log, 0) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(record.Data))
	}
	return all
}
