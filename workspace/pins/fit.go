package pins

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
)

// packer decides which items a new handoff shows, and which are moved to artifacts.
type packer struct {
	w     *workspace.Workspace
	own   templates.Values // what the author gave
	slug  string
	least int // lint errors of that
	lists map[handoff.Kind]*carriedList
}

// carriedList are the items of a section, the newest first, which is the order in which
// they are written.
type carriedList struct {
	items  []pinned.Item
	hidden []bool // which ones are moved
}

// split are the items that are shown, and those that are moved.
func (l *carriedList) split() (shown, moved []pinned.Item) {
	if l == nil {
		return nil, nil
	}
	for i, it := range l.items {
		if l.hidden[i] {
			moved = append(moved, it)
			continue
		}
		shown = append(shown, it)
	}
	return shown, moved
}

// take shows the newest items of a section, as many as it may have.
func (p *packer) take(kind handoff.Kind, items []pinned.Item) {
	if p.lists == nil {
		p.lists = map[handoff.Kind]*carriedList{}
	}
	l := &carriedList{items, make([]bool, len(items))}
	for i := max(0, handoff.SpecOf(kind).MaxItems-len(given(p.own, kind))); i < len(items); i++ {
		l.hidden[i] = true
	}
	p.lists[kind] = l
}

// given returns the author's own items of a section.
func given(v templates.Values, kind handoff.Kind) []string {
	list := v.Items(kind)
	if len(list) == 1 && templates.IsNone(list[0]) {
		return nil
	}
	return list
}

// fit moves items until the document has no more lint errors than the author's own values:
// an item with an error, or the oldest one of the longer section.
func (p *packer) fit(ctx context.Context) (templates.Values, error) {
	for {
		v := p.values()
		errs, doc, err := p.problems(ctx, v)
		if err != nil || errs <= p.least || !p.move(doc) {
			return v, err
		}
	}
}

// problems counts the lint errors of a document, and returns it with them.
func (p *packer) problems(ctx context.Context, v templates.Values) (errs int, doc *checked, err error) {
	made, err := create.Run(ctx, p.w, create.Request{Values: v, Slug: p.slug, Dry: true})
	doc = &checked{made.Doc, made.Findings}
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		doc, err = &checked{refused.Doc, refused.Findings}, nil
	}
	for _, f := range doc.findings {
		if f.Severity == lint.Error {
			errs++
		}
	}
	return errs, doc, err
}

type checked struct {
	*handoff.Document
	findings []lint.Finding
}

// move moves one item from the document to the artifact of its section. It returns false
// if none is shown.
func (p *packer) move(doc *checked) bool {
	if p.moveFlagged(doc) {
		return true
	}
	var longer *carriedList
	most := 0
	for _, kind := range handoff.PinnedSections {
		if shown, _ := p.lists[kind].split(); len(shown) > most {
			longer, most = p.lists[kind], len(shown)
		}
	}
	if longer == nil {
		return false
	}
	for i := len(longer.items) - 1; i >= 0; i-- {
		if !longer.hidden[i] {
			longer.hidden[i] = true
			break
		}
	}
	return true
}

// moveFlagged moves an item in which an error is. It returns false if none has one.
func (p *packer) moveFlagged(doc *checked) bool {
	for _, kind := range handoff.PinnedSections {
		s := doc.Section(kind)
		if s == nil {
			continue
		}
		for entry := range s.Top {
			flagged := slices.ContainsFunc(doc.findings, func(f lint.Finding) bool {
				return f.Severity == lint.Error && f.Lines.First >= entry.Lines.First && f.Lines.Last <= entry.Lines.Last
			})
			if flagged && p.hide(kind, entry.Lines.First, doc.Document) {
				return true
			}
		}
	}
	return false
}

// hide moves the item at a line, if it was taken over.
func (p *packer) hide(kind handoff.Kind, line int, doc *handoff.Document) bool {
	for _, it := range pinned.Items(doc) {
		if it.Line != line || it.Section != kind {
			continue
		}
		for i, own := range p.lists[kind].items {
			if own.Source == it.Source && !p.lists[kind].hidden[i] {
				p.lists[kind].hidden[i] = true
				return true
			}
		}
	}
	return false
}

// values are the author's values, with the items to show and lines for the others.
func (p *packer) values() templates.Values {
	v := p.own
	v.Bodies = maps.Clone(v.Bodies)
	for _, kind := range handoff.PinnedSections {
		shown, moved := p.lists[kind].split()
		list := slices.Clone(given(v, kind))
		for _, it := range shown {
			list = append(list, it.Source)
		}
		switch {
		case len(moved) > 0:
			p.setBody(&v, kind, list, moved)
		case len(shown) > 0:
			setItems(&v, kind, list)
		}
	}
	return v
}

// setBody writes a section with a line for the items that were moved.
func (p *packer) setBody(v *templates.Values, kind handoff.Kind, list []string, moved []pinned.Item) {
	body := templates.List(list, handoff.SpecOf(kind).Numbered)
	if body != "" {
		body += "\n\n"
	}
	if v.Bodies == nil {
		v.Bodies = map[handoff.Kind]string{}
	}
	id := artifact.Sum(pinned.Pack(kind, moved)).String()
	command := fmt.Sprintf("handoff chain %d", v.Task)
	if v.Task == 0 { // some layouts have handoffs of no task
		command = "handoff artifact get " + id
	}
	v.Bodies[kind] = body + handoff.MovedLine(len(moved), command, id)
	setItems(v, kind, nil)
}

func setItems(v *templates.Values, kind handoff.Kind, list []string) {
	if kind == handoff.DeadEnds {
		v.DeadEnds = list
		return
	}
	v.Context = list
}
