package workspace

import (
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/state"
)

// Keeps reports whether a file, by its path below the root, is a document of a handoff, or one that handoff itself writes.
func (w *Workspace) Keeps(name string) bool { return OwnFile(name) || w.NameOf(name).Known }

// OwnFile reports whether handoff itself writes a file: its state, its store, the documents
// and the records of a task, but not what people write there. A change of one does not show that an agent worked. The path is
// below the root or the top of a repository, with forward slashes; git gives a new folder
// with a slash at its end.
func OwnFile(name string) bool {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		switch part {
		case state.Dir, state.Artifacts:
			return part != state.Dir || !state.IsYours(strings.Join(parts[i+1:], "/"))
		case handoff.Root:
			return ownRecord(parts[i+1:])
		}
	}
	return false
}

// ownRecord does so for a path below the folder of the tasks. A new folder of a task is one,
// because a relay creates it.
func ownRecord(parts []string) bool {
	for _, part := range parts {
		if part == handoff.Folder || part == path.Dir(handoff.ProgressFile(1)) {
			return true
		}
	}
	last := ""
	if n := len(parts); n > 0 {
		last = parts[n-1]
	}
	return last == "" || last == handoff.MetadataFile
}
