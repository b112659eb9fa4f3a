package pinned

import "handoff/document/handoff"

// Follower follows the items through the documents of a task, the oldest first. A missing
// artifact is rebuilt from the documents, if they still have its items.
type Follower struct {
	Blobs Blobs // the store; nil if there is none

	made map[string][]byte
	last *handoff.Document
}

// Blob returns an artifact of the store, or a rebuilt one; nil if there is neither.
func (f *Follower) Blob(id string) []byte {
	if src, ok := f.made[id]; ok {
		return src
	}
	if f.Blobs == nil {
		return nil
	}
	return f.Blobs(id)
}

// Next compares the next document with the one before. missing are its lines whose
// artifacts are not there and cannot be made: their items count as lost.
func (f *Follower) Next(doc *handoff.Document) (changes []Change, missing []handoff.Moved) {
	for _, m := range handoff.MovedFrom(doc) {
		if f.Blob(m.Blob) != nil {
			continue
		}
		src := Rebuild(m, All(f.last, f.Blob), doc)
		if src == nil {
			missing = append(missing, m)
			continue
		}
		if f.made == nil {
			f.made = map[string][]byte{}
		}
		f.made[m.Blob] = src
	}
	changes = Compare(f.last, doc, f.Blob)
	f.last = doc
	return changes, missing
}
