package receipt

import (
	"path/filepath"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/state"
	"handoff/internal/uuid"
)

// maxMark bounds what is read of a mark.
const maxMark = 64

// Mark returns the random name of the repository, and makes one where there is none. If it changes, the repository was
// deleted and made again in the same folder: what was recorded beside it is gone. It is "" outside of git, or if it cannot
// be written.
func (p Place) Mark() string {
	if mark := p.Marked(); mark != "" || !p.InGit() {
		return mark
	}
	file := p.Beside(state.Mark)
	if atomicfile.MkdirAll(p.Root, filepath.Dir(file), 0o755) != nil {
		return ""
	}
	_ = atomicfile.Create(p.Root, file, []byte(uuid.New()+"\n"), 0o644) // fails if another process made it
	return p.Marked()
}

// Marked returns the name that [Place.Mark] made; "" for none.
func (p Place) Marked() string {
	if !p.InGit() {
		return ""
	}
	src, _ := p.Root.ReadUnlinked(p.Beside(state.Mark), maxMark)
	return strings.TrimSpace(string(src))
}
