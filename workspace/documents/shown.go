package documents

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/workspace"
)

// shown is what a document shows by itself: when it was written and what a list prints of it.
type shown struct {
	path    string
	written handoff.Written
	row     Row // its time is that of the text
	refused *handoff.UndeliverableError
}

// shownBy is what the document of an entry shows.
func shownBy(e Entry, doc *handoff.Document) shown {
	s := shown{path: e.Path, written: handoff.WrittenBy(e.Name, doc), refused: doc.Undeliverable(e.Path)}
	s.row.say(doc, s.refused)
	return s
}

// rowOf is the row of an entry whose document shows something.
func (s *shown) rowOf(e Entry) Row {
	r := named(e)
	if e.Name.Layout != "" || r.Time == nil {
		r.written(e, s.written)
	}
	r.NextAction, r.NextFrom, r.Unproved, r.Problem = s.row.NextAction, s.row.NextFrom, s.row.Unproved, s.row.Problem
	r.WaitingFor, r.UnderstandFirst, r.LeftRunning = s.row.WaitingFor, s.row.UnderstandFirst, s.row.LeftRunning
	return r
}

// Shows are what many documents show. An index keeps that, by the same rules as that of the tasks: a document is
// looked at, and read again unless it is certainly the same. A nil one, or that of a few documents, reads each.
type Shows struct {
	w     *workspace.Workspace
	index *index
}

// OpenShows opens what some number of documents show.
func OpenShows(w *workspace.Workspace, documents int) *Shows {
	s := &Shows{w: w}
	if documents >= worth {
		s.index = openDocuments(w)
	}
	return s
}

// Close keeps what was read.
func (s *Shows) Close() {
	s.index.saveShown()
	s.index.close()
}

// Row is the row of an entry; read reads its document.
func (s *Shows) Row(e Entry, read func(*workspace.Workspace, Entry) (*handoff.Document, error)) Row {
	one, err := s.of(e, read)
	if err != nil {
		return MakeRow(e, nil, err)
	}
	return one.rowOf(e)
}

func (s *Shows) of(e Entry, read func(*workspace.Workspace, Entry) (*handoff.Document, error)) (one shown, err error) {
	if one, known := s.known(e); known {
		return one, nil
	}
	doc, err := read(s.w, e)
	if err == nil {
		s.add(e, doc)
		one = shownBy(e, doc)
	}
	return one, err
}

// known is what the index has of a document, if that is still so.
func (s *Shows) known(e Entry) (one shown, known bool) {
	if s == nil || s.index == nil {
		return one, false
	}
	return s.index.shown(e)
}

// add keeps what a document shows that was read.
func (s *Shows) add(e Entry, doc *handoff.Document) {
	if s != nil && s.index != nil {
		s.index.fresh[e.Path] = shownBy(e, doc)
	}
}

// openDocuments opens the index of documents.
func openDocuments(w *workspace.Workspace) *index {
	receipts, err := w.Receipts()
	if err != nil {
		return nil
	}
	tree, err := regular.OpenFolder(w.Root)
	if err != nil {
		return nil
	}
	x := newIndex(w, tree, receipts.Place(), state.DocumentIndex)
	x.form, x.fresh = documentForm, map[string]shown{}
	if x.key = keyOf(w); x.key != "" {
		x.key += readings(w)
	}
	x.load()
	return x
}

// readings is what the layouts of a workspace add to the reading of a document.
func readings(w *workspace.Workspace) string {
	var text strings.Builder
	for _, l := range w.Config.Documents {
		fmt.Fprintf(&text, " %q %q %q %q %d %v %q", l.Name, l.Files, l.Else, l.Names, l.Chain, l.Headings, l.Keys)
	}
	return text.String()
}

// shown is what the document of an entry shows, if it is the same as when that was kept.
func (x *index) shown(e Entry) (s shown, known bool) {
	if s, known = x.fresh[e.Path]; known {
		return s, true
	}
	i, there := x.at[e.Path]
	if !there {
		return s, false
	}
	u := unpacker{rest: x.sights[i].text}
	u.text()
	if !x.unchanged(&u, "", e.Path, regular.File) {
		return s, false
	}
	s = u.shown(e)
	x.sights[i].used = !u.bad
	return s, !u.bad
}

// saveShown writes the index of documents if enough was read that it is worth it. What was not looked at now is kept
// if it is still the same.
func (x *index) saveShown() {
	if x == nil || len(x.fresh) < worth || x.key == "" || !x.begin() {
		return
	}
	list, n := packer{}, 0
	keep := func(text string) {
		list.text(text)
		list.count(0)
		n++
	}
	for _, path := range slices.Sorted(maps.Keys(x.fresh)) {
		p := packer{}
		p.text(path)
		if now, kind, known := x.look("", path); known && kind == regular.File && x.put(&p, now) {
			p.shown(x.fresh[path])
			keep(string(p.b))
		}
	}
	for path, i := range x.at {
		one := &x.sights[i]
		if _, again := x.fresh[path]; again {
			continue
		}
		u := unpacker{rest: one.text}
		if u.text(); one.used || x.unchanged(&u, "", path, regular.File) {
			keep(one.text)
		}
	}
	x.write(n, list.b, nil)
}

func (p *packer) shown(s shown) {
	p.moment(s.written.At)
	p.text(string(s.written.By))
	p.row(s.row)
	p.refused(s.refused)
}

func (u *unpacker) shown(e Entry) shown {
	s := shown{path: e.Path, written: handoff.WrittenBy(e.Name, nil)}
	s.written.At, s.written.By = u.moment(), handoff.Source(u.text())
	s.row = u.said(Row{})
	s.refused = u.refused(e.Path)
	return s
}
