package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
*.jsonl.torn-*
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

// ownFolders are those of threads and runs in the folder of the tool's files.
var ownFolders = []string{"threads", "sessions", "tasks", "runs"}

// checkFolders refuses links in the place of the folders of threads and runs,
// and one out of the workspace in the place of all: what is made, healed and
// taken away in them would be so in a folder that is none of ours, and `gc`
// would not see what is named there.
func (w *Workspace) checkFolders() error {
	root, err := os.OpenRoot(w.Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	switch st, err := root.Stat(StateDir); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && strings.Contains(err.Error(), "escapes"): // os has no name for that error
		return fmt.Errorf("%s: leads out of the workspace", StateDir)
	case err != nil:
		return fmt.Errorf("%s: %w", StateDir, reason(err))
	case !st.IsDir():
		return fmt.Errorf("%s: is no folder", StateDir)
	}
	for _, name := range ownFolders {
		path := filepath.Join(w.Root, StateDir, name)
		if st, err := os.Lstat(path); err == nil && !st.IsDir() {
			return fmt.Errorf("%s/%s: is no folder, and links are not followed here", StateDir, name)
		}
	}
	return nil
}
