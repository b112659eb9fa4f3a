package drain_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/engine"
	"handoff/engine/enginetest"
	"handoff/internal/testing/waittest"
	"handoff/tape"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
	"handoff/workspace/trust"
)

// TestQueuedAndDirect: random histories of requests that wait and requests that cannot, on
// the same logs, while the store comes and goes, and another machine writes. A model
// knows only what was acknowledged, in which order: each request takes effect once, in that
// order, and one that was refused has none. HANDOFF_QUEUES=10000 tries that many.
func TestQueuedAndDirect(t *testing.T) {
	n := 12
	if all := os.Getenv("HANDOFF_QUEUES"); all != "" {
		n = must(strconv.Atoi(all))
	}
	from := uint64(1)
	if seed := os.Getenv("HANDOFF_QUEUES_FROM"); seed != "" {
		from = must(strconv.ParseUint(seed, 10, 64))
	}
	total := map[string]int{}
	for seed := from; seed < from+uint64(n); seed++ {
		h := newHistory(t, seed)
		h.run()
		for what, n := range h.did {
			total[what] += n
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(h.steps, "\n"))
		}
	}
	t.Log(total)
}

// history is one history. The model is what follows the state.
type history struct {
	t     *testing.T
	rand  *rand.Rand
	state *atomic.Int32
	store flaky
	here  *workspace.Workspace
	tapes *tapes.Tapes
	there *tapes.Tapes // of another machine
	all   *threads.Threads
	steps []string
	did   map[string]int

	made          int
	tape          []string            // messages of the tape main since its last reset
	archives      [][]string          // those before each reset
	forks         map[string][]string // own messages of forks that are open
	inherits      map[string][]string // what they have of main
	thread        string
	messages      []string
	cuts          map[string]int // messages of the thread that a branch has
	elsewhereMade int            // messages of the other machine
}

func newHistory(t *testing.T, seed uint64) *history {
	h := &history{t: t, rand: rand.New(rand.NewPCG(seed, 1)), state: &atomic.Int32{}, did: map[string]int{}, forks: map[string][]string{}, inherits: map[string][]string{}, cuts: map[string]int{}}
	h.store = flaky{&enginetest.Memory{}, h.state}
	h.here = h.open()
	h.tapes, h.all = must(h.here.Tapes("", true)), must(h.here.Threads(t.Context(), true))
	h.there = must(h.open().Tapes("", true))
	h.thread = must(h.all.Ensure(t.Context())).ThreadID
	must(must(h.tapes.Tape("main")).Create(t.Context(), false))
	return h
}

func (h *history) open() *workspace.Workspace {
	root := h.t.TempDir()
	put(h.t, root, ".handoff.yaml", "store: nats://127.0.0.1:1/TEST\n")
	ws := must(workspace.Open(root, workspace.Options{Patience: 20 * time.Millisecond,
		Trust: trust.All, OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) { return h.store, nil }}))
	h.t.Cleanup(ws.Close)
	return ws
}

// ctx is that of a request. One to a store that is away is given up soon.
func (h *history) ctx() context.Context {
	if h.state.Load() == answers {
		return h.t.Context()
	}
	return engine.Hurry(h.t.Context(), 20*time.Millisecond)
}

func (h *history) run() {
	steps := []struct {
		weight int
		name   string
		do     func() string
	}{
		{6, "append", func() string { return h.append("main", &h.tape) }},
		{4, "post", h.post},
		{3, "away", func() string { h.state.Store(away); return "" }},
		{1, "mute", func() string { h.state.Store(mute); return h.append("main", &h.tape) }},
		{4, "answers", func() string { h.state.Store(answers); return "" }},
		{2, "silent", h.silent},
		{1, "drain", h.drain},
		{2, "reset", h.reset},
		{2, "fork", h.fork},
		{4, "append to a fork", h.toFork},
		{2, "merge", h.merge},
		{2, "branch", h.branch},
		{2, "elsewhere", h.elsewhere},
	}
	sum := 0
	for _, s := range steps {
		sum += s.weight
	}
	for range 25 {
		n := h.rand.IntN(sum)
		for _, s := range steps {
			if n -= s.weight; n < 0 {
				result := s.do()
				h.did[strings.TrimSpace(s.name+" "+result)]++
				h.steps = append(h.steps, s.name+" "+result)
				break
			}
		}
	}
	h.state.Store(answers)
	refused := func(r outbox.Refused) { h.t.Errorf("refused: %s", r.Text()) }
	waittest.Until(h.t, "an empty outbox", func() bool { // a busy machine may take longer than its patience
		_, err := drain.Run(h.t.Context(), h.here, drain.Request{Insist: true, Refused: refused})
		return err == nil
	})
	h.check()
	for _, all := range []interface{ Close() error }{h.tapes, h.there, h.all} {
		if err := all.Close(); err != nil {
			h.t.Error(err)
		}
	}
}

func (h *history) text() string { h.made++; return fmt.Sprint("m", h.made) }

// refused reports that a request had no effect because the store is away, or earlier
// requests wait.
func (h *history) refused(err error) bool {
	if err != nil && !outbox.Away(err) {
		h.t.Error(err)
	}
	return err != nil
}

func (h *history) append(name string, to *[]string) string {
	text := h.text()
	a, err := must(h.tapes.Tape(name)).Append(h.ctx(), tape.AppendRequest{Entries: []tape.Entry{entry(h.t, text)}})
	if err != nil {
		h.t.Error(err)
	}
	*to = append(*to, text)
	if a.Queued {
		return "queued"
	}
	return ""
}

