package reconcile

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/artifact"
	"handoff/internal/file/atomicfile"
)

// Finding is a place where the files of a task do not agree.
type Finding struct {
	Rule      string
	Severity  Severity
	Path      string // below the workspace, forward slashes
	Line, Col int    // 0 when the file as a whole is meant
	Message   string
	Derivable bool // applying the plan fixes it
}

// Check proves that documents, metadata, progress files, bundles and the plan
// of a task agree, and returns where they do not, in the order of the files.
func Check(s State, d Disk) []Finding {
	found := check(s, d)
	if len(found) == 0 {
		return nil
	}
	left := map[Finding]bool{}
	for _, f := range check(s.after(Make(s.Strict()), d), d) {
		left[f.anywhere()] = true
	}
	for i, f := range found {
		found[i].Derivable = !left[f.anywhere()]
	}
	return found
}

// anywhere is the finding without its place, which an edit moves.
func (f Finding) anywhere() Finding {
	f.Line, f.Col = 0, 0
	return f
}

// Strict is the state to which a damaged blob is none, so that planning makes
// it again.
func (s State) Strict() State {
	blob := s.Blob
	s.Missing = lacking(func(id artifact.ID) bool {
		data := blob(id)
		return data != nil && artifact.Sum(data) == id
	})
	return s
}

// lacking is [State.Missing] of a store that is asked for one blob at a time.
func lacking(has func(artifact.ID) bool) func([]artifact.ID) []artifact.ID {
	return func(ids []artifact.ID) (missing []artifact.ID) {
		for _, id := range ids {
			if !has(id) {
				missing = append(missing, id)
			}
		}
		return missing
	}
}

// after is the state once the plan is made true.
func (s State) after(p Plan, d Disk) State {
	s.Progress = maps.Clone(s.Progress)
	for _, w := range p.Writes {
		if w.Path == s.Metadata.Path {
			s.Metadata.Src = w.New
		}
		for phase, f := range s.Progress {
			if f.Path == w.Path {
				s.Progress[phase] = File{Path: f.Path, Src: w.New}
			}
		}
	}
	made := map[artifact.ID][]byte{}
	for _, b := range p.Blobs {
		if !d.Outside(blobPath(b.ID)) { // the store writes through no link
			made[b.ID] = b.Data
		}
	}
	has, blob := s.Has, s.Blob
	s.Missing = lacking(func(id artifact.ID) bool { return made[id] != nil || has(id) })
	s.Blob = func(id artifact.ID) []byte {
		if data := made[id]; data != nil {
			return data
		}
		return blob(id)
	}
	return s
}

// checker gathers findings.
type checker struct {
	State
	Disk
	links []link
	found []Finding
}

func check(s State, d Disk) []Finding {
	c := &checker{State: s, Disk: d}
	for _, p := range s.Problems {
		rule := UnreadableFile
		if c.Outside(p.Path) {
			rule = LinkedOutside
		}
		c.at(rule, p.Path, p.Line, p.Col, "%s", strings.TrimSuffix(p.Text, ": left alone"))
	}
	c.names()
	c.documents()
	c.metadata()
	c.progress()
	slices.SortStableFunc(c.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return c.found
}

// at reports a finding with its rule's severity.
func (c *checker) at(rule, path string, line, col int, format string, args ...any) {
	c.found = append(c.found, Finding{
		Rule: rule, Severity: RuleNamed(rule).Severity, Path: path, Line: line, Col: col, Message: fmt.Sprintf(format, args...),
	})
}

// file reports a finding about a file as a whole.
func (c *checker) file(rule, path, format string, args ...any) {
	c.at(rule, path, 0, 0, format, args...)
}

// names looks for names that one file has on a system that ignores case, and
// for files that were kept aside.
func (c *checker) names() {
	for _, other := range c.Twins(c.Dir) {
		c.file(CaseClash, c.Dir, "differs only in case from %s", other)
	}
	for _, dir := range []string{c.Dir, c.Dir + "/handoffs", c.Dir + "/plans", c.Dir + "/progress"} {
		seen := map[string]string{}
		for _, name := range c.Names(dir) {
			if of := atomicfile.SavedOf(name); of != "" {
				c.file(KeptAside, dir+"/"+name, "%s", KeptText(of))
			}
			low := strings.ToLower(name)
			if first, ok := seen[low]; ok {
				c.file(CaseClash, dir+"/"+name, "differs only in case from %s", first)
				continue
			}
			seen[low] = name
		}
	}
}

// KeptText says of a file what it is: what another writer made of the file of
// that name, kept aside.
func KeptText(of string) string {
	return "was written to " + of + " by another program at the same time: copy over what is missing there, then delete it"
}

// documents makes the links and checks what the documents themselves name.
func (c *checker) documents() {
	for _, d := range c.Documents {
		var unread Plan
		l, ok := c.linkOf(d, &unread)
		for _, p := range unread.Problems {
			c.at(UnreadableFile, p.Path, p.Line, p.Col, "%s", strings.TrimSuffix(p.Text, ": not linked"))
		}
		if !ok {
			continue
		}
		c.links = append(c.links, l)
	}
	for _, l := range c.links {
		for _, ref := range Bundle(l.Document).Refs.Artifacts {
			if !c.Has(ref.ID) && !c.derives(ref.ID) {
				c.at(MissingBlob, l.Path, lineOf(l.Document, ref.ID), 0, "references artifact %s, which is not in the store", ref.ID)
			}
		}
	}
}

// derives reports whether it is the bundle of a document of the task.
func (c *checker) derives(id artifact.ID) bool {
	return slices.ContainsFunc(c.links, func(l link) bool { return l.id == id })
}

func lineOf(d Document, id artifact.ID) int {
	for n := 1; n <= d.Doc.NumLines(); n++ {
		if strings.Contains(d.Doc.Line(n), id.String()) {
			return n
		}
	}
	return 0
}

// blob checks the bundle of a document that the store holds.
func (c *checker) blob(l link) {
	if bytes.Equal(c.Blob(l.id), c.State.bytes(l)) {
		return // and it is a regular file: the store reads no other
	}
	at := blobPath(l.id)
	if c.Outside(at) {
		c.file(LinkedOutside, at, "is a symbolic link out of the workspace")
		return
	}
	c.file(DamagedBlob, at, "bytes do not match its name: the bundle of %s", l.Path)
}

func blobPath(id artifact.ID) string { return artifact.Blobs + "/" + id.String() }
