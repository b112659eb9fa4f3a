package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"handoff/artifact"
	"handoff/internal/atomicfile"
	"handoff/internal/regular"
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
// list that is there, and may be the user's, is kept. Whoever writes begins
// here, and links out of the workspace end it: see checkFolders.
func (w *Workspace) stateDir() (string, error) {
	if err := w.checkFolders(); err != nil {
		return "", err
	}
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

// enter is what work in the folder begins with: to write it is made, to read
// nothing is.
func (w *Workspace) enter(writes bool) error {
	if !writes {
		return w.checkFolders()
	}
	_, err := w.stateDir()
	return err
}

// Folders that a link may stand in place of, as long as it leads to a folder
// of the workspace, and those in the folder of the tool's files that it may
// not.
var (
	insideFolders = []string{StateDir, path.Dir(path.Dir(artifact.Blobs)), path.Dir(artifact.Blobs), artifact.Blobs}
	ownFolders    = []string{"threads", "sessions", "tasks", "runs", "tape", "tape/archived"}
)

// checkFolders refuses links in the place of the folders of threads, runs and
// tapes, and links out of the workspace in the place of what holds them or the
// artifacts: what is made, healed and taken away in them would be so in a
// folder that is none of ours, and `gc` would not see what is named there.
func (w *Workspace) checkFolders() error {
	for _, name := range insideFolders {
		if err := w.checkFolder(name); err != nil {
			return err
		}
	}
	for _, name := range ownFolders {
		switch regular.KindOf(filepath.Join(w.Root, StateDir, name)) {
		case regular.Nothing, regular.Dir:
		default:
			return fmt.Errorf("%s/%s: is no folder, and links are not followed here", StateDir, name)
		}
	}
	return nil
}

// checkFolder refuses a link out of the workspace. That a folder is one takes
// one question: the watch asks before each of its writes.
func (w *Workspace) checkFolder(name string) error {
	switch regular.KindOf(filepath.Join(w.Root, filepath.FromSlash(name))) {
	case regular.Nothing, regular.Dir:
		return nil
	case regular.Link:
	default:
		return fmt.Errorf("%s: is no folder", name)
	}
	root, err := os.OpenRoot(w.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	switch st, err := root.Stat(filepath.FromSlash(name)); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && strings.Contains(err.Error(), "escapes"): // os has no name for that error
		return fmt.Errorf("%s: is a symbolic link out of the workspace, or an absolute one, and not followed: put a folder there", name)
	case err != nil:
		return fmt.Errorf("%s: %w", name, reason(err))
	case !st.IsDir():
		return fmt.Errorf("%s: is no folder", name)
	}
	return nil
}
