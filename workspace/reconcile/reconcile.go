// Package reconcile keeps the machine-readable files of a task in sync with its
// documents: partial_progress and the outputs in .return-meta.json,
// handoff_count in the progress files, and the bundle of each document in the
// artifact store.
//
// It works in three steps. [Loader.Load] reads a task's files into a [State]; [Make]
// plans the changes, and has the state's [World] look for the few facts that no file of the task
// shows, such as what git has, when a task needs them; [Apply] stores blobs, then writes the files
// that name them, unless another program changed them. A second run plans nothing.
//
// A file that cannot be parsed, or whose meaning is unclear, is reported and never
// changed. The package uses neither the clock nor the configuration, and watches
// nothing. The rules of `handoff verify` are in workspace/reconcile/rules.
package reconcile

import (
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
)

// State is what was read from a task.
type State struct {
	Dir       string     // the task folder below the workspace: "specs/259_prove_completeness"
	Documents []Document // oldest first, by time, phase and name
	Metadata  File
	Progress  map[int]File // of the phases that have a document
	Plan      File         // the newest plan
	Problems  []Problem    // files that could not be read

	// Moved maps the old paths of documents that the caller saw renamed to
	// their new paths. Make also looks for other renamed documents.
	Moved map[string]string

	// Fresh lists documents that are news: they are the newest.
	Fresh []string
	// Unfinished lists documents that are still being written. They are not linked yet, so that a
	// later time of the metadata shows that somebody else wrote it.
	Unfinished []string
	// Create lists the documents for which missing metadata is created.
	Create []string
	// Owed lists documents about which a command of this working tree recorded a step that the
	// metadata does not show yet: it was killed, or is about to write the metadata.
	Owed []string
	// Threads stores bundles even if no metadata names them, because threads
	// begin with them.
	Threads bool

	// Now is the current time. Documents dated long after it are not believed;
	// if it is zero, all are.
	Now time.Time
	// Local maps an absolute path into the workspace to the path below it; ok
	// is false for any other path. If Local is nil, no path is mapped.
	Local func(abs string) (path string, ok bool)

	// World answers what these files do not show, when that is needed. Set it before the state is
	// asked for anything: each answer is kept.
	World World
	facts *facts
}

// Known is what is known of a document from earlier looks.
type Known struct {
	Since time.Time // when it was written if it was news, else when it was seen first; zero if it was not
	Came  bool      // it came into a tree that was known
	News  bool      // it was written by an agent or a person, and presented unless the metadata showed otherwise
}

// Document is a handoff document of the task.
type Document struct {
	Path string // below the workspace, forward slashes
	Name handoff.Name
	Doc  *handoff.Document

	kept *kept // nil if it is not cached
}

// Modified is when the document's file was changed; zero if it was not read.
func (d Document) Modified() time.Time {
	if d.kept == nil {
		return time.Time{}
	}
	return d.kept.stamp.Modified()
}

// File is a file of the task. Src is nil if there is none.
type File struct {
	Path       string // below the workspace, forward slashes
	Src        []byte
	Unreadable bool // it exists; it is never changed
}

// Problem is something that only a person can fix.
type Problem struct {
	Path string `json:"path,omitempty"`
	Line int    `json:"line,omitempty"` // 0 for the whole file
	Col  int    `json:"col,omitempty"`
	Text string `json:"message"`
}

// KeptText describes a file that was kept aside. of is the name of the file that
// the other program wrote.
func KeptText(of string) string {
	return "was written to " + of + " by another program at the same time: copy over what is missing there, then delete it"
}

// Plan is what must change. It is empty if everything agrees.
type Plan struct {
	Dir      string
	Blobs    []Blob  // stored first, because Writes name them
	Writes   []Write // then written, in order
	Links    []Link  // the links that Writes add
	Bundles  []Link  // of all documents, oldest first, after Apply
	Changes  []string
	Problems []Problem

	Left []string // files that would change, and are as git tracks them: see [World.AsInGit]

	// Ready, if not nil, is called when all is on the disk, right before files get their new
	// content. Its error stops that.
	Ready func() error `json:"-"`
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

// Write replaces a file that still contains Old; it creates the file if Old is
// nil.
type Write struct {
	Path     string
	Old, New []byte
}

// Empty reports whether there is nothing to do. Problems do not count: they
// remain until a person fixes them.
func (p *Plan) Empty() bool { return len(p.Blobs) == 0 && len(p.Writes) == 0 }

// Make plans what must change in a task. It is a function of the state: what it needs from
// outside of the task's files is looked for once, and is the same at the next call.
func Make(s State) Plan {
	s = s.settled()
	p := Plan{Dir: s.Dir, Problems: s.Problems}
	links := make([]link, 0, len(s.Documents))
	for _, d := range s.Documents {
		if slices.Contains(s.Unfinished, d.Path) {
			continue
		}
		l, problem := s.linkOf(d)
		if problem != nil {
			problem.Text += ": not linked"
			p.Problems = append(p.Problems, *problem)
			continue
		}
		links = append(links, l)
	}
	m := metadata{State: s, plan: &p, links: links}
	ok := m.reconcile()
	if len(p.Left) > 0 {
		links = s.named(links)
	}
	if (ok || s.Threads && s.Metadata.Src == nil && !s.Metadata.Unreadable) && len(links) > 0 {
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

// named are those links that the metadata has.
func (s State) named(links []link) []link {
	ids, err := s.Bundles()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(links, func(l link) bool { return ids[l.Path] != l.id.String() })
}
