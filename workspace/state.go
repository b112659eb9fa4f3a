package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/atomicfile"
)

// StateDir is the folder of what the tool keeps for itself, below the root.
const StateDir = ".handoff"

// stateIgnore keeps out of git what only running processes need. It names
// itself, so that nobody has to commit it.
const stateIgnore = `# made by handoff: what running processes leave here is of no use to others
/.gitignore
/lock
/watch.json
/watch.lock
/watch.sock
/runs/
*.idx/
*.jsonl.lock
/.handoff-tmp-*
`

// stateDir makes the folder if need be, and tells git what to leave out. A
// list that is there, and may be the user's, is kept.
func (w *Workspace) stateDir() (string, error) {
	dir := filepath.Join(w.Root, StateDir)
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := atomicfile.Create(ignore, []byte(stateIgnore), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}
