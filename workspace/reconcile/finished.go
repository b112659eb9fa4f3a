package reconcile

import "handoff/document/handoff"

// Finished reports whether the metadata of a task shows that nothing is left to do. Then
// [State.Wait] finds nothing, without a doubt, whatever its documents are: this reads none of
// them. It is false for metadata that cannot be read.
func (m *Loader) Finished(root, dir string) bool {
	l := loader{root: root, memory: m, State: State{Dir: dir}}
	if l.enter() != nil {
		return false
	}
	l.Metadata = l.read(dir + "/" + handoff.MetadataFile)
	status := StatusOf(l.Metadata)
	if !status.Finished() {
		return false
	}
	read := metadata{State: l.State, plan: new(Plan)}
	read.file = read.parsed(read.plan)
	return read.file != nil && read.text("status") == status.Status
}
