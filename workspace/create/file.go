package create

import (
	"context"
	"path/filepath"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/workspace/documents"
)

// overtakes returns the document of [Created.Overtaken]. It looks only at the newest one that passes work on:
// those before it were overtaken by that one. A document that passes none on takes no place.
func (o *writing) overtakes(ctx context.Context) string {
	if !o.made.Doc.Continues() {
		return ""
	}
	last := o.last(ctx, o.place)
	if last.Path == "" || last.Path == o.req.Replace || !documents.Waits(o.Workspace, last.Path) {
		return ""
	}
	if _, done := documents.DoneElsewhere(ctx, o.Workspace, last); done {
		return ""
	}
	return last.Path
}

// last is the newest document of the task or, in a layout, of those that the new one may continue; only one that
// passes work on.
func (w creator) last(ctx context.Context, p place) documents.Entry {
	continues := func(e documents.Entry) bool {
		doc, err := documents.ReadInside(w.Workspace, e)
		return err == nil && doc.Continues()
	}
	var list []documents.Entry
	if p.fresh != nil {
		if e := documents.EntryAt(w.Workspace, p.path); e.Name.Loose {
			list, _ = documents.List(ctx, w.Workspace, documents.Filter{Chain: e.Chain(), Live: true})
			list = list[:min(len(list), 1)]
		}
	}
	for _, base := range p.siblings {
		list = append(list, documents.EntryAt(w.Workspace, p.dir+"/"+handoff.Folder+"/"+base))
	}
	slices.SortStableFunc(list, func(a, b documents.Entry) int { return b.Name.Compare(a.Name) })
	if i := slices.IndexFunc(list, continues); i >= 0 {
		return list[i]
	}
	return documents.Entry{}
}

// writeNew creates the file. displaced is as in [Created].
func (w creator) writeNew(ctx context.Context, p place, src []byte, meant bool) (displaced string, err error) {
	if f := p.fresh; f != nil {
		if f.Replaces {
			return documents.Replace(ctx, w.Workspace, p.path, src, meant)
		}
		if err := w.Trusted().MkdirAll(filepath.Dir(w.Full(p.path)), 0o755); err != nil {
			return "", err
		}
		return "", atomicfile.Create(w.Trusted(), w.Full(p.path), src, 0o644)
	}
	for _, f := range handoff.TaskFolders {
		if err := w.Trusted().MkdirAll(filepath.Join(w.Root, filepath.FromSlash(p.dir), f), 0o755); err != nil {
			return "", err
		}
	}
	return "", atomicfile.Create(w.Trusted(), filepath.Join(w.Root, filepath.FromSlash(p.path)), src, 0o644)
}
