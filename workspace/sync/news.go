package sync

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/lint"
	"handoff/workspace/reconcile"
	"handoff/workspace/seen"
)

// Pause is how long a writer may pause before a document without its last section counts as
// finished: agents write a section with each call.
const Pause = 2 * time.Minute

// Complete reports whether a document has its last section.
func Complete(doc *handoff.Document) bool {
	s := doc.Section(handoff.References)
	return s != nil && (s.Inline != "" || doc.Text(s.Body) != "")
}

// news finds the documents of a task that are news, and reports whether another one may be
// in a while, without a change.
func (s *Syncer) news(ctx context.Context, state *reconcile.State) (waits bool) {
	look := seen.Look{Now: s.Now(), Written: s.fresh, Copied: func(d reconcile.Document) bool { return copied(*state, d) }, Ready: func(d reconcile.Document, written bool) bool {
		young := !written && !s.named && !Complete(d.Doc) && s.young(d)
		if young {
			state.Unfinished = append(state.Unfinished, d.Path)
		}
		return !young && !d.Doc.Unfilled() && d.Doc.Undeliverable(d.Path) == nil
	}}
	state.Fresh = s.Book.News(ctx, *state, look)
	owed := s.Book.Owed(state.Dir)
	for _, d := range owed {
		state.Owed = append(state.Owed, d.Path)
	}
	if state.Create = slices.Concat(state.Fresh, state.Owed); !s.Config.CreateMetadata {
		state.Create = nil
	}
	s.settle(*state, owed)
	state.World.Faults, state.World.Known = s.faults, s.Book.Known
	if tree := s.Book.Tree(); tree != nil {
		s.asGitHas(ctx, tree, state)
	}
	return len(state.Unfinished) > 0
}

// copied reports whether the folder of a task is a copy of another one: its metadata names a
// document of a folder that is not this one, under the name that it has here.
func copied(s reconcile.State, d reconcile.Document) bool {
	own := []byte("/" + handoff.Folder + "/" + filepath.Base(d.Path))
	text := s.Metadata.Src
	for i := bytes.Index(text, own); i >= 0; i = bytes.Index(text, own) {
		from := bytes.LastIndexByte(text[:i], '"') + 1
		if at := string(text[from:i]); at != s.Dir && strings.HasPrefix(at, handoff.Root+"/") {
			return true
		}
		text = text[i+len(own):]
	}
	return false
}

// grave are the rules whose errors leave a successor without a step to begin with. With other
// errors, such as a line too many, it can work.
var grave = []string{"vague-next-action", "leftover-placeholder"}

