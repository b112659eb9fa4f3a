package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff"
	"handoff/internal/atomicfile"
	"handoff/internal/regular"
	"handoff/lint"
	"handoff/parse"
	"handoff/templates"
)

// NewRequest says what document to make.
type NewRequest struct {
	Values templates.Values // its Time is set from Now
	Slug   string           // of the task; needed only when the task has no folder yet
	Draft  bool             // write it even when it does not lint; fill gaps with placeholders
	Rules  []*lint.Rule
	Now    time.Time
	Dry    bool // write nothing: tell what the path would be, and whether it lints

	// Edit, when given, changes the rendered text before it is checked.
	Edit func(src []byte) ([]byte, error)
}

// RefusedError says that a new document does not lint. Nothing was written.
type RefusedError struct {
	Doc      *handoff.Document
	Findings []lint.Finding
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
	return fmt.Sprintf("not written: %d error%s (use --draft to write it anyway)", errs, s)
}

// UnlinkedError says that a new document was written, but that its task's
// metadata does not name it yet: sync makes up for it.
type UnlinkedError struct {
	Dir string // the task folder below the root
	Err error
}

func (e *UnlinkedError) Error() string {
	return fmt.Sprintf("written, but not linked: %v (`handoff sync %s` tries again)", e.Err, e.Dir)
}

func (e *UnlinkedError) Unwrap() error { return e.Err }

// attempts bounds how many seconds past now a new document may be named.
const attempts = 60

// New makes a document and returns its path below the root, with the findings
// that did not keep it from being written. The name's time is now, or the next
// second that no document of the task has; an existing file is never touched.
// Then it brings the task up to date, so that the document is linked without a
// daemon; where that fails the error is an [*UnlinkedError] and the rest holds.
func (w *Workspace) New(ctx context.Context, req NewRequest) (path string, left []lint.Finding, err error) {
	if err := checkPhase(req); err != nil {
		return "", nil, err
	}
	dir, err := w.taskFolder(req.Values.Task, req.Slug)
	if err != nil {
		return "", nil, err
	}
	text, err := w.template()
	if err != nil {
		return "", nil, err
	}
	full := filepath.Join(w.Root, filepath.FromSlash(dir))
	siblings, err := documentNames(filepath.Join(full, handoff.Folder))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	at := req.Now.UTC().Truncate(time.Second)
	for range attempts {
		if err := ctx.Err(); err != nil {
			return "", nil, err
		}
		if at = free(at, siblings); at.Sub(req.Now) > attempts*time.Second {
			break
		}
		path = dir + "/" + handoff.Folder + "/" + handoff.BaseFor(req.Values.Phase, at)
		src, findings, err := w.compose(req, text, path, at, siblings)
		if err != nil {
			return "", nil, err
		}
		if req.Dry {
			return path, findings, nil
		}
		err = w.create(full, path, src)
		if err == nil {
			return path, findings, w.link(ctx, dir, path)
		}
		if !errors.Is(err, fs.ErrExist) {
			return path, findings, err
		}
		at = at.Add(time.Second) // another process was faster
		req.Edit = func([]byte) ([]byte, error) { return restamp(src, at), nil }
	}
	return "", nil, fmt.Errorf("%s: every second of the next minute is taken", dir)
}

// link brings the task of a new document up to date.
func (w *Workspace) link(ctx context.Context, dir, path string) error {
	s, err := w.syncOne(ctx, dir)
	if err == nil {
		for _, p := range s.Plan.Problems {
			err = errors.Join(err, fmt.Errorf("%s: %s", p.Path, p.Text))
		}
		// Problems of other places do not keep the document from being linked.
		if _, _, missing := w.LinkedBundle(Entry{path, handoff.ParseName(path)}); missing == nil {
			return nil
		}
	}
	if err != nil {
		return &UnlinkedError{dir, err}
	}
	return nil
}

// syncOne brings one task up to date.
func (w *Workspace) syncOne(ctx context.Context, dir string) (one Synced, err error) {
	err = w.Sync(ctx, SyncRequest{Tasks: []string{dir}}, func(s Synced) error {
		one = s
		return s.Err
	})
	return one, err
}

// free is the first second from t on that no document of the task is named by.
func free(t time.Time, names []string) time.Time {
	for taken := true; taken; {
		stamp := t.Format(handoff.Stamp)
		taken = false
		for _, n := range names {
			if strings.Contains(n, stamp) {
				taken = true
				t = t.Add(time.Second)
				break
			}
		}
	}
	return t
}

