package task

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// formBytes is how much of a file shows what it is.
const formBytes = 64 << 10

// Suspect reports whether only the content of a document shows whether it is a handoff: it has no date in
// its path, and is one of several files in its folder, where tools also keep forms and indexes.
func (l *Layout) Suspect(p string) bool {
	if l.Replaces || path.Ext(p) != ".md" || strings.Contains(path.Base(p), "*") {
		return false
	}
	n := l.Read(p)
	return n.Time.IsZero() && n.Filed.IsZero() && n.PhaseText == ""
}

// IsOther reports whether a text is a form that is to be filled in, or an index that only points to
// other files: neither says where any work is.
func IsOther(src []byte) bool {
	src = src[:min(len(src), formBytes)]
	lines, blanks, pointers := 0, 0, 0
	fenced := false
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if line == "" || line[0] == '#' || line[0] == '>' || strings.Trim(line, "-|: ") == "" || strings.HasPrefix(line, "<!--") {
			continue
		}
		lines++
		switch {
		case gap().MatchString(line):
			blanks++
		case !fenced && pointer().MatchString(line):
			pointers++
		}
	}
	return blanks >= 3 && blanks*2 >= lines || pointers >= 2 && (pointers+blanks)*5 >= lines*4
}

// They are compiled when they are first needed, not at the start of each command.
var (
	// gap is what a form has for its author: {One-line description}, [What was done].
	gap = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{[A-Za-z][^{}]*\}|\[[A-Z][^\[\]]* [^\[\]]*\]($|[^(\[:])`)
	})
	// pointer is an entry of an index: an item or a row that begins with another document.
	pointer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("^([-*+]|[0-9]+\\.|\\|) *\\**(\\[[^\\]]+\\]\\([^)]+\\.md\\)|`[^`]+\\.md`)")
	})
)