func (h *history) post() string {
	text := h.text()
	p, err := h.all.Post(h.ctx(), h.thread, thread.MessageRequest{Content: text})
	if err != nil {
		h.t.Error(err)
	}
	h.messages = append(h.messages, text)
	if p.Queued {
		return "queued"
	}
	return ""
}

// silent notes that the store did not answer, as a stall does. For a while only requests
// that need its answer ask it.
func (h *history) silent() string {
	box := must(h.here.Outbox())
	note := fmt.Sprintf(`{"store":"nats://127.0.0.1:1/TEST","at":%q,"tries":9,"waited_ns":1000000000}`, time.Now().Format(time.RFC3339Nano))
	if err := errors.Join(os.MkdirAll(box.Dir(), 0o700), os.WriteFile(filepath.Join(box.Dir(), "silent.json"), []byte(note), 0o600)); err != nil {
		h.t.Error(err)
	}
	return ""
}

func (h *history) drain() string {
	if _, err := drain.Run(h.ctx(), h.here, drain.Request{}); err != nil && !outbox.Away(err) {
		h.t.Error(err)
	}
	return ""
}

// pointless reports that a request would be refused only after the time that an election
// takes: nothing waits for the tape, which would refuse it at once.
func (h *history) pointless(name string) bool {
	return h.state.Load() != answers && h.tapes.Waiting(name) == 0
}

func (h *history) reset() string {
	if h.pointless("main") {
		return "none"
	}
	_, err := must(h.tapes.Tape("main")).Reset(h.ctx(), tapes.ResetRequest{})
	if h.refused(err) {
		return "refused"
	}
	h.archives, h.tape = append(h.archives, h.tape), nil
	return ""
}

func (h *history) fork() string {
	if h.pointless("main") {
		return "none"
	}
	name := fmt.Sprint("fork", h.made)
	h.made++
	if _, err := must(h.tapes.Tape("main")).Fork(h.ctx(), tapes.ForkRequest{To: name}); h.refused(err) {
		return "refused"
	}
	h.forks[name], h.inherits[name] = nil, slices.Clone(h.tape)
	return ""
}

// some is one of the forks, "" if there is none.
func (h *history) some() string {
	var names []string
	for name := range h.forks {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[h.rand.IntN(len(names))]
}

func (h *history) toFork() string {
	name := h.some()
	if name == "" {
		return "none"
	}
	own := h.forks[name]
	result := h.append(name, &own)
	h.forks[name] = own
	return result
}

func (h *history) merge() string {
	name := h.some()
	if name == "" || h.pointless(name) {
		return "none"
	}
	if _, err := must(h.tapes.Tape(name)).Merge(h.ctx(), tapes.MergeRequest{}); h.refused(err) {
		return "refused"
	}
	h.tape = append(h.tape, h.forks[name]...)
	delete(h.forks, name)
	return ""
}

func (h *history) branch() string {
	b, err := h.all.Branch(h.ctx(), h.thread, thread.BranchRequest{})
	if h.refused(err) {
		return "refused"
	}
	h.cuts[b.ThreadID] = len(h.messages)
	if b.ParentSeq != uint64(len(h.messages)) {
		h.t.Errorf("a branch after event %d, but %d messages were acknowledged", b.ParentSeq, len(h.messages))
	}
	return ""
}

// elsewhere appends on the other machine, so that the copy here is behind.
func (h *history) elsewhere() string {
	if h.state.Load() != answers {
		return "none"
	}
	h.elsewhereMade++
	if _, err := must(h.there.Tape("main")).Append(h.t.Context(), tape.AppendRequest{Entries: []tape.Entry{entry(h.t, fmt.Sprint("x", h.elsewhereMade))}}); err != nil {
		h.t.Error(err)
	}
	return ""
}

// check compares what the logs have with the model.
func (h *history) check() {
	if n := must(must(h.here.Outbox()).Size()).Requests; n > 0 {
		h.t.Errorf("%d requests wait still", n)
	}
	var got [][]string
	main := must(h.tapes.Tape("main"))
	for _, path := range must(main.Archives()) {
		got = append(got, h.of(h.tapes.Of(must(h.tapes.Store.OpenArchive(path)))))
	}
	slices.Reverse(got) // newest first
	got = append(got, h.of(main))
	want := append(slices.Clone(h.archives), h.tape)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		h.t.Errorf("the tape and its archives have\n%v, want\n%v", got, want)
	}
	for name, own := range h.forks {
		if got, want := h.of(must(h.tapes.Tape(name))), append(slices.Clone(h.inherits[name]), own...); !slices.Equal(got, want) {
			h.t.Errorf("%s has %v, want %v", name, got, want)
		}
	}
	if got := said(h.t, h.here, h.thread); !slices.Equal(got, h.messages) {
		h.t.Errorf("the thread has %v, want %v", got, h.messages)
	}
}

// of are the messages of a tape that this machine wrote.
func (h *history) of(one *tapes.Tape) (all []string) {
	for e, err := range one.Query(h.t.Context(), tape.Query{Kinds: []string{"message"}}) {
		if err != nil {
			h.t.Fatal(err)
		}
		_, text, _ := strings.Cut(string(e.Payload), `"content": "`)
		if text, _, _ = strings.Cut(text, `"`); strings.HasPrefix(text, "m") {
			all = append(all, text)
		}
	}
	return all
}
