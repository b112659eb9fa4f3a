// Package create writes new documents: it reads their values, renders the template,
// checks the result and creates the file. It knows neither flags nor prompts, and
// leaves metadata to package sync.
package create

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/parse"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/plans"
	"handoff/workspace/sync"
)

// Request is the document to write.
type Request struct {
	Values templates.Values // Time is set by Run
	Slug   string           // of the task; needed only if the task has no folder yet
	Draft  bool             // write it even if it has lint errors, but for a merge conflict; fill gaps with placeholders
	// Unfenced says in the document that nobody could check whether its author still held
	// the claim, because the store did not answer.
	Unfenced bool
	// Replace is the document, below the root, that the caller means to replace although no agent
	// has taken it up, in a layout where a new document replaces the last one.
	Replace string
	// Language is the code of the language of the document: see [templates.FormOf]. "" is that of the configuration.
	Language string
	Dry      bool // write nothing: return the path it would have, and what lint finds

	// Markdown is a whole document: then only task and phase of Values are used. Its
	// title gets the phase and the time of the new name; see [MarkdownDraft].
	Markdown []byte

	// Edit, if set, changes the rendered text before it is checked.
	Edit func(src []byte) ([]byte, error)
	// Mark, if set, returns the text with marks at the end of what it claims: see [claims.Mark].
	Mark func(doc *handoff.Document) string
	// Writing, if set, is called just before a file is created, with its path below the
	// root and its text. It is called again if a process without the lock takes the name.
	// An error ends Run.
	Writing func(path string, src []byte) error
	// Still, if set, is called before Writing, with the path. No other process of ours
	// creates a document until the file is created. An error ends Run.
	Still func(path string) error
}

// by is what keeps the uncommitted work.
func (r Request) by() string {
	if r.Draft {
		return "draft"
	}
	return "new"
}

// RefusedError reports that a new document has lint errors. Nothing was written.
type RefusedError struct {
	Doc      *handoff.Document
	Findings []lint.Finding
	// Task is the task of a plan whose next open item may be the missing next action; nil for none.
	Task *plans.Task
}

// Proposal is the next open item of the plan, and the task that has it, if the document has no next
// action. The text is not ours; ok is false without one.
func (e *RefusedError) Proposal() (item, of string, ok bool) {
	if e.Task == nil || e.Task.Next == "" {
		return "", "", false
	}
	_, has := e.Doc.NextStep()
	return e.Task.Next, e.Task.ID, !has
}

func (e *RefusedError) Error() string {
	errs := 0
	for _, f := range e.Findings {
		if f.Severity == lint.Error {
			errs++
		}
	}
	s := "s"
	if errs == 1 {
		s = ""
	}
	hint := "use --draft to write it anyway"
	if slices.ContainsFunc(e.Findings, noDraft) {
		hint = "a merge conflict is not written as a draft either"
	}
	return fmt.Sprintf("not written: %d error%s (%s)", errs, s, hint)
}

// noDraft reports whether a finding also refuses a draft. A draft may have gaps, but not
// two versions of its text: nothing would deliver it.
func noDraft(f lint.Finding) bool { return f.Rule == "merge-conflict" && f.Severity == lint.Error }

// Created is a new document.
type Created struct {
	Path     string            `json:"path,omitempty"` // below the root
	Findings []lint.Finding    `json:"-"`              // that did not prevent it
	Doc      *handoff.Document `json:"-"`              // that they are about
	Unlinked error             `json:"-"`              // why the task's metadata does not name it yet; nil if it does
	// Work is the uncommitted work that was kept with it; zero for none. Unkept is why it was not.
	Work   workspace.KeptWork `json:"-"`
	Unkept error              `json:"-"`
	// Displaced is where the handoff is kept whose place this one took, if
	// that was not taken up.
	Displaced string `json:"displaced,omitempty"`
	// Overtaken is the handoff of the task, or of a layout without tasks, that was still waiting and no
	// longer does, because this one is newer; "" if the request names it.
	Overtaken string `json:"overtaken,omitempty"`
}

// attempts bounds how often a document gets another name, because a process that does not
// have the lock took its name, or because all names of a second were taken.
const attempts = 60

// Run creates a document. Its name has the time at which it is written, or the next slot
// after the documents of the task; an existing file is never touched. Then it brings the
// task up to date, so that the document is linked without a daemon.
func Run(ctx context.Context, ws *workspace.Workspace, req Request) (made Created, err error) {
	one := writing{creator: creator{Workspace: ws}, req: req}
	if err := one.plan(&one.req); err != nil {
		return made, err
	}
	req = one.req
	if one.text, err = one.template(req); err != nil {
		return made, err
	}
	if err := one.Missing(); err != nil {
		return made, err
	}
	for range attempts {
		err = one.write(ctx)
		if errors.Is(err, handoff.ErrCrowded) {
			if err := one.untilNext(ctx); err != nil {
				return one.made, err
			}
		} else if !errors.Is(err, errTaken) {
			break
		}
	}
	if errors.Is(err, errTaken) || errors.Is(err, handoff.ErrCrowded) {
		return one.made, fmt.Errorf("%s: %w", one.made.Path, err)
	}
	if err == nil && !req.Dry {
		one.made.Unlinked = one.link(ctx, one.place)
		one.made.Work, one.made.Unkept = ws.KeepWork(ctx, workspace.WorkOf{Task: req.Values.Task, Handoff: one.made.Path, By: req.by()})
	}
	return one.made, err
}

// errTaken reports that a file with the name of the new document appeared.
var errTaken = errors.New("other processes keep taking its name: try again")

// writing is the writing of one document.
type writing struct {
	creator
	req    Request
	text   string // of the template
	edited []byte // the text as the user left it, if there was an editor
	place  place
	made   Created      // the document at the place
	taken  handoff.Slot // by a file that is no document, or of a process without the lock
}

