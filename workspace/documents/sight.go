package documents

import (
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/reconcile"
)

// sight is what the files of a task show, as long as receipts answer the same. An index keeps it.
type sight struct {
	dir    string
	found  Waiting // without its history
	asked  []answer
	status reconcile.Status
	paths  []string // of its documents, the newest first
	last   Row
	lastAt handoff.Moment
	ahead  bool // a document is dated in the future

	finished bool // as [reconcile.Loader.Finished] reports
	only     bool // nothing but that is known
	led      bool // what waits does not depend on the texts of the other documents: see [reconcile.State.Led]
	metadata bool // there is some
	git      bool // what HEAD has was asked
	head     string
	alone    bool // about this task alone
}

// plain reports whether the state of the task depends on the history of what waits alone, which had none.
func (s sight) plain() bool {
	return s.found.Waits && s.found.Doubt == "" && s.found.Refused == nil && s.found.Row.Path != "" && s.status.Problem == "" && !s.status.Review && !s.ahead && !s.git &&
		!slices.ContainsFunc(s.asked, func(a answer) bool { return a.Receipt != reconcile.Receipt{} })
}

// answer is what receipts say of a document.
type answer struct {
	path string
	reconcile.Receipt
}

// sightOf looks at a task, with the histories of the documents that were asked for. lasts is false if an index
// must not keep the sight.
func sightOf(state reconcile.State, lives *histories, keeps bool) (s sight, lasts bool) {
	var order []string
	state.World.Receipt = func(path string) (reconcile.Receipt, error) {
		order = append(order, path)
		return lives.receipt(path)
	}
	wait := state.Wait()
	s.found, s.dir = waitingIn(state.Dir, wait), state.Dir
	s.metadata = state.Metadata.Src != nil
	s.status = reconcile.StatusOf(state.Metadata)
	for _, d := range slices.Backward(state.Documents) {
		s.paths = append(s.paths, d.Path)
	}
	if len(state.Documents) > 0 {
		last := state.Documents[len(state.Documents)-1]
		s.last = MakeRow(Entry{Path: last.Path, Name: last.Name}, last.Doc, nil)
		s.lastAt = handoff.WrittenBy(last.Name, last.Doc).At
	}
	s.ahead = state.Ahead()
	asked := reconcile.Asked{}
	if keeps {
		asked, lasts = state.Lasting()
		s.finished, s.git = lasts && state.Finished(), asked.Git
		s.led = lasts && state.Led(wait)
	}
	for _, path := range order {
		s.asked = append(s.asked, answer{path, asked.Receipts[path]})
	}
	return s, lasts
}

// histories reads the history of each document of a task once.
type histories struct {
	lives
	now   time.Time
	known []history
}

type history struct {
	path string
	life receipt.Life
}

func (h *histories) life(path string) (receipt.Life, error) {
	if i := slices.IndexFunc(h.known, func(one history) bool { return one.path == path }); i >= 0 {
		return h.known[i].life, nil
	}
	l, err := h.lives.life(path)
	if err == nil {
		h.known = append(h.known, history{path, l})
	}
	return l, err
}

func (h *histories) receipt(path string) (reconcile.Receipt, error) {
	l, err := h.life(path)
	return receiptOf(&l, h.now), err
}

// task is a sight with what became of its documents.
func (s sight) task(lives *histories) (t Task) {
	t.Waiting, t.Chain = s.found, s.dir
	t.Status, t.Paths, t.Documents = s.status, s.paths, len(s.paths)
	for _, a := range s.asked {
		t.Life, _ = lives.life(a.path) // the last one, if it is unclear which one waits
	}
	if slices.ContainsFunc(s.asked, func(a answer) bool { return a.path == t.Row.Path }) {
		t.Life, _ = lives.life(t.Row.Path)
	}
	if s.last.Path != "" {
		t.takeLast(s, lives)
	}
	switch {
	case s.ahead:
		t.Until = lives.now
	case t.Life.State(lives.now) == receipt.Claimed:
		t.Until = t.Life.Claim.Until
	}
	return t
}