// compose renders and checks the document. Errors of the linter refuse it,
// unless it is a draft.
func (w *Workspace) compose(req NewRequest, text, path string, at time.Time, siblings []string) ([]byte, []lint.Finding, error) {
	req.Values.Time = at
	src, err := templates.Render(req.Values, text, req.Draft || req.Edit != nil)
	if err != nil {
		return nil, nil, w.templateError(err)
	}
	if req.Edit != nil {
		if src, err = req.Edit(src); err != nil {
			return nil, nil, err
		}
	}
	if len(src) > MaxSize {
		return nil, nil, fmt.Errorf("%s: %w", path, &regular.TooLargeError{Size: int64(len(src)), Max: MaxSize})
	}
	l := looker{root: w.Root}
	in := lint.Input{Doc: parse.Document(src), Path: path, Name: handoff.ParseName(path), Siblings: siblings,
		Now: req.Now, Look: l.look}
	findings := lint.Document(&in, req.Rules, &w.Config.Settings)
	for _, f := range findings {
		if f.Severity == lint.Error && !req.Draft {
			return nil, nil, &RefusedError{in.Doc, findings}
		}
	}
	return src, findings, nil
}

// RenderNew is the document that New would write now, unchecked.
func (w *Workspace) RenderNew(req NewRequest) ([]byte, error) {
	if err := checkPhase(req); err != nil {
		return nil, err
	}
	text, err := w.template()
	if err != nil {
		return nil, err
	}
	req.Values.Time = req.Now.UTC().Truncate(time.Second)
	src, err := templates.Render(req.Values, text, req.Draft)
	if err != nil {
		err = w.templateError(err)
	}
	return src, err
}

func checkPhase(req NewRequest) error {
	if req.Values.Phase < 1 {
		return fmt.Errorf("%w: a phase is a number from 1 on (--phase 3)", handoff.ErrInvalid)
	}
	return nil
}

// restamp gives a document that was edited by hand the time of its new name.
func restamp(src []byte, at time.Time) []byte {
	title, rest, _ := strings.Cut(string(src), "\n")
	if i := strings.LastIndex(title, " - "); i >= 0 && strings.HasPrefix(title, "# Phase ") {
		title = title[:i] + " - " + at.Format(handoff.Stamp)
	}
	return []byte(title + "\n" + rest)
}

func (w *Workspace) create(task, path string, src []byte) error {
	for _, f := range handoff.TaskFolders {
		if err := os.MkdirAll(filepath.Join(task, f), 0o755); err != nil {
			return err
		}
	}
	return atomicfile.Create(filepath.Join(w.Root, filepath.FromSlash(path)), src, 0o644)
}

// taskFolder is the folder of the task below the root, made up when there is
// none yet. Task numbers are compared as numbers: 42 finds specs/042_x.
func (w *Workspace) taskFolder(task int, slug string) (string, error) {
	if task < 1 {
		return "", fmt.Errorf("%w: a task is a number from 1 on (--task 259)", handoff.ErrInvalid)
	}
	if slug != "" && !handoff.ValidSlug(slug) {
		return "", fmt.Errorf("%q: %w: a slug is lower-case words joined by underscores (--slug prove_completeness)", slug, handoff.ErrInvalid)
	}
	entries, err := os.ReadDir(w.Specs())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var found []string
	padded := false
	for _, e := range entries {
		n, width, _ := handoff.ParseTask(e.Name())
		if e.IsDir() && width > 0 && n == task {
			found = append(found, handoff.Root+"/"+e.Name())
		}
		padded = padded || width > len(strconv.Itoa(n))
	}
	switch {
	case len(found) > 1:
		return "", fmt.Errorf("task %d has several folders: %s", task, strings.Join(found, ", "))
	case len(found) == 1 && slug != "" && !strings.HasSuffix(found[0], "_"+slug):
		return "", fmt.Errorf("task %d is %s, not %q (leave --slug out)", task, found[0], slug)
	case len(found) == 1:
		return found[0], nil
	case slug == "":
		return "", fmt.Errorf("task %d has no folder in %s: name the new one with --slug (--slug prove_completeness)", task, w.Specs())
	}
	width := w.Config.Settings.Padding
	if width < 0 && padded {
		width = 3 // as the folders beside it
	}
	return handoff.TaskDir(task, max(width, 0), slug), nil
}

// templateError puts the file in place of the name that text/template knows
// the template by: "handoff.md.tmpl:3: unclosed action started at line 2".
func (w *Workspace) templateError(err error) error {
	_, text, ok := strings.Cut(err.Error(), "template: template:")
	if !ok {
		return err
	}
	text = strings.NewReplacer("started at template:", "started at line ", `executing "template" at `, "").Replace(text)
	return malformed(fmt.Errorf("%s:%s", w.templatePath(), text))
}

func (w *Workspace) templatePath() string {
	return filepath.Join(w.Root, filepath.FromSlash(w.Config.Templates), TemplateFile)
}

// template is the user's own template, "" when there is none.
func (w *Workspace) template() (string, error) {
	src, err := regular.Read(w.templatePath(), nil, MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(src), err
}

// TemplateFile is the name of a template in the templates folder.
const TemplateFile = "handoff.md.tmpl"
