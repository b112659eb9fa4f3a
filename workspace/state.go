package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"handoff/artifact"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
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
func (w *Workspace) CreateStateDir() (string, error) {
	if err := w.CheckFolders(); err != nil {
		return "", err
	}
	dir := filepath.Join(w.Root, StateDir)
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Lstat(ignore); err == nil {
		return dir, nil
	}
	if err := w.Trusted().MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := atomicfile.Create(w.Trusted(), ignore, []byte(stateIgnore), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// enter is what work in the folder begins with: to write it is made, to read
// nothing is.
func (w *Workspace) enter(writes bool) error {
	if !writes {
		return w.CheckFolders()
	}
	_, err := w.CreateStateDir()
	return err
}

// ownFolders are the folders of the tool's own files, and ownFiles those files
// that are derived: nobody would be told that they could not be written.
var (
	ownFolders = []string{path.Dir(path.Dir(artifact.Blobs)), path.Dir(artifact.Blobs), artifact.Blobs, StateDir, StateDir + "/threads",
		StateDir + "/sessions", StateDir + "/tasks", StateDir + "/runs", StateDir + "/tape", StateDir + "/tape/archived"}
	ownFiles = []string{StateDir + "/tape/manifest.json"}
)

// checkFolders refuses what is in the place of the tool's own folders and is no
// folder, before anything is written beside it. Whoever writes follows no link
// anyway: see [handoff/internal/file/nofollow].
func (w *Workspace) CheckFolders() error {
	for _, name := range ownFolders {
		if err := w.checkOwn(name, regular.Dir, "a folder"); err != nil {
			return err
		}
	}
	for _, name := range ownFiles {
		if err := w.checkOwn(name, regular.File, "a regular file"); err != nil {
			return err
		}
	}
	return nil
}

// checkOwn takes one question: the watch asks before each of its writes.
func (w *Workspace) checkOwn(name string, want regular.Kind, called string) error {
	path := filepath.Join(w.Root, filepath.FromSlash(name))
	switch regular.KindOf(path) {
	case regular.Nothing, want:
		return nil
	case regular.Link:
		return fmt.Errorf("%s: %s: put %s there", name, nofollow.LinkAt(path).What(), called)
	}
	return fmt.Errorf("%s: is not %s", name, called)
}
