package prove

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/claims"
	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/prose"
)

// said judges what a document claims without a mark. What can be looked up is told only if it is not so: that a file is
// there does not show what it is said to hold.
func (p *Prover) said(ctx context.Context, name string, doc *handoff.Document, judged map[int]bool, emit func(Result) error) error {
	written := time.Time{}
	if m, ok := handoff.ParseName(name).Moment(); ok {
		written = m.Latest()
	}
	for c := range claims.In(doc, false) {
		if judged[c.Lines.First] || c.Marked && c.Mark == nil {
			continue
		}
		text := c.Text
		if c.Mark != nil {
			text, _, _ = evidence.Split(text)
		}
		r := Result{Path: name, Line: c.Lines.First, Section: c.Section.String(), Text: prose.OneLine(plainLabel(text))}
		if c.Mark != nil { // of a paragraph
			if p.judge(ctx, &r, c.Mark); ctx.Err() != nil {
				return ctx.Err()
			}
			if err := emit(r); err != nil {
				return err
			}
			for n := c.Block.First; n <= c.Block.Last; n++ {
				judged[n] = true
			}
			continue
		}
		if c.Kind.Asserted() && !c.Doubtful {
			r.Verdict, r.Why = Unverified, "it says that "+c.Kind.String()+", and not how that was checked"
		}
		p.look(ctx, &r, c, written)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Verdict != "" && !(c.Doubtful && r.Verdict == Verified) {
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// look compares a claim with the workspace and git. What git does not know stays as it is.
func (p *Prover) look(ctx context.Context, r *Result, c claims.Claim, written time.Time) {
	stale := func(format string, args ...any) { r.Verdict, r.Why = Stale, fmt.Sprintf(format, args...) }
	root := p.ws.Root
	switch c.Kind {
	case claims.File, claims.Line, claims.Count:
		file, known := p.find(ctx, r.Path, c.Path)
		if file == "" {
			if known && (!c.Doubtful || p.beside(r.Path, firstFolder(c.Path)) != "") && !p.replaced(ctx, r.Path, c) {
				stale("%s is not in the workspace", c.Path)
			}
			return
		}
		if c.Kind == claims.File {
			return
		}
		n, ok := countLines(root, file)
		switch {
		case !ok:
		case c.Kind == claims.Line && c.Number > n:
			stale("%s has %s, there is no line %d", file, prose.Count(n, "line"), c.Number)
		case c.Kind == claims.Count && c.Number != n:
			stale("%s has %s", file, prose.Count(n, "line"))
		}
	case claims.Absent:
		if file, _ := p.find(ctx, r.Path, c.Path); file != "" {
			stale("%s exists", file)
		}
	case claims.Commit:
		if has, err := gitindex.HasCommit(ctx, root, c.Name); err == nil && !has {
			stale("the repository has no commit %s", c.Name)
		}
	case claims.Branch:
		own, remote, err := gitindex.Branches(ctx, root)
		_, short, _ := strings.Cut(c.Name, "/") // origin/main
		if err == nil && !slices.Contains(own, c.Name) && !slices.Contains(remote, c.Name) && !slices.Contains(remote, short) {
			stale("there is no branch %s, here or of a remote", c.Name)
		}
	case claims.Merged:
		p.merged(ctx, r, c.Name, c.Said)
	case claims.Pushed:
		p.pushed(ctx, r, c.Name, written)
	default:
		p.lookFurther(ctx, r, c, stale)
	}
}

// merged compares with the branch into which it was merged, the main one if the claim names none, if the claim names a
// branch or a commit that is here.
func (p *Prover) merged(ctx context.Context, r *Result, name, into string) {
	main := p.mainOr(ctx, into)
	if name == "" || main == "" || main == name {
		return
	}
	if !p.git.has(ctx, name) { // the branch is gone, as merged ones are
		return
	}
	switch in, err := gitindex.Contains(ctx, p.ws.Root, main, name); {
	case err != nil:
	case in:
		r.Verdict, r.Why = Verified, main+" contains "+name
	default:
		r.Verdict, r.Why = Stale, main+" does not contain "+name
	}
}

// mainOr returns a branch of this name, else the main one if the name is one of those that main branches have, or empty.
func (p *Prover) mainOr(ctx context.Context, name string) string {
	main, err := gitindex.Main(ctx, p.ws.Root)
	switch {
	case err != nil:
		return ""
	case name != "" && name != main && p.git.has(ctx, "refs/heads/"+name):
		return name
	case name == "" || name == main || prose.OneOf(name, "main", "master", "trunk"):
		return main
	}
	return ""
}

// pushed compares with what the remotes had when they were asked last.
func (p *Prover) pushed(ctx context.Context, r *Result, name string, written time.Time) {
	root := p.ws.Root
	_, remote, err := gitindex.Branches(ctx, root)
	switch {
	case err != nil:
	case len(remote) == 0:
		r.Why += "; no branch of a remote is known here"
	case name != "" && p.git.has(ctx, name):
		if in, err := gitindex.Contains(ctx, root, "", name); err == nil && !in {
			r.Verdict, r.Why = Stale, "no branch of a remote contains "+name
		} else if in {
			r.Verdict, r.Why = Verified, "a branch of a remote contains "+name
		}
	case !written.IsZero():
		if n, err := gitindex.Unpushed(ctx, root, written); err == nil && n > 0 {
			r.Verdict, r.Why = Stale, prose.Count(n, "commit")+" of before the document, on no branch of a remote"
		}
	}
}

func (r *repository) has(ctx context.Context, rev string) bool {
	ok, err := gitindex.HasCommit(ctx, r.root, rev)
	return err == nil && ok
}

// find returns the file of the workspace that a document means by a path: from its root, from the folder of the document
// or one above, else the first path with that end. known is false if git does not list the files.
func (p *Prover) find(ctx context.Context, document, name string) (file string, known bool) {
	if file = p.beside(document, name); file != "" {
		return file, true
	}
	p.list(ctx)
	for _, f := range p.git.all {
		if strings.HasSuffix(f, "/"+name) || strings.Contains(f, "/"+name+"/") {
			return f, true
		}
	}
	return "", p.git.unlisted == nil
}

// list asks git once for the files.
func (p *Prover) list(ctx context.Context) {
	if !p.git.listed {
		p.git.listed = true
		p.git.all, p.git.unlisted = gitindex.Files(ctx, p.ws.Root)
	}
}

// replaced reports whether a file that is missing is named beside one that is there: the sentence may say where it went.
func (p *Prover) replaced(ctx context.Context, document string, c claims.Claim) bool {
	if c.Said == "" || !c.Doubtful {
		return false
	}
	other, _ := p.find(ctx, document, c.Said)
	return other != ""
}

// beside is the path of a file or folder from the folder of the document or one above it; "" if there is none.
func (p *Prover) beside(document, name string) string {
	for dir := path.Dir(document); ; dir = path.Dir(dir) {
		if full := path.Join(dir, name); filepath.IsLocal(filepath.FromSlash(full)) && exists(filepath.Join(p.ws.Root, filepath.FromSlash(full))) {
			return full
		}
		if dir == "." || dir == "/" {
			return ""
		}
	}
}

// firstFolder is the first folder of a path. Where there is none of that name, the path may be that of a package.
func firstFolder(name string) string {
	first, _, _ := strings.Cut(name, "/")
	return first
}

// countLines counts the lines of a file. ok is false if it cannot be read.
func countLines(root, name string) (n int, ok bool) {
	text, err := nofollow.Root(root).ReadFile(filepath.Join(root, filepath.FromSlash(name)), maxFile)
	if err != nil {
		return 0, false
	}
	n = bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n, true
}
