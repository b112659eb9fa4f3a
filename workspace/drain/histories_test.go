package drain_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/tape"
	"handoff/log/thread"
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
	n := must(strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_QUEUES"), "12")))
	from := must(strconv.ParseUint(cmp.Or(os.Getenv("HANDOFF_QUEUES_FROM"), "1"), 10, 64))
	kinds := []string{"memory", "files", "nats"}
	if one := os.Getenv("HANDOFF_QUEUES_STORE"); one != "" {
		kinds = []string{one}
	}
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			total := totals{did: map[string]int{}}
			for seed := from; seed < from+uint64(n); seed += aServer {
				t.Run(fmt.Sprint("from ", seed), func(t *testing.T) {
					total.histories(t, kind, seed, min(seed+aServer, from+uint64(n)))
				})
			}
			t.Log(total.did)
		})
	}
}

// history is one history. The model is what follows the state.
type history struct {
	t     *testing.T
	rand  *rand.Rand
	line  line
	root  string
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

func (h *history) begin(kind, server string, seed uint64) {
	h.rand, h.did = rand.New(rand.NewPCG(seed, 1)), map[string]int{}
	h.forks, h.inherits, h.cuts = map[string][]string{}, map[string][]string{}, map[string]int{}
	line, there := linesOf(h.t, kind, server, seed)
	h.line, h.root = line, h.t.TempDir()
	h.openHere()
	h.there = must(tapes.In(h.open(h.t.TempDir(), there), "", true))
	h.thread = must(h.all.Ensure(h.t.Context())).ThreadID
	must(must(h.tapes.Tape("main")).Create(h.t.Context(), tapes.CreateRequest{}))
}

func (h *history) openHere() {
	h.here = h.open(h.root, h.line)
	h.tapes, h.all = must(tapes.In(h.here, "", true)), must(threads.In(h.t.Context(), h.here, true))
}

func (h *history) open(root string, l line) *workspace.Workspace {
	put(h.t, root, ".handoff.yaml", "store: "+l.address()+"\n")
	ws := must(workspace.Open(root, workspace.Options{Patience: l.patience(),
		Trust: trust.All, OpenStore: func(ctx context.Context, _ string, _ engine.Address) (engine.Engine, error) { return l.open(ctx) }}))
	h.t.Cleanup(ws.Close)
	return ws
}

// reopen is the end of a process, and the begin of another one.
func (h *history) reopen() string {
	if err := errors.Join(h.tapes.Close(), h.all.Close()); err != nil {
		h.t.Error(err)
	}
	h.here.Close()
	h.openHere()
	return ""
}

// ctx is that of a request. One to a store that is away is given up soon.
func (h *history) ctx() context.Context {
	if h.line.state() == answers {
		return h.t.Context()
	}
	return engine.Hurry(h.t.Context(), h.line.patience())
}

func (h *history) run() {
	steps := []struct {
		weight int
		name   string
		do     func() string
	}{
		{6, "append", func() string { return h.append("main", &h.tape) }},
		{4, "post", h.post},
		{2, "away", func() string { return h.to(away) }},
		{1, "late", func() string { return h.to(late) }},
		{1, "mute", h.mute},
		{4, "answers", func() string { return h.to(answers) }},
		{1, "reopen", h.reopen},
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
	h.to(answers)
	refused := func(r outbox.Refused) { h.t.Errorf("refused: %s", r.Text()) }
	waittest.Until(h.t, "an empty outbox", func() bool { // a busy machine may take longer than its patience
		_, err := drain.Run(h.t.Context(), h.here, drain.Request{Insist: true, Refused: refused})
		return err == nil && must(must(h.here.Outbox()).Size()).Requests == 0 // one that was given up may be draining still: no error
	})
	h.check()
	for _, all := range []interface{ Close() error }{h.tapes, h.there, h.all} {
		if err := all.Close(); err != nil {
			h.t.Error(err)
		}
	}
}

// to changes what becomes of requests: what is sent while the store is away is lost, and what
// is sent while it is late arrives as soon as it answers again, after its sender gave up.
func (h *history) to(state int32) string {
	h.line.set(state)
	return ""
}

// mute appends while requests reach the store, and its answers are late.
func (h *history) mute() string {
	h.to(mute)
	defer h.to(late)
	return h.append("main", &h.tape)
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
	note := fmt.Sprintf(`{"store":%q,"at":%q,"tries":9,"waited_ns":1000000000}`, h.line.address(), time.Now().Format(time.RFC3339Nano))
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
	return h.line.state() != answers && h.tapes.Waiting(name) == 0
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
	if h.line.state() != answers {
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
