package reconcile

import (
	"path"
	"strings"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/text/prose"
)

// Bundle makes the handoff bundle of a document: its body, and what it refers
// to. The same document at the same path gives the same bytes. Absolute paths
// are left out; see [State.Bundle].
func Bundle(d Document) bundle.Handoff {
	b, _ := bundleIn(d, nil)
	return b
}

// Bundle is the function of that name, but absolute paths into the workspace
// count as the relative ones. Where the workspace is at another place than it
// was when the document was linked, the paths that were inside then still are:
// a bundle depends on the document alone, once it is linked.
func (s State) Bundle(d Document) bundle.Handoff {
	own, absolute := bundleIn(d, s.Local)
	if len(absolute) == 0 {
		return own
	}
	linked, err := s.Linked(d.Path)
	if err != nil || linked.IsZero() || linked == own.ID() {
		return own
	}
	for _, root := range roots(absolute) {
		b, _ := bundleIn(d, func(abs string) (string, bool) { return strings.CutPrefix(abs, root+"/") })
		if b.ID() == linked {
			return b
		}
	}
	return own
}

// maxRoots bounds how many places of the workspace are tried for a document.
const maxRoots = 64

// roots are the folders above some absolute paths, each once.
func roots(absolute []string) (list []string) {
	seen := map[string]bool{}
	for _, p := range absolute {
		for dir := path.Dir(p); dir != "/" && dir != "." && len(list) < maxRoots; dir = path.Dir(dir) {
			if !seen[dir] {
				seen[dir] = true
				list = append(list, dir)
			}
		}
	}
	return list
}

// bundleIn makes a bundle. local maps an absolute path to the one below the
// workspace; nil maps none. absolute is all absolute paths the document names
// where a reference is looked for.
func bundleIn(d Document, local func(string) (string, bool)) (b bundle.Handoff, absolute []string) {
	c := collector{doc: d.Doc, local: local, seen: map[string]bool{d.Path: true}}
	c.refs.Files = append(c.refs.Files, bundle.FileRef{Path: d.Path, Note: note("handoff document")})
	if f := d.Doc.Front; f != nil && f.Thread != "" && f.Seq != nil && *f.Seq >= 0 {
		c.refs.Threads = append(c.refs.Threads, bundle.ThreadRef{ThreadID: f.Thread, Seq: uint64(*f.Seq), Note: note("source cut")})
	}
	c.workFiles()
	c.references()
	return bundle.Handoff{SummaryMarkdown: Body(d.Doc), Refs: c.refs}, c.absolute
}

// collector collects what a document refers to.
type collector struct {
	doc      *handoff.Document
	local    func(string) (string, bool)
	seen     map[string]bool // paths and ids
	refs     bundle.Refs
	absolute []string
}

// workFiles takes in the files that the current state names. "Files modified"
// is left out: that is what was done, not where work continues.
func (c *collector) workFiles() {
	for l, in := range c.doc.WorkFiles {
		if !strings.EqualFold(l.Name, "File") && !strings.EqualFold(l.Name, "Files") {
			continue
		}
		for p := range prose.Paths(l.Value) {
			c.file(p.Text, "current state")
		}
		for n := in.First; n <= in.Last && l.Value == ""; n++ {
			c.item(n)
		}
	}
}

// item takes in the paths of a line below "Files". What it opens with is one also
// where it names no folder.
func (c *collector) item(n int) {
	line := c.doc.Line(n)
	for p := range prose.Paths(line) {
		if strings.Trim(line[:p.From], " \t-*+`[.)0123456789") == "" {
			c.file(p.Text, "current state")
		}
		break
	}
	c.line(n, "current state")
}

func (c *collector) references() {
	s := c.doc.Section(handoff.References)
	if s == nil || s.Body.First == 0 {
		return
	}
	for n := s.Body.First; n <= s.Body.Last; n++ {
		c.line(n, "reference")
		for word := range strings.FieldsFuncSeq(c.doc.Line(n), notHex) {
			c.artifact(word)
		}
	}
}

// line takes in the paths of a line. A name without a folder is no path: it
// refers to a file that is anywhere. "./go.mod" is one.
func (c *collector) line(n int, why string) {
	for p := range prose.Paths(c.doc.Line(n)) {
		if strings.Contains(p.Text, "/") {
			c.file(p.Text, why)
		}
	}
}

func (c *collector) file(p, why string) {
	if strings.HasPrefix(p, "/") {
		p = path.Clean(p)
		c.absolute = append(c.absolute, p)
		if c.local == nil {
			return
		}
		var ok bool
		if p, ok = c.local(p); !ok {
			return
		}
	}
	if clean, ok := inside(p); ok && !c.seen[clean] {
		c.seen[clean] = true
		c.refs.Files = append(c.refs.Files, bundle.FileRef{Path: clean, Note: note(why)})
	}
}

func (c *collector) artifact(word string) {
	if len(word) != idLength {
		return
	}
	if id, err := artifact.ParseID(word); err == nil && !c.seen[word] {
		c.seen[word] = true
		c.refs.Artifacts = append(c.refs.Artifacts, bundle.ArtifactRef{ID: id, Note: note("reference")})
	}
}

// idLength is the number of digits of an id.
const idLength = 64

func note(s string) *string { return &s }

func notHex(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

// inside cleans a path that stays below the workspace.
func inside(p string) (string, bool) {
	p = path.Clean(p)
	return p, !strings.HasPrefix(p, "~") && bundle.ValidPath(p)
}
