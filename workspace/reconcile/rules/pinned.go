package rules

import (
	"fmt"
	"path"

	"handoff/document/pinned"
	"handoff/internal/text/prose"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// chain is what became of the pinned items of a task's documents.
type chain struct {
	pinned.Follower
	steps []pinnedStep
}

// pinnedStep is a document, and what became of the items of the one before.
type pinnedStep struct {
	reconcile.Document
	changes []pinned.Change
}

// pins follows the pinned items, once for all rules.
func (t *Task) pins() *chain {
	if t.items != nil {
		return t.items
	}
	t.items = &chain{}
	if t.World.Blob != nil {
		t.items.Blobs = func(text string) []byte {
			id, err := artifact.ParseID(text)
			if err != nil {
				return nil
			}
			return t.Blob(id)
		}
	}
	for _, d := range t.Documents {
		changes, _ := t.items.Next(d.Doc)
		t.items.steps = append(t.items.steps, pinnedStep{d, changes})
	}
	return t.items
}

// vanishedItem flags the newest document of a task if it lacks pinned items of the one
// before. Older ones do not matter, because a successor reads the newest.
func vanishedItem(p *Pass) {
	steps := p.pins().steps
	if len(steps) < 2 {
		return
	}
	last, before := steps[len(steps)-1], steps[len(steps)-2]
	var lost []pinned.Item
	for _, c := range last.changes {
		if c.Fate == pinned.Lost {
			lost = append(lost, c.Item)
		}
	}
	if len(lost) == 0 {
		return
	}
	more := ""
	if n := len(lost) - 1; n > 0 {
		more = fmt.Sprintf(" (and %s)", prose.Count(n, "more item"))
	}
	p.file(last.Path, "lacks what %s says in line %d, and nothing says why: %s%s", path.Base(before.Path), lost[0].Line, shown(lost[0].Text), more)
}
