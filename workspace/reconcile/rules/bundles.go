package rules

import (
	"path"
	"slices"
	"strings"

	"handoff/internal/json/jsonedit"
	"handoff/internal/text/prose"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// namedBundle is the bundle that an output names.
type namedBundle struct {
	at    jsonedit.Path
	raw   string // as written
	id    artifact.ID
	of    *reconcile.Bundled // the output's document, nil if there is none
	state bundleState
}

type bundleState int

const (
	sound           bundleState = iota
	malformedID                 // not an id
	stale                       // not the bundle of the present document
	gone                        // not in the store, and no document yields it
	unstored                    // not in the store, but its document yields it
	damaged                     // stored with other bytes
	storedElsewhere             // through a symlink that leaves the workspace
)

func (t *Task) namedBundles() (list []namedBundle) {
	for i := range t.outputs() {
		at := jsonedit.Path{"artifacts", i, "bundle_artifact_id"}
		p, _ := t.outputPath(i)
		v, ok := t.get(at...)
		if p == "" || !ok || v.Kind() == jsonedit.KindNull {
			continue
		}
		b := namedBundle{at: at, raw: string(v.Raw()), of: t.linked(path.Clean(p)), state: malformedID}
		text, _ := v.Text()
		if id, err := artifact.ParseID(text); err == nil {
			b.id, b.state = id, t.bundleState(id, b.of)
		}
		list = append(list, b)
	}
	return list
}

func (t *Task) bundleState(id artifact.ID, of *reconcile.Bundled) bundleState {
	switch {
	case of == nil && !t.Has(id):
		return gone
	case of == nil:
		return sound
	case of.ID != id:
		return stale
	case t.intact(id):
		return sound
	case t.Outside(blobPath(id)):
		return storedElsewhere
	case t.Has(id):
		return damaged
	}
	return unstored
}

// intact reports whether the store has a blob with the bytes of its name.
func (t *Task) intact(id artifact.ID) bool {
	data := t.Blob(id)
	return data != nil && artifact.Sum(data) == id
}

func damagedBlob(p *Pass) {
	for _, b := range p.bundles {
		if b.state == damaged {
			p.file(blobPath(b.id), "bytes do not match its name: the bundle of %s", b.of.Path)
		}
	}
}

func missingBlob(p *Pass) {
	for _, l := range p.Links {
		for _, ref := range reconcile.Bundle(l.Document).Refs.Artifacts {
			if !p.Has(ref.ID) && !p.derives(ref.ID) && p.pins().Blob(ref.ID.String()) == nil {
				p.at(reconcile.Problem{Path: l.Path, Line: lineOf(l.Document, ref.ID)}, "references artifact %s, which is not in the store", ref.ID)
			}
		}
	}
	for _, b := range p.bundles {
		if b.state == gone {
			p.value(b.at, "bundle %s is not in the store", b.id)
		}
	}
}

// derives reports whether a blob is the bundle of a document of the task.
func (t *Task) derives(id artifact.ID) bool {
	return slices.ContainsFunc(t.Links, func(l reconcile.Bundled) bool { return l.ID == id })
}

func lineOf(d reconcile.Document, id artifact.ID) int {
	for n := 1; n <= d.Doc.NumLines(); n++ {
		if strings.Contains(d.Doc.Line(n), id.String()) {
			return n
		}
	}
	return 0
}

// staleBundle flags a document that was edited after it was linked.
func staleBundle(p *Pass) {
	for _, b := range p.bundles {
		if b.state == stale {
			p.value(b.at, "%s was edited after it was linked: its bundle is now %s (`handoff sync %s` links it)", path.Base(b.of.Path), b.of.ID, p.Dir)
		}
	}
}

// unstoredBundle flags linked bundles that are not in the store but follow from their documents.
func unstoredBundle(p *Pass) {
	var at jsonedit.Path
	n := 0
	for _, b := range p.bundles {
		if b.state == unstored {
			if n++; n == 1 {
				at = b.at
			}
		}
	}
	switch { // one finding for all of them: a checkout without .rip lacks every bundle
	case n == 1:
		p.value(at, "1 linked bundle not in the store: `handoff sync` rebuilds it from the documents")
	case n > 1:
		p.value(at, "%d linked bundles not in the store: `handoff sync` rebuilds them from the documents", n)
	}
}

// unlinkedHandoff flags a document that no output names with its bundle.
func unlinkedHandoff(p *Pass) {
	if p.Object == nil {
		if n := len(p.Links); n > 0 && p.Metadata.Src == nil && !p.unreadable(p.Metadata.Path) {
			p.file(p.Metadata.Path, "does not exist, and the task has %s", prose.Count(n, "handoff"))
			p.atMost(lint.Note) // leads delete metadata that they are done with
		}
		return
	}
	if list, ok := p.get("artifacts"); ok && list.Kind() != jsonedit.KindArray && list.Kind() != jsonedit.KindNull {
		return // malformed-output
	}
	named, linked := map[string]bool{}, map[string]bool{}
	for i := range p.outputs() {
		of, _ := p.outputPath(i)
		named[path.Clean(of)] = true
	}
	for _, b := range p.bundles {
		if b.of != nil {
			linked[b.of.Path] = true
		}
	}
	for _, l := range p.Links {
		switch {
		case linked[l.Path]:
			continue
		case named[l.Path]:
			p.file(l.Path, "its output in %s names no bundle", path.Base(p.Metadata.Path))
		default:
			p.file(l.Path, "no output of %s names it", path.Base(p.Metadata.Path))
		}
		if p.archived() {
			p.atMost(lint.Note)
		}
	}
}
