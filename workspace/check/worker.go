package check

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/parse"
	"handoff/workspace"
)

// worker checks folders one after another, and reuses its buffers for all of them.
type worker struct {
	*checker
	ctx    context.Context
	looker workspace.Looker
	look   func(string) lint.Facts     // the method value of looker, allocated once
	like   func(string) string         // likewise
	since  func(string) (string, bool) // that of history, likewise
	of     *job                        // of the current document
	in     lint.Input                  // of the current document
	reader parse.Reader
	buf    []byte
}

func newWorker(ctx context.Context, l *checker) *worker {
	w := &worker{checker: l, ctx: ctx, looker: workspace.Looker{Here: l.here}}
	w.look, w.like, w.since = w.looker.Look, w.looker.Like, w.history
	return w
}

// run does the jobs of a batch until the context ends.
func (w *worker) run(b *batch) {
	for i := range b.jobs {
		if w.ctx.Err() != nil {
			return
		}
		w.job(&b.jobs[i], b)
	}
}

func (w *worker) job(j *job, b *batch) {
	if !j.listed && j.known == nil {
		if err := j.list(w.here); err != nil {
			j.known = failed(j.shown, err).known
		}
	}
	if j.known != nil {
		b.out = append(b.out, *j.known)
		return
	}
	if w.looker.Root != j.tree.root {
		w.looker = w.looker.In(j.tree.root)
	}
	siblings := j.names
	if j.listed && filepath.Base(j.dir) == handoff.Folder {
		siblings, _, _ = workspace.NamesIn(j.trusted(), j.dir, w.here) // the rules compare a single file with all documents of its folder
	}
	below := w.below(j)
	dir := handoff.ParseName(below + "/x.md")
	first := len(b.out)
	for _, base := range j.names {
		if w.ctx.Err() != nil {
			return // flush drops the batch
		}
		b.out = append(b.out, Result{Path: join(j.shown, base)})
		c := &b.out[len(b.out)-1]
		if base == "" {
			c.Path = "<stdin>"
		}
		src, err := w.read(j, base)
		if err != nil {
			c.Err = workspace.Reason(err)
			continue
		}
		l := j.layout(below + "/" + base)
		if base == "" {
			l = nil
		}
		if l != nil && l.Suspect(strings.TrimPrefix(below+"/"+base, "./")) && task.IsOther(src) {
			b.out = b.out[:len(b.out)-1] // no handoff, as for all lists
			continue
		}
		w.in = lint.Input{
			Doc:      w.document(j, l, base, src),
			Path:     c.Path,
			Name:     dir.With(base),
			Siblings: siblings,
			Now:      w.now,
			Done:     w.ctx.Done(),
		}
		if base == "" {
			w.in.Path, w.in.Name = "", handoff.Name{} // standard input has no name to check
		} else if l != nil {
			w.in.Name = l.Read(strings.TrimPrefix(below+"/"+base, "./"))
		}
		siblings = w.check(j, c, &w.in)
	}
	if w.Rename && !w.Diff {
		w.relink(j, dir.Dir, b.out[first:])
	}
}

// document parses a document of a layout, nil for our own, whose headings may have words of the project.
func (w *worker) document(j *job, l *task.Layout, base string, src []byte) *handoff.Document {
	if l != nil {
		return l.Parse(base, src, w.reader.Document)
	}
	doc := w.reader.Document(src)
	if own := j.tree.Documents.Own(); own != nil && j.tree.root != "" && base != "" {
		own.Adapt(doc)
	}
	return doc
}

// below returns the path of the job's folder below the root, or its absolute path if
// there is no workspace.
func (w *worker) below(j *job) string {
	if j.tree.root == "" {
		return filepath.ToSlash(j.dir)
	}
	return nofollow.Root(j.tree.root).Rel(j.dir)
}

func (w *worker) read(j *job, base string) ([]byte, error) {
	if src, ok := j.src[base]; ok {
		return src, nil
	}
	if !j.regular {
		return j.trusted().ReadFile(j.dir+string(filepath.Separator)+base, workspace.MaxSize)
	}
	src, err := regular.ReadUnlinked(w.here.Near(j.dir)+string(filepath.Separator)+base, w.buf, workspace.MaxSize)
	if err == nil {
		w.buf = src
	}
	return src, err
}

// check checks one document, with Rename and Fix after these changes. It returns the
// names of the documents in the folder, which a rename changes.
func (w *worker) check(j *job, c *Result, in *lint.Input) (siblings []string) {
	if j.tree.root != "" {
		in.Look, in.Like = w.look, w.like
		if in.Path != "" {
			w.of, in.Since = j, w.since
		}
	}
	siblings = in.Siblings
	if w.Rename && j.src == nil {
		siblings = w.rename(j, c, in)
	}
	if w.Fix || w.Diff {
		w.fix(j, c, in)
	}
	c.Findings = lint.Document(in, w.rules, j.settings(in.Name.Layout))
	if len(c.Findings) > 0 || c.Applied > 0 || w.Fix && j.src != nil {
		c.Doc = in.Doc
		w.reader.Keep()
	}
	return siblings
}

// settings are those for the documents of a job.
func (j *job) settings(layout string) *lint.Settings {
	if j.fresh {
		return j.tree.WriterSettingsOf(layout)
	}
	return j.tree.SettingsOf(layout)
}

// history is [lint.Input.Since] of the current document.
func (w *worker) history(file string) (now string, known bool) {
	of := strings.TrimPrefix(w.below(w.of)+"/"+w.in.Name.Base, "./")
	return w.of.tree.past.since(w.ctx, w.in.Name, w.in.Doc, of, file)
}

// trusted returns the root of the workspace that contains the folder. A folder in no
// workspace, whose root is [nofollow.Named], was named by the user, so its symlinks may be
// followed.
func (f *folder) trusted() nofollow.Root { return nofollow.Root(f.tree.root) }

// fix applies the safe edits. With Diff, or if the content did not come from the file,
// it writes nothing.
func (w *worker) fix(j *job, c *Result, in *lint.Input) {
	if task.IsJSON(in.Name.Base) {
		return // its source is not what the file has
	}
	before := in.Doc.Source
	read := j.parser(w.below(j) + "/" + in.Name.Base)
	src, applied := lint.Fix(*in, w.rules, j.tree.SettingsOf(in.Name.Layout), read)
	if applied == 0 {
		return
	}
	c.Applied, c.Before = applied, before
	in.Doc = read([]byte(src))
	if w.Diff || j.src != nil {
		return
	}
	if j.trusted() != nofollow.Named {
		workspace.CreateStateDir(string(j.trusted()))
	}
	err := atomicfile.Swap(j.trusted(), j.dir+string(filepath.Separator)+in.Name.Base, []byte(before), []byte(src), 0o644)
	if errors.Is(err, atomicfile.ErrChanged) {
		saved := (*atomicfile.SavedError)(nil)
		if errors.As(err, &saved) {
			err = fmt.Errorf("changed while it was being fixed: run again; %w", saved)
		} else {
			err = errors.New("changed while it was being fixed: left as it is, run again")
		}
	}
	if err != nil {
		c.Err, c.Applied = workspace.Reason(err), 0
	}
}
