package reconcile

import (
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// Bundle makes the handoff bundle of a document: its body, and what it refers
// to. The same document at the same path yields the same bytes. Absolute paths
// are left out; see [State.Bundle].
func Bundle(d Document) bundle.Handoff {
	b, _ := bundleIn(d, nil)
	return b
}

// Bundle is like the function [Bundle], but absolute paths into the workspace
// become relative. If the workspace was moved after the document was linked,
// paths into its old folder stay relative: otherwise each move would make every
// bundle stale.
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

// maxRoots bounds how many former folders of the workspace are tried for a
// document.
const maxRoots = 64

// roots are the folders above some absolute paths, each listed once.
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

// bundleIn makes a bundle. local maps an absolute path to a path below the
// workspace; nil maps none. absolute are all absolute paths that the document
// refers to.
func bundleIn(d Document, local func(string) (string, bool)) (b bundle.Handoff, absolute []string) {
	c := collector{doc: d.Doc, local: local, seen: map[string]bool{d.Path: true}}
	c.refs.Files = append(c.refs.Files, bundle.FileRef{Path: d.Path, Note: new("handoff document")})
	if f := d.Doc.Front; f != nil && f.Thread != "" && f.Seq != nil && *f.Seq >= 0 {
		c.refs.Threads = append(c.refs.Threads, bundle.ThreadRef{ThreadID: f.Thread, Seq: uint64(*f.Seq), Note: new("source cut")})
	}
	c.workFiles()
	c.references()
	for _, m := range handoff.MovedFrom(d.Doc) {
		c.artifact(m.Blob, "pinned items")
	}
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

// workFiles adds the files that the current state names. It skips "Files
// modified", which lists finished work, not where to resume.
func (c *collector) workFiles() {
	for l, in := range c.doc.WorkFiles {
		if !l.IsFile() {
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

// item adds the paths of a line below "Files". The path at its start may be a
// name without a folder.
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
			c.artifact(word, "reference")
		}
	}
}

// line adds the paths of a line. A name without a folder may be a file
// anywhere, so it is not a path; "./go.mod" is one.
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
		c.refs.Files = append(c.refs.Files, bundle.FileRef{Path: clean, Note: new(why)})
	}
}

func (c *collector) artifact(word, why string) {
	if len(word) != idLength {
		return
	}
	if id, err := artifact.ParseID(word); err == nil && !c.seen[word] {
		c.seen[word] = true
		c.refs.Artifacts = append(c.refs.Artifacts, bundle.ArtifactRef{ID: id, Note: new(why)})
	}
}

// idLength is the number of digits of an id.
const idLength = 64

func notHex(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }

// inside cleans a path that stays below the workspace.
func inside(p string) (string, bool) {
	p = path.Clean(p)
	return p, !strings.HasPrefix(p, "~") && bundle.ValidPath(p)
}
