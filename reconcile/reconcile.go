// Package reconcile keeps what machines read of a task true to its documents:
// partial_progress and the outputs in .return-meta.json, handoff_count in the
// progress files, and the bundle of each document in the artifact store.
//
// It works in three steps. [Load] reads a task's files into a [State]; [Make]
// plans, purely, what must change; [Apply] makes the change, content before
// the pointer to it, and only to files that still hold what was read. Planning
// again after applying gives an empty plan.
//
// A file that cannot be parsed, or whose form leaves doubt, is reported and
// left alone. The package knows no watching and no clock.
package reconcile

import (
	"slices"
	"time"

	"handoff"
	"handoff/artifact"
)

// State is what is known of a task.
type State struct {
	Dir       string     // the task folder below the workspace, "specs/259_prove_completeness"
	Documents []Document // oldest first, by time, phase and name
	Metadata  File
	Progress  map[int]File // of the phases that have a document
	Plan      File         // the newest plan
	Problems  []Problem    // files that could not be read

	// Moved is the path that a document has now, by the one it had, of those
	// that are known to have been renamed. Others are looked for.
	Moved map[string]string

	// Fresh lists the documents that are known to have been written just now:
	// they are the newest.
	Fresh []string
	// Create lists the documents for which metadata is made where there is none.
	Create []string
	// Threads has the bundles stored also where no metadata names them: threads
	// begin with them.
	Threads bool

	// Receipt is what was recorded about a document; nil where nothing ever is.
	Receipt func(path string) (Receipt, error)

	// Now is the clock's time. A document that says that it was written long
	// after is not believed; all are where it is zero.
	Now time.Time
	// Modified is when the file at a path was changed; zero when that is not
	// known.
	Modified func(path string) time.Time
	// Added is when git got the documents, by path, of those that it has.
	Added func() map[string]time.Time
	// Committed is when git last got the metadata; zero for never.
	Committed func() time.Time

	// Local maps an absolute path into the workspace to the one below its root;
	// ok is false for any other. nil maps none.
	Local func(abs string) (path string, ok bool)
	// Exists reports whether there is a file at a path below the workspace.
	Exists func(path string) bool
	// Missing is those of some blobs that the store does not hold.
	Missing func([]artifact.ID) []artifact.ID
	// Blob returns a blob's bytes; nil when there is none, or it is damaged.
	Blob func(artifact.ID) []byte
	// Failed is why Missing or Blob could not find out what the store holds, nil
	// usually: what they returned must not be reported then.
	Failed func() error
}

// Has reports whether the store holds a blob.
func (s State) Has(id artifact.ID) bool { return len(s.Missing([]artifact.ID{id})) == 0 }

// Document is a handoff document of the task.
type Document struct {
	Path string // below the workspace, forward slashes
	Name handoff.Name
	Doc  *handoff.Document

	kept *kept // nil where it is not
}

// Modified is when the file of the document was changed; zero where that was not
// asked.
func (d Document) Modified() time.Time {
	if d.kept == nil {
		return time.Time{}
	}
	return d.kept.stamp.Modified()
}

// File is a file of the task. Src is nil when there is none.
type File struct {
	Path       string // below the workspace, forward slashes
	Src        []byte
	Unreadable bool // it is there, and is left alone
}

// Problem is something that cannot be put right without a person.
type Problem struct {
	Path      string
	Line, Col int // 0 when the file as a whole is meant
	Text      string
}

// Plan is what must change. It is empty when all is true.
type Plan struct {
	Dir      string
	Blobs    []Blob  // first: content before the pointer to it
	Writes   []Write // then these, in order
	Links    []Link  // what is linked by it
	Bundles  []Link  // of all documents, oldest first, once it is carried out
	Changes  []string
	Problems []Problem
}

// Link is a document and its bundle.
type Link struct {
	Path string // of the document
	ID   artifact.ID
}

// Blob is a bundle that the store lacks.
type Blob struct {
	ID   artifact.ID
	Data []byte
}

// Write replaces a file that still holds Old; nil for Old makes it.
type Write struct {
	Path     string
	Old, New []byte
}

// Empty reports whether nothing is to be done. Problems do not count: they
// stay until a person has looked at them.
func (p *Plan) Empty() bool { return len(p.Blobs) == 0 && len(p.Writes) == 0 }

// Make plans what must change in a task.
func Make(s State) Plan {
	p := Plan{Dir: s.Dir, Problems: s.Problems}
	links := make([]link, 0, len(s.Documents))
	for _, d := range s.Documents {
		l, problem := s.linkOf(d)
		if problem != nil {
			problem.Text += ": not linked"
			p.Problems = append(p.Problems, *problem)
			continue
		}
		links = append(links, l)
	}
	m := metadata{State: s, plan: &p, links: links}
	if ok := m.reconcile(); (ok || s.Threads && s.Metadata.Src == nil && !s.Metadata.Unreadable) && len(links) > 0 {
		ids := make([]artifact.ID, len(links))
		for i, l := range links {
			ids[i] = l.id
		}
		missing := s.Missing(ids)
		for _, l := range links {
			p.Bundles = append(p.Bundles, Link{l.Path, l.id})
			if slices.Contains(missing, l.id) {
				p.Blobs = append(p.Blobs, Blob{l.id, s.bytes(l)})
			}
		}
	}
	counts(s, &p)
	return p
}
