package workspace

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// Spelled is [Workspace.Rel] of a file or folder that exists, as its folders list it. On file systems that ignore case, or how an
// accent is encoded, a file opens under many names: two agents that type different ones must not both get its claim, which is
// kept by path, and metadata must name it as others find it.
func (w *Workspace) Spelled(file string) string {
	rel := w.Rel(file)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return rel
	}
	at := "."
	for name := range strings.SplitSeq(rel, "/") {
		at = path.Join(at, listed(w.Full(at), name))
	}
	return at
}

// listed is the name under which a folder lists a file.
func listed(dir, name string) string {
	st, err := os.Lstat(filepath.Join(dir, name))
	if err != nil || !ambiguous(dir, name) {
		return name
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return name
	}
	other := name
	for _, e := range entries {
		if e.Name() == name {
			return name
		}
		if one, err := e.Info(); strings.EqualFold(e.Name(), name) || err == nil && os.SameFile(one, st) {
			other = e.Name()
		}
	}
	return other
}

// ambiguous reports whether a file that exists may be listed under another name: the name in the other case finds one, too, or it
// has characters with several encodings.
func ambiguous(dir, name string) bool {
	swapped := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, name)
	_, err := os.Lstat(filepath.Join(dir, swapped))
	return swapped != name && err == nil || len(name) != len([]rune(name))
}