// write writes the document, once. It is rendered, edited and checked before the lock is
// taken. By then other processes may have used its slot, or created the task's folder
// with another slug, so the place is computed again under the lock.
func (o *writing) write(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if o.made.Doc == nil {
		if err := o.move(ctx); err != nil || o.req.Dry {
			return err
		}
	}
	return o.create(ctx)
}

// move composes the document for the place that it would have now, unless it has that
// place.
func (o *writing) move(ctx context.Context) error {
	now := o.Now()
	p, err := o.creator.place(ctx, o.req, now, o.taken)
	if err != nil || o.made.Doc != nil && p.path == o.place.path {
		return err
	}
	doc, findings, err := o.compose(ctx, p, now)
	if err != nil {
		return err
	}
	o.place, o.made = p, Created{Path: p.path, Doc: doc, Findings: findings}
	return nil
}

// untilNext waits for the next second, which has new names.
func (o *writing) untilNext(ctx context.Context) error {
	now := o.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(now.Truncate(time.Second).Add(time.Second).Sub(now)):
		return nil
	}
}

// Relink is [Run] for a document that was already written, by a process that was killed
// before it could bring the task up to date.
func Relink(ctx context.Context, ws *workspace.Workspace, p string) (Created, error) {
	e := documents.EntryAt(ws, p)
	doc, err := documents.Read(ws, e)
	if err != nil {
		return Created{}, err
	}
	w, at := creator{Workspace: ws}, place{dir: e.Name.Dir, path: p}
	if at.dir != "" { // else no metadata names it
		names, _, err := workspace.NamesIn(w.Trusted(), w.Full(at.dir+"/"+handoff.Folder), "")
		if err != nil {
			return Created{}, err
		}
		at.linked = slices.ContainsFunc(names, func(base string) bool { return e.Name.With(base).Compare(e.Name) > 0 })
	}
	return Created{Path: p, Doc: doc, Unlinked: w.link(ctx, at)}, nil
}

// link names the new document in the metadata of its task.
func (w creator) link(ctx context.Context, p place) error {
	err := sync.Link(ctx, w.Workspace, p.linking(), p.path)
	if err != nil {
		err = fmt.Errorf("written, but not linked: %w (`handoff sync %s` tries again)", err, p.dir)
	}
	return err
}

// creator creates documents in a workspace.
type creator struct {
	*workspace.Workspace
	task  *plans.Task // the task of the new document, if the plan of another tool has it
	named bool        // the request names it, not only its number, which several may have
}

// compose renders and checks the document. Lint errors refuse it unless it is a
// draft.
func (o *writing) compose(ctx context.Context, p place, now time.Time) (*handoff.Document, []lint.Finding, error) {
	src, err := o.source(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	if len(src) > workspace.MaxSize {
		return nil, nil, fmt.Errorf("%s: %w", p.path, &regular.TooLargeError{Size: int64(len(src)), Max: workspace.MaxSize})
	}
	read := func(src []byte) *handoff.Document { return o.Config.Documents.Parse(p.path, src, parse.Document) }
	doc := read(src)
	if o.req.Mark != nil {
		if marked := o.req.Mark(doc); marked != doc.Source {
			doc = read([]byte(marked))
		}
	}
	l := workspace.Looker{Root: o.Root}
	in := lint.Input{Doc: doc, Path: p.path, Name: o.NameOf(p.path), Filed: true, Siblings: p.siblings,
		Now: now, Look: l.Look, Like: l.Like}
	findings := lint.Document(&in, o.Options.Rules, o.Config.WriterSettingsOf(in.Name.Layout))
	for _, f := range findings {
		if f.Severity == lint.Error && !o.req.Draft || noDraft(f) {
			return nil, nil, &RefusedError{in.Doc, findings, o.task}
		}
	}
	return in.Doc, findings, nil
}

// source is the text of the document. It is edited only once: at another place only its
// title gets the new time.
func (o *writing) source(ctx context.Context, p place) (src []byte, err error) {
	if o.edited != nil {
		return o.stamped(o.edited, o.req.Values.Phase, p.slot.At), nil
	}
	if src, err = o.render(ctx, o.req, o.text, p); err == nil && o.req.Unfenced {
		src = marked(src)
	}
	if err == nil && o.req.Edit != nil {
		src, err = o.req.Edit(src)
		o.edited = src
	}
	return src, err
}

// create writes the document under the lock, at the place that it has then. If the lock
// cannot be taken, the document is written without it: losing the document would be worse
// than two documents of one second. The error is errTaken if a process without the lock
// took the name.
func (o *writing) create(ctx context.Context) error {
	looked := false
	look := func(held bool) error {
		looked = true
		if err := o.move(ctx); err != nil {
			return err
		}
		src := []byte(o.made.Doc.Source)
		if o.req.Still != nil {
			if err := o.req.Still(o.place.path); err != nil {
				return err
			}
		}
		if o.req.Writing != nil {
			if err := o.req.Writing(o.place.path, src); err != nil {
				return err
			}
		}
		o.made.Overtaken = o.overtakes(ctx)
		var err error
		o.made.Displaced, err = o.writeNew(ctx, o.place, src, o.req.Replace == o.place.path)
		if errors.Is(err, fs.ErrExist) && !errors.Is(err, documents.ErrWaits) {
			o.taken = o.place.slot
			return errTaken
		}
		if err == nil && held && o.place.fresh == nil {
			o.place.linked = sync.Held(ctx, o.Workspace, o.place.linking()) == nil // else link tries again, and reports what fails
		}
		return err
	}
	if err := o.Locked(ctx, func() error { return look(true) }); looked || ctx.Err() != nil {
		return err
	}
	return look(false)
}