// faults names the grave errors of a document.
func (s *Syncer) faults(d reconcile.Document) string {
	rules := slices.DeleteFunc(slices.Clone(s.Options.Rules), func(r *lint.Rule) bool { return !slices.Contains(grave, r.Name) })
	in := lint.Input{Doc: d.Doc, Path: d.Path, Name: d.Name, Now: s.Now()}
	var names []string
	for _, f := range lint.Document(&in, rules, s.Config.SettingsOf(d.Name.Layout)) {
		if f.Severity == lint.Error && !slices.Contains(names, f.Rule) {
			names = append(names, f.Rule)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return strings.Join(names, ", ") + " (`handoff lint " + d.Path + "`)"
}

// young reports whether a document was changed so shortly ago that its writer may go on.
func (s *Syncer) young(d reconcile.Document) bool {
	pause := s.Pause
	if pause == 0 {
		pause = Pause
	}
	st, err := os.Stat(s.Full(d.Path))
	return err == nil && s.Now().Sub(st.ModTime()).Abs() < pause
}

// asGitHas sets what is different for files that git wrote, or has as they are.
func (s *Syncer) asGitHas(ctx context.Context, tree *gitindex.Tree, state *reconcile.State) {
	index, err := tree.Tracked(ctx, s.Specs())
	if err != nil {
		return // as if nothing were tracked
	}
	state.World.Wrote = func(path string) bool { return s.gitWrote(tree, index, *state, path) }
	if s.named || len(state.Fresh) > 0 || slices.ContainsFunc(state.Owed, state.Unshared) {
		return
	}
	state.World.AsInGit = func(f reconcile.File) bool {
		return same(index, f.Path, f.Src) && !changed(index, *state)
	}
}

// gitWrote reports whether git wrote a file of a task, as it was loaded.
func (s *Syncer) gitWrote(tree *gitindex.Tree, index gitindex.Index, state reconcile.State, path string) bool {
	below := strings.TrimPrefix(path, handoff.Root+"/")
	if !index.Has(below) {
		return false
	}
	content := state.Metadata.Src
	if path != state.Metadata.Path {
		i := slices.IndexFunc(state.Documents, func(d reconcile.Document) bool { return d.Path == path })
		if i < 0 {
			return false
		}
		content = []byte(state.Documents[i].Doc.Source)
	}
	st, err := os.Lstat(s.Full(path))
	if err != nil || !st.Mode().IsRegular() || st.Size() != int64(len(content)) {
		return false
	}
	id := index.ID(below, content)
	return id != "" && tree.Wrote(id, st.ModTime())
}

// same reports whether git tracks a file below specs with a content.
func same(index gitindex.Index, path string, content []byte) bool {
	below, ok := strings.CutPrefix(path, handoff.Root+"/")
	return ok && index.Same(below, content)
}

// changed reports whether a document of a task differs from what git tracks: one is new,
// edited or deleted.
func changed(index gitindex.Index, s reconcile.State) bool {
	names := map[string]bool{}
	for _, d := range s.Documents {
		if !same(index, d.Path, []byte(d.Doc.Source)) {
			return true
		}
		names[filepath.Base(d.Path)] = true
	}
	tracked := index.In(strings.TrimPrefix(s.Dir, handoff.Root+"/") + "/" + handoff.Folder)
	return slices.ContainsFunc(tracked, func(name string) bool { return strings.HasSuffix(name, ".md") && name[0] != '.' && !names[name] })
}

// begin is called before a look at the tasks of a request. It returns what to call after a
// look at all of them, from which on the tree is known; nil for nothing.
func (s *Syncer) begin(all bool) (done func() error) {
	if !all || s.dry {
		return nil
	}
	done, err := s.Book.Start()
	if err != nil {
		return nil
	}
	return done
}

// wait waits until no git command changes the tree, for a request about all tasks.
func (s *Syncer) wait(ctx context.Context) error {
	tree := s.Book.Tree()
	if tree == nil || s.named || s.dry {
		return nil
	}
	tree.Await(ctx, seen.GitTakes)
	return ctx.Err()
}

// replaced returns what reports whether git has replaced the index since: a command has changed the tree then, and may
// have ended. What was read meanwhile may be from a rebase that was aborted.
func (s *Syncer) replaced() func() bool {
	tree := s.Book.Tree()
	if tree == nil || s.named || s.dry {
		return func() bool { return false }
	}
	before := tree.Written()
	return func() bool { return !before.Same(tree.Written()) }
}

// busy returns what git is doing if a plan must not be carried out meanwhile; "" for nothing.
// A file that git does not track never gets in its way, but during a rebase or a bisect git
// may want to write one of that name. Threads may be tracked, and are written with the plan.
func (s *Syncer) busy(ctx context.Context, p reconcile.Plan) string {
	tree := s.Book.Tree()
	if tree == nil || s.named || s.dry || len(p.Writes) == 0 {
		return ""
	}
	if busy := tree.Busy(); busy != "" {
		return busy
	}
	index, err := tree.Tracked(ctx, s.Specs())
	if err != nil {
		return ""
	}
	tracked := func(w reconcile.Write) bool { return index.Has(strings.TrimPrefix(w.Path, handoff.Root+"/")) }
	if s.Config.Threads || slices.ContainsFunc(p.Writes, tracked) {
		return tree.Hooks()
	}
	return ""
}
