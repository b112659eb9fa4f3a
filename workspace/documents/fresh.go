package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace"
)

// Fresh is a new document of a layout, before it is written.
type Fresh struct {
	Path     string // below the root
	Slot     handoff.Slot
	Title    string
	Front    []string // lines of its frontmatter
	Headings map[handoff.Kind]string
	Order    []handoff.Kind
	Replaces bool // of the document at the path, if there is one
}

// About is what a new document is about.
type About struct {
	Task  int    // its number; 0 for none
	Words string // "" for what the last document of the task was about
	// ID is what the plan of the layout calls the task, "" for none, and Title what it is about.
	ID, Title string
}

// Place is where a new document of the layout goes that is written at t, in the next slot
// after the documents that it continues.
func Place(ctx context.Context, w *workspace.Workspace, l *task.Layout, a About, t time.Time) (f Fresh, err error) {
	unread := error(nil)
	all, err := w.Elsewhere(ctx, func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", path, workspace.Reason(err)))
		return nil
	})
	if err = errors.Join(err, unread); err != nil {
		return f, err // its name may be that of a document in that folder
	}
	number := a.Task
	parts := task.Parts{Task: "general", Slug: kebab(a.Words), Time: t}
	if a.ID != "" {
		parts.Task = a.ID
	} else if number > 0 {
		parts.Task = strconv.Itoa(number)
	}
	last, counter := "", 0
	for _, p := range all {
		n := l.Read(p)
		counter = max(counter, n.Phase)
		if !l.Holds(p) || n.Task != number {
			continue
		}
		for _, form := range l.Names {
			if got, ok := task.Form(form).Match(p); ok {
				if number > 0 && got.Task != "" && a.ID == "" {
					parts.Task = got.Task // as the folder of the task is written: ENG-1478
				}
				if number > 0 {
					last = got.Slug
				}
				break
			}
		}
	}
	if parts.Slug == "" {
		parts.Slug = last
	}
	if parts.Slug == "" {
		parts.Slug = "handoff"
	}
	parts.Number = strconv.Itoa(counter + 1)
	form := l.Names[0]
	if a.ID != "" && l.Plan != nil {
		form = l.Plan.Beside
	}
	if err := f.choose(w, l, form, parts, all); err != nil {
		return f, err
	}
	if a.Words == "" && a.ID != "" {
		parts.Slug = cmp.Or(a.Title, a.ID)
	}
	if !l.Holds(f.Path) {
		return f, fmt.Errorf("%s: %w: the files of the layout %s do not match the first of its names, so it would not be found", f.Path, handoff.ErrInvalid, l.Name)
	}
	parts.Time, parts.Count = f.Slot.At, f.Slot.Count
	f.Replaces, f.Headings = l.Replaces, map[handoff.Kind]string{}
	f.Title = task.Form(l.Title).Fill(parts)
	for _, line := range l.Front {
		f.Front = append(f.Front, task.Form(line).Fill(parts))
	}
	for _, h := range l.Headings {
		if len(h.Words) > 0 {
			f.Headings[h.Kind] = h.Words[0]
			f.Order = append(f.Order, h.Kind)
		}
	}
	return f, nil
}

// choose sets slot and path of a new document, after all documents of its chain that were
// just written.
func (f *Fresh) choose(w *workspace.Workspace, l *task.Layout, form string, parts task.Parts, all []string) (err error) {
	now := parts.Time
	fill := func(s handoff.Slot) {
		f.Slot, parts.Time, parts.Count = s, s.At, s.Count
		f.Path = task.Form(form).Fill(parts)
	}
	fill(handoff.SlotAt(now))
	if !strings.Contains(form, "{time}") {
		if l.Replaces || regular.KindOf(w.Full(f.Path)) == regular.Nothing {
			return nil
		}
		return fmt.Errorf("%s: %w: write it with another slug, or add {time} to the names of the layout %s", f.Path, fs.ErrExist, l.Name)
	}
	last, chain := handoff.Slot{}, l.Read(f.Path).Chain
	for _, p := range all {
		if n := l.Read(p); n.Slot().Near(now) && n.Slot().Compare(last) > 0 && n.Chain == chain && l.Holds(p) {
			last = n.Slot()
		}
	}
	for {
		s, err := last.Next(now)
		if err != nil {
			return err
		}
		if fill(s); regular.KindOf(w.Full(f.Path)) == regular.Nothing {
			return nil
		}
		last = s // something that is not a document has the name
	}
}

