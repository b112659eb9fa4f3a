package rules

import (
	"path"

	"handoff/artifact"
	"handoff/internal/json/jsonedit"
	"handoff/reconcile"
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
	stale                       // not the bundle of the document as it is now
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
