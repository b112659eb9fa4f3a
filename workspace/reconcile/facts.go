package reconcile

import (
	"slices"
	"time"

	"handoff/log/artifact"
)

// World looks at what the files of a task do not show: other files, git, the store, receipts. A
// nil function is a question without an answer.
type World struct {
	// Modified is when a file was changed; zero if that is unknown.
	Modified func(path string) time.Time
	// Wrote reports whether git wrote a file as it is: then its time shows when it was
	// checked out, not when it was written. nil if there is no git.
	Wrote func(path string) bool
	// AsInGit reports whether a file of the task is to be left as it is, because git tracks
	// it with this content, and all documents of the task, too: nothing new was written. nil
	// if such files are changed as well.
	AsInGit func(f File) bool
	// Added is when git got the documents that it has, by path.
	Added func() map[string]time.Time
	// Committed is when git last got the metadata; zero for never.
	Committed func() time.Time

	// Exists reports whether there is a file at a path below the workspace.
	Exists func(path string) bool
	// Missing returns those of some blobs that are not in the store.
	Missing func([]artifact.ID) []artifact.ID
	// Blob returns a blob's bytes; nil if it is missing or damaged.
	Blob func(artifact.ID) []byte
	// Failed is why Missing or Blob could not read the store; usually nil. If
	// it is not, their results must not be reported.
	Failed func() error

	// Known is what is known of a document from earlier looks; nil if there were none.
	Known func(d Document) Known
	// Faults names what is wrong with a document so that a successor cannot begin with it; ""
	// for nothing. nil without a check.
	Faults func(d Document) string
	// Receipt is what was recorded about a document; nil if nothing ever is.
	Receipt func(path string) (Receipt, error)
}

// facts are the answers of a World. A question is asked when it comes up first, because most
// tasks need few of the answers and some cost a git process. From then on the answer belongs to
// the state: what follows from it, such as a plan, is a function of the state alone, and the
// same however often it is asked and whatever happens to the files meanwhile.
type facts struct {
	modified         map[string]time.Time
	wrote, unchanged map[string]bool // by path; unchanged as in git
	exists           map[string]bool
	added            *map[string]time.Time
	committed        *time.Time
	missing          map[artifact.ID]bool
	blobs            map[artifact.ID][]byte
	known            map[string]Known
	faults           map[string]string
	receipts         map[string]answeredReceipt
}

type answeredReceipt struct {
	Receipt
	err error
}

// settled is the state with a place for its facts.
func (s State) settled() State {
	if s.facts == nil {
		s.facts = new(facts)
	}
	return s
}

// answer returns what is known under a key, or looks and remembers it.
func answer[K comparable, V any](known *map[K]V, key K, look func() V) V {
	if v, ok := (*known)[key]; ok {
		return v
	}
	v := look()
	if *known == nil {
		*known = map[K]V{}
	}
	(*known)[key] = v
	return v
}

// once is answer for a question without a key.
func once[V any](known **V, look func() V) V {
	if *known == nil {
		v := look()
		*known = &v
	}
	return **known
}

// Modified is when a file was changed; zero if that is unknown.
func (s State) Modified(path string) time.Time {
	if s.World.Modified == nil {
		return time.Time{}
	}
	return answer(&s.settled().facts.modified, path, func() time.Time { return s.World.Modified(path) })
}

// wroteByGit reports whether git wrote a file: see [World.Wrote].
func (s State) wroteByGit(path string) bool {
	return s.World.Wrote != nil && answer(&s.settled().facts.wrote, path, func() bool { return s.World.Wrote(path) })
}

// leave reports whether a file is not to be changed, because nothing is news: see
// [World.AsInGit].
func (s State) leave(f File) bool {
	return s.World.AsInGit != nil && answer(&s.settled().facts.unchanged, f.Path, func() bool { return s.World.AsInGit(f) })
}

func (s State) added() map[string]time.Time {
	if s.World.Added == nil {
		return nil
	}
	return once(&s.settled().facts.added, s.World.Added)
}

func (s State) committed() time.Time {
	if s.World.Committed == nil {
		return time.Time{}
	}
	return once(&s.settled().facts.committed, s.World.Committed)
}

// Exists reports whether there is a file at a path below the workspace.
func (s State) Exists(path string) bool {
	return s.World.Exists != nil && answer(&s.settled().facts.exists, path, func() bool { return s.World.Exists(path) })
}

// Missing returns those of some blobs that are not in the store. It asks for all that are not
// known at once.
func (s State) Missing(ids []artifact.ID) (missing []artifact.ID) {
	f := s.settled().facts
	var ask []artifact.ID
	for _, id := range ids {
		if _, known := f.missing[id]; !known {
			ask = append(ask, id)
		}
	}
	if len(ask) > 0 {
		lacks := s.World.Missing(ask)
		for _, id := range ask {
			answer(&f.missing, id, func() bool { return slices.Contains(lacks, id) })
		}
	}
	for _, id := range ids {
		if f.missing[id] {
			missing = append(missing, id)
		}
	}
	return missing
}

// Has reports whether the store holds a blob.
func (s State) Has(id artifact.ID) bool { return len(s.Missing([]artifact.ID{id})) == 0 }

// Blob returns a blob's bytes; nil if it is missing or damaged.
func (s State) Blob(id artifact.ID) []byte {
	if s.World.Blob == nil {
		return nil
	}
	return answer(&s.settled().facts.blobs, id, func() []byte { return s.World.Blob(id) })
}

// Failed is why the store could not be read; usually nil. If it is not, what follows from the
// state must not be reported.
func (s State) Failed() error {
	if s.World.Failed == nil {
		return nil
	}
	return s.World.Failed()
}

// known is what is known of a document from earlier looks.
func (s State) known(d Document) Known {
	if s.World.Known == nil {
		return Known{}
	}
	return answer(&s.settled().facts.known, d.Path, func() Known { return s.World.Known(d) })
}

// faultsOf names what is wrong with a document: see [World.Faults].
func (s State) faultsOf(d Document) string {
	if s.World.Faults == nil {
		return ""
	}
	return answer(&s.settled().facts.faults, d.Path, func() string { return s.World.Faults(d) })
}

// Receipt is what was recorded about a document.
func (s State) Receipt(path string) (Receipt, error) {
	if s.World.Receipt == nil {
		return Receipt{}, nil
	}
	a := answer(&s.settled().facts.receipts, path, func() answeredReceipt {
		r, err := s.World.Receipt(path)
		return answeredReceipt{r, err}
	})
	return a.Receipt, a.err
}

// stored is the state with another store.
func (s State) stored(missing func([]artifact.ID) []artifact.ID, blob func(artifact.ID) []byte) State {
	f := *s.settled().facts
	f.missing, f.blobs, f.unchanged = nil, nil, nil
	s.facts = &f
	s.World.Missing, s.World.Blob = missing, blob
	return s
}
