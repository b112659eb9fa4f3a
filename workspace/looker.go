package workspace

import (
	"bytes"
	"context"
	"path"
	"path/filepath"
	"strings"

	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
)

// Looker reports what exists at a path of a workspace, and caches the answers. It is
// for one goroutine. The zero value needs a Root.
type Looker struct {
	Root string
	Here WorkingDir // of the process; "" asks the kernel for whole paths
	seen map[string]lint.Facts
	long map[string]int // number of lines, by path of a file whose lines were counted
	buf  []byte

	within func(abs string) (string, bool) // see [regular.Within]; nil until first needed
	left   *gitindex.LeftOut               // nil until first needed
	named  map[string]string               // the tracked file with a base name, "" for several; nil until first needed
}

// In is a Looker for another root. It takes over the memory of this one, which is not used again.
func (l *Looker) In(root string) Looker { return Looker{Root: root, Here: l.Here, buf: l.buf} }

// remembered bounds the cache of a Looker, so that its memory does not grow with the
// size of the tree.
const remembered = 1 << 12

// Look reports what exists at a path from a document: relative to Root with forward
// slashes, or absolute.
func (l *Looker) Look(path string) lint.Facts {
	if f, ok := l.seen[path]; ok {
		return f
	}
	if l.seen == nil || len(l.seen) >= remembered {
		l.seen, l.long = make(map[string]lint.Facts), make(map[string]int)
	}
	f := l.ask(path)
	l.seen[strings.Clone(path)] = f // path is a substring of a document, which the cache would otherwise keep in memory
	return f
}

// ask looks at the disk. A path that leaves the workspace is reported as existing
// without a look, because findings must not depend on files outside the workspace.
func (l *Looker) ask(path string) lint.Facts {
	local := filepath.FromSlash(path)
	if filepath.IsAbs(local) {
		if l.within == nil {
			l.within = regular.Within(l.Root)
		}
		if below, ok := l.within(local); ok {
			local = filepath.FromSlash(below)
		}
	}
	if !filepath.IsLocal(local) {
		return lint.Facts{Exists: true}
	}
	full := l.Root + string(filepath.Separator) + local
	exists, isFolder := regular.Look(l.Here.Near(full))
	f := lint.Facts{Exists: exists, Folder: isFolder}
	if !exists {
		return l.leftOut(full)
	}
	if !isFolder {
		f.Lines = func() int { return l.lines(full) }
	}
	return f
}

// leftOut looks for what the disk does not have in a sparse checkout: the commit has it.
func (l *Looker) leftOut(full string) (f lint.Facts) {
	if l.left == nil {
		left := gitindex.FindLeftOut(context.Background(), l.Root)
		l.left = &left
	}
	f.Exists, f.Folder = l.left.Has(full)
	return f
}

// Like returns the only file with the same base name as a path that does not exist, of those that git
// tracks and that are still there; "" for none or several.
func (l *Looker) Like(name string) string {
	if l.named == nil {
		l.named = map[string]string{}
		tree, ok := gitindex.OpenTree(l.Root)
		if !ok {
			return ""
		}
		index, err := tree.Tracked(context.Background(), l.Root)
		if err != nil {
			return ""
		}
		for file := range index.Files() {
			base := path.Base(file)
			if _, several := l.named[base]; several {
				file = ""
			}
			l.named[base] = file
		}
	}
	if at := l.named[path.Base(name)]; at != "" && l.Look(at).Exists {
		return at
	}
	return ""
}

func (l *Looker) lines(path string) int {
	n, ok := l.long[path]
	if !ok {
		n = l.count(path)
		l.long[path] = n
	}
	return n
}

func (l *Looker) count(path string) int {
	const most = 16 << 20 // bytes; larger files are not source code in which a reader looks up a line
	real, err := nofollow.Root(l.Root).Inside(path)
	if err != nil {
		return 0
	}
	src, err := regular.Read(l.Here.Near(real), l.buf, most)
	if err != nil {
		return 0
	}
	l.buf = src
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}
