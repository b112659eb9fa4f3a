package prove

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/document/claims"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/prose"
)

// lookFurther compares what a sentence says of a thing that it names: what is in a file, what a commit did, what a file is
// called. stale notes that it is not so.
func (p *Prover) lookFurther(ctx context.Context, r *Result, c claims.Claim, stale func(format string, args ...any)) {
	root := p.ws.Root
	switch c.Kind {
	case claims.Placed:
		if why := p.misplaced(ctx, r.Path, c); why != "" {
			stale("%s", why)
		}
	case claims.Files:
		if n := p.filesIn(ctx, c.Path); len(n) > 0 && !slices.Contains(n, c.Number) {
			stale("%s has %s", c.Path, prose.Count(n[0], "file"))
		}
	case claims.Titled:
		p.titled(ctx, c, stale)
	case claims.Unmerged:
		main := p.mainOr(ctx, c.Said)
		if main == "" || !p.git.has(ctx, c.Name) {
			return
		}
		in, err := gitindex.Contains(ctx, root, main, c.Name)
		if back, backErr := gitindex.Contains(ctx, root, c.Name, main); err == nil && backErr == nil && in && !back {
			stale("%s contains %s", main, c.Name) // a new branch without a commit of its own is contained, too
		}
	case claims.Gone:
		if file := p.beside(r.Path, c.Path); file != "" {
			stale("%s exists", file)
		}
	case claims.Renamed:
		if file := p.beside(r.Path, c.Said); file != "" && path.Clean(c.Said) != path.Clean(c.Path) {
			stale("%s still exists", file)
		} else if file, known := p.find(ctx, r.Path, c.Path); file == "" && known {
			stale("%s is not in the workspace", c.Path)
		}
	case claims.Tagged:
		switch commit, any, err := gitindex.Tag(ctx, root, c.Name); {
		case err != nil || !any:
		case commit == "":
			stale("there is no tag %s", c.Name)
		case !strings.HasPrefix(commit, c.Said):
			stale("the tag %s is at %s", c.Name, commit[:min(shortID, len(commit))])
		}
	}
}

// near is how far a text may be from the line where it is said to be: a few lines more above it are soon written.
const near = 5

// misplaced says why a text is not where it is said to be, "" if it is or nothing shows that.
func (p *Prover) misplaced(ctx context.Context, document string, c claims.Claim) string {
	files, known := p.ends(ctx, document, c.Path)
	if len(files) == 0 {
		if known && !c.Doubtful {
			return c.Path + " is not in the workspace"
		}
		return ""
	}
	want := strings.Join(strings.Fields(c.Said), " ")
	if c.Number == 0 {
		want = lastName(want)
	}
	why := ""
	for _, file := range files {
		text, err := nofollow.Root(p.ws.Root).ReadFile(filepath.Join(p.ws.Root, filepath.FromSlash(file)), maxFile)
		if err != nil {
			return "" // a folder, too
		}
		at, n := 0, 0
		for line := range strings.Lines(string(text)) {
			if n++; strings.Contains(strings.Join(strings.Fields(line), " "), want) && (at == 0 || abs(n-c.Number) < abs(at-c.Number)) {
				at = n
			}
		}
		switch {
		case at == 0 && c.Number > n:
			why = file + " has " + prose.Count(n, "line")
		case at == 0:
			why = file + " does not contain " + prose.OneLine(want)
		case c.Number <= n && abs(at-c.Number) <= near || c.Number == 0:
			return ""
		default:
			why = prose.OneLine(want) + " is at " + file + ":" + strconv.Itoa(at)
		}
	}
	return why
}

func abs(n int) int { return max(n, -n) }

// lastName is the last of the names of "Type.method()".
func lastName(name string) string {
	name = strings.TrimSuffix(name, "()")
	return name[strings.LastIndexAny(name, ".:#>")+1:]
}

// ends are the files that a document may mean by a path: as [Prover.find], but all that have this end.
func (p *Prover) ends(ctx context.Context, document, name string) (files []string, known bool) {
	file, known := p.find(ctx, document, name)
	if file == "" || strings.Contains(name, "/") {
		return slices.DeleteFunc([]string{file}, func(f string) bool { return f == "" }), known
	}
	p.list(ctx)
	for _, f := range p.git.all {
		if path.Base(f) == name {
			files = append(files, f)
		}
	}
	if !slices.Contains(files, file) {
		files = append(files, file)
	}
	return files, known
}

// filesIn are the numbers of files that a folder may be said to have: in it, in it without hidden ones, and with those in its
// folders. It is empty if there is no such folder.
func (p *Prover) filesIn(ctx context.Context, dir string) (numbers []int) {
	full := filepath.Join(p.ws.Root, filepath.FromSlash(dir))
	if !filepath.IsLocal(filepath.FromSlash(dir)) {
		return nil
	}
	list, err := os.ReadDir(full)
	if err != nil {
		return nil
	}
	list = slices.DeleteFunc(list, fs.DirEntry.IsDir)
	hidden := slices.DeleteFunc(slices.Clone(list), func(e fs.DirEntry) bool { return e.Name()[0] == '.' })
	p.list(ctx)
	below := 0
	for _, f := range p.git.all {
		if strings.HasPrefix(f, dir+"/") {
			below++
		}
	}
	return []int{len(list), len(hidden), below}
}

// titled compares what a commit is said to have done with its message and paths. Some words are enough: people shorten.
func (p *Prover) titled(ctx context.Context, c claims.Claim, stale func(format string, args ...any)) {
	root := p.ws.Root
	switch has, err := gitindex.HasCommit(ctx, root, c.Name); {
	case err != nil:
		return
	case !has:
		stale("the repository has no commit %s", c.Name)
		return
	}
	did, err := gitindex.Did(ctx, root, c.Name)
	if err != nil || strings.Contains(strings.ToLower(did), strings.ToLower(strings.Trim(c.Said, " .…"))) {
		return
	}
	has, words := claims.TitleWords(did), claims.TitleWords(c.Said)
	same := 0
	for _, w := range words {
		if slices.Contains(has, w) {
			same++
		}
	}
	const quoted, told = 2, 3 // one of so many words is enough
	of := told
	if c.Exact {
		of = quoted
	}
	if len(words) > 0 && same*of < len(words) {
		subject, _, _ := strings.Cut(did, "\n")
		stale("commit %s is %q", c.Name, prose.OneLine(subject))
	}
}
