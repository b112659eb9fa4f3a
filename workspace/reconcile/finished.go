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
	return l.Finished()
}

// Finished does so for a state that has its metadata.
func (s State) Finished() bool {
	status := StatusOf(s.Metadata)
	if !status.Finished() {
		return false
	}
	m := metadata{State: s, plan: new(Plan)}
	m.file = m.parsed(m.plan)
	return m.file != nil && m.text("status") == status.Status
}
