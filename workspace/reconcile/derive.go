package reconcile

import (
	"handoff/internal/json/jsonedit"
	"handoff/log/artifact"
	"handoff/workspace/reconcile/phases"
)

// Derived is what follows from the documents and the plan of a task. Checks
// compare the other files with it.
type Derived struct {
	Links    []Bundled      // the documents that have a bundle, oldest first
	Unlinked []Problem      // why the other documents have none
	Object   *jsonedit.File // the metadata; nil if it is missing or not a JSON object
	Waiting  string         // path of the handoff that waits; "" for none
	Withheld string         // why the metadata does not show what is recorded about the newest handoff; "" if it does
	Doubt    string         // why it is unclear whether a handoff waits; "" if it is clear
	Phases   []PhaseCount   // the counts of partial_progress that the plan defines
}

// Bundled is a document with the id of its bundle.
type Bundled struct {
	Document
	ID artifact.ID
}

// PhaseCount is a count of phases that the plan defines.
type PhaseCount struct {
	Key  string // in partial_progress
	Want int
}

// PhaseKeys are the counts of phases in partial_progress.
var PhaseKeys = [...]string{"phases_completed", "phases_total"}

// Derive reads the files of a task together.
func (s State) Derive() Derived {
	var d Derived
	s = s.settled()
	m := metadata{State: s, plan: new(Plan)}
	for _, doc := range s.Documents {
		l, problem := s.linkOf(doc)
		if problem != nil {
			d.Unlinked = append(d.Unlinked, *problem)
			continue
		}
		m.links = append(m.links, l)
		d.Links = append(d.Links, Bundled{doc, l.id})
	}
	if s.Metadata.Src == nil {
		return d
	}
	if m.file, _ = s.Metadata.Object(); m.file == nil {
		return d
	}
	d.Object = m.file
	m.know()
	w := m.waiting()
	if w.Path != "" {
		d.Withheld = m.unshared(w.Path)
	}
	if d.Doubt = w.doubt; w.waits {
		d.Waiting = w.Path
	}
	completed, total := phases.Of(s.Plan.Src)
	wantCompleted, wantTotal := m.counted()
	for i, c := range [...]struct{ planned, want int }{{completed, wantCompleted}, {total, wantTotal}} {
		if c.planned != phases.Unsaid {
			d.Phases = append(d.Phases, PhaseCount{PhaseKeys[i], c.want})
		}
	}
	return d
}

// Strict is a state to which damaged blobs count as missing, so that a plan
// stores them again.
func (s State) Strict() State {
	s = s.settled()
	return s.stored(missing(func(id artifact.ID) bool {
		data := s.Blob(id)
		return data != nil && artifact.Sum(data) == id
	}), s.Blob)
}

// After is the state once a plan is applied. writable reports whether a blob can
// be stored: none is written through a symlink.
func (s State) After(p Plan, writable func(artifact.ID) bool) State {
	progress := make(map[int]File, len(s.Progress))
	for phase, f := range s.Progress {
		progress[phase] = f.after(p)
	}
	s.Progress, s.Metadata = progress, s.Metadata.after(p)
	stored := map[artifact.ID][]byte{}
	for _, b := range p.Blobs {
		if writable(b.ID) {
			stored[b.ID] = b.Data
		}
	}
	s = s.settled()
	return s.stored(missing(func(id artifact.ID) bool { return stored[id] != nil || s.Has(id) }), func(id artifact.ID) []byte {
		if data := stored[id]; data != nil {
			return data
		}
		return s.Blob(id)
	})
}

// after is the file once a plan is applied.
func (f File) after(p Plan) File {
	for _, w := range p.Writes {
		if w.Path == f.Path {
			f.Src = w.New
		}
	}
	return f
}

// missing is [World.Missing] of a store that is asked for one blob at a time.
func missing(has func(artifact.ID) bool) func([]artifact.ID) []artifact.ID {
	return func(ids []artifact.ID) (list []artifact.ID) {
		for _, id := range ids {
			if !has(id) {
				list = append(list, id)
			}
		}
		return list
	}
}
