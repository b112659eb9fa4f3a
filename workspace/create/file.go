package create

import (
	"context"
	"path/filepath"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/workspace/documents"
)

// overtakes returns the document of [Created.Overtaken]. It looks only at the newest one of the
// phase: those before it were overtaken by that one.
func (w creator) overtakes(ctx context.Context, p place, req Request) string {
	last := w.last(ctx, p, req.Values.Phase)
	if last.Path == "" || last.Path == req.Replace || !documents.Waits(w.Workspace, last.Path) {
		return ""
	}
	if doc, err := documents.ReadInside(w.Workspace, last); err != nil || !doc.Continues() {
		return ""
	}
	if _, done := documents.DoneElsewhere(ctx, w.Workspace, last); done {
		return ""
	}
	return last.Path
}

// last is the newest document of the phase, or, in a layout, the newest of those that the new one may continue.
func (w creator) last(ctx context.Context, p place, phase int) (last documents.Entry) {
	if p.fresh != nil {
		e := documents.EntryAt(w.Workspace, p.path)
		if !e.Name.Loose {
			return last
		}
		list, _ := documents.List(ctx, w.Workspace, documents.Filter{Chain: e.Chain(), Live: true})
		if len(list) > 0 {
			last = list[0]
		}
		return last
	}
	for _, base := range p.siblings {
		e := documents.EntryAt(w.Workspace, p.dir+"/"+handoff.Folder+"/"+base)
		if e.Name.Phase == phase && (last.Path == "" || e.Name.Compare(last.Name) > 0) {
			last = e
		}
	}
	return last
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
