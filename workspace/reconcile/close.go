package reconcile

import (
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
	"handoff/workspace/reconcile/phases"
)

// A person may say what no document shows: that a task is over, or that it is not.

const (
	statusClosed  = "closed"   // by a person; the plan does not say that all phases are completed
	stageClosed   = "closed"   // no handoff waits, because the task is closed
	stageReopened = "reopened" // the task is open again, and nothing waits yet
	closedAt      = "closed_at"
	closedWhy     = "closed_why"
)

// Close plans the metadata of a task that a person closes. The status is that of a finished task
// if the plan says that all phases are completed. An agent's request for a person is answered.
func (s State) Close(at time.Time, why string) Plan {
	return s.edited(func(m *metadata) {
		if m.presents() {
			m.remove("partial_progress", "handoff_path")
		}
		if m.text("partial_progress", "stage") == handoff.StageHandoff {
			m.set(stageClosed, "", "partial_progress", "stage")
		}
		status := statusClosed
		if phases.AllCompleted(m.Plan.Src) {
			status = statusDone
		}
		m.set(status, "status "+status, "status")
		m.set(at.UTC().Format(time.RFC3339), "", closedAt)
		if why != "" {
			m.set(why, "", closedWhy)
		}
		if v, ok := m.file.Get("requires_user_review"); ok {
			if asked, _ := v.Bool(); asked {
				m.set(false, "requires_user_review false", "requires_user_review")
			}
		}
	})
}

// Reopen plans the metadata of a finished task on which the work continues. The newest handoff
// waits again, unless it is done.
func (s State) Reopen() Plan {
	return s.edited(func(m *metadata) {
		m.set("partial", "status partial", "status")
		m.remove(closedAt)
		m.remove(closedWhy)
		switch m.text("partial_progress", "stage") {
		case handoff.StageDone, stageClosed: // else the plan would end the task again
			m.set(stageReopened, "", "partial_progress", "stage")
		}
		best, _ := m.order().choose(m.pointer())
		if best < 0 {
			return
		}
		r, err := m.recordOf(m.links[best].Path)
		if err == nil && !r.Taken && m.links[best].refused() == nil {
			m.set(handoff.StageHandoff, "", "partial_progress", "stage")
			m.set(m.links[best].Path, "handoff_path set", "partial_progress", "handoff_path")
		}
	})
}

// resume continues a task that a command ended, if its next handoff is news. Another final
// status is an agent's, and stays.
func (m *metadata) resume() {
	_, closed := m.file.Get(closedAt)
	status, stage := m.text("status"), m.text("partial_progress", "stage")
	if !(closed && (status == statusClosed || status == statusDone)) && !(status == statusDone && stage == handoff.StageDone) {
		return
	}
	for _, l := range m.links {
		if !l.fresh || !m.State.open(l) {
			continue
		}
		if r, err := m.recordOf(l.Path); err == nil && !r.Taken {
			m.set("partial", "status partial", "status")
			m.remove(closedAt)
			m.remove(closedWhy)
			return
		}
	}
}

// edited plans edits of the metadata, which is created if it is missing.
func (s State) edited(edit func(m *metadata)) Plan {
	p := Plan{Dir: s.Dir}
	m := s.about(func(Document) bool { return true })
	m.know()
	m.plan, m.links = &p, slices.DeleteFunc(m.links, func(l link) bool { return unlinkable(l.Doc) != nil })
	src := s.Metadata.Src
	switch {
	case s.Metadata.Unreadable:
		p.Problems = s.Problems
		return p
	case src == nil:
		src = []byte("{\n  \"status\": \"partial\"\n}\n")
	}
	var ok bool
	if m.file, ok = editable(File{Path: s.Metadata.Path, Src: src}, &p); !ok {
		return p
	}
	if !m.textOrNone("left alone", "status") {
		return p
	}
	if v, _ := m.file.Get("partial_progress"); v.Kind() == jsonedit.KindString {
		m.object() // its details
	}
	edit(&m)
	if s.Metadata.Src == nil || m.file.Changed() {
		p.Writes = []Write{{s.Metadata.Path, s.Metadata.Src, m.file.Bytes()}}
	}
	return p
}