// kebab is words as part of a file name, with every other sign as a dash.
func kebab(words string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(words), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	}), "-")
}

// Previous is the folder, below the root, of documents that a new one replaced.
const Previous = state.Dir + "/" + state.Previous

// Replace overwrites the last document with a new one, and keeps the old one in [Previous].
// It fails if another process changes the document meanwhile, and with [ErrWaits] if the
// old one still waits for a successor, unless meant: the author of the new one knows that. It returns the path of the
// old one if it was not taken up, so that the author can be told; "" otherwise.
func Replace(ctx context.Context, w *workspace.Workspace, at string, src []byte, meant bool) (displaced string, err error) {
	full := w.Full(at)
	old, err := w.Trusted().ReadFile(full, workspace.MaxSize)
	if errors.Is(err, fs.ErrNotExist) {
		if err := w.Trusted().MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return "", err
		}
		return "", atomicfile.Create(w.Trusted(), full, src, 0o644)
	}
	if err != nil {
		return "", err
	}
	if !meant && Waits(w, at) {
		return "", fmt.Errorf("%s: %w, so it is not replaced: claim it first (`handoff claim %s --as NAME`), or write with `--replace %s`", at, ErrWaits, shellword.Quote(at), shellword.Quote(at))
	}
	kept, err := keep(w, at, old)
	if err != nil {
		return "", fmt.Errorf("%s: cannot keep the last document, so it is not replaced: %w", at, err)
	}
	if err := atomicfile.Swap(w.Trusted(), full, old, src, 0o644); err != nil {
		return "", err
	}
	waited, err := reopen(ctx, w, at, kept)
	if waited {
		displaced = kept
	}
	return displaced, err
}

// ErrWaits reports a document that nobody has taken up. It is an [fs.ErrExist].
var ErrWaits error = waitsError{}

type waitsError struct{}

func (waitsError) Error() string        { return "nobody has taken this handoff up" }
func (waitsError) Is(target error) bool { return target == fs.ErrExist }

// Waits reports whether a document waits by its receipts. Without a place for receipts that is
// not known, and the old document is only kept.
func Waits(w *workspace.Workspace, at string) bool {
	store, err := w.Receipts()
	if err != nil {
		return false
	}
	l, err := store.Life(store.Place().Path(at))
	return err == nil && isWaiting(&l, w.Now())
}

func isWaiting(l *receipt.Life, now time.Time) bool {
	s := l.State(now)
	return s == receipt.Waiting || s == receipt.Released
}

// keep copies a document to the folder of replaced ones.
func keep(w *workspace.Workspace, at string, old []byte) (string, error) {
	if _, err := w.CreateStateDir(); err != nil {
		return "", err
	}
	dir := w.Full(Previous)
	if err := w.Trusted().MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	stem := keptStem(at)
	for t := w.Now().UTC(); ; t = t.Add(time.Second) {
		base := stem + "-" + t.Format(handoff.Stamp) + ".md"
		err := atomicfile.Create(w.Trusted(), filepath.Join(dir, base), old, 0o644)
		if !errors.Is(err, fs.ErrExist) {
			return Previous + "/" + base, err
		}
	}
}

// keptStem is what the names of the documents begin with that were kept for a path: without a
// leading dot, so that they are listed.
func keptStem(at string) string {
	base := strings.TrimLeft(path.Base(at), ".")
	return strings.TrimSuffix(base, path.Ext(base))
}

// reopen records that earlier receipts are about the replaced document, and the new
// one waits. The holder of the old one learns that from its stale claim. waited is whether
// the old one was not taken up.
func reopen(ctx context.Context, w *workspace.Workspace, at, kept string) (waited bool, err error) {
	store, err := w.Receipts()
	if err != nil {
		return true, nil // without a place for receipts there are none
	}
	_, err = store.Record(ctx, store.Place().Path(at), func(_ string, l *receipt.Life) ([]receipt.Step, error) {
		if isWaiting(l, w.Now()) {
			waited = true
			return nil, nil
		}
		s := receipt.Step{At: w.Now().UTC().Truncate(time.Millisecond), Kind: receipt.StepReleased, By: receipt.ByNew, Why: "replaced; the last document is " + kept}
		if l.Claim.ID != "" {
			s.Claim, s.Token = l.Claim.ID, l.Claim.Token
		}
		return []receipt.Step{s}, nil
	})
	if err != nil {
		err = fmt.Errorf("%s: written, but its receipts are still those of the last document: %w", at, err)
	}
	return waited, err
}
