package own

import (
	"path"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/parse"
	"handoff/workspace/reconcile"
)

// syncMetadata is the files of a task that change, with their new text, and the ids of
// the bundles of its documents.
func (*Own) syncMetadata(in struct {
	Task  string            `json:"task"`
	Files map[string]string `json:"files"` // by path below the workspace
	Now   time.Time         `json:"now"`
}) (any, error) {
	state := reconcile.State{Dir: in.Task, Now: in.Now, Progress: map[int]reconcile.File{}}
	state.World.Exists = func(path string) bool { _, ok := in.Files[path]; return ok }
	state.World.Missing = func(ids []artifact.ID) []artifact.ID { return ids }
	for at, text := range in.Files {
		switch file := (reconcile.File{Path: at, Src: []byte(text)}); {
		case path.Dir(at) == path.Join(in.Task, handoff.Folder):
			state.Documents = append(state.Documents, reconcile.Document{Path: at, Name: handoff.ParseName(at), Doc: parse.Document([]byte(text))})
		case path.Base(at) == handoff.MetadataFile:
			state.Metadata = file
		}
	}
	slices.SortFunc(state.Documents, func(a, b reconcile.Document) int { return a.Name.Compare(b.Name) })
	for _, d := range state.Documents {
		at := path.Join(in.Task, handoff.ProgressFile(d.Name.Phase))
		if text, ok := in.Files[at]; ok {
			state.Progress[d.Name.Phase] = reconcile.File{Path: at, Src: []byte(text)}
		}
	}
	if state.Metadata.Path == "" {
		state.Metadata.Path = path.Join(in.Task, handoff.MetadataFile)
	}
	plan := reconcile.Make(state)
	out := struct {
		Files    map[string]string `json:"files"`
		Bundles  map[string]string `json:"bundles"`
		Problems []string          `json:"problems"` // files that are not changed
	}{map[string]string{}, map[string]string{}, []string{}}
	for _, w := range plan.Writes {
		out.Files[w.Path] = string(w.New)
	}
	for _, b := range plan.Bundles {
		out.Bundles[b.Path] = b.ID.String()
	}
	for _, p := range plan.Problems {
		out.Problems = append(out.Problems, strings.TrimPrefix(p.Path, "./"))
	}
	return out, nil
}
