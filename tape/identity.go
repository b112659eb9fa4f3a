package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
)

// identityFile has the name by which a workspace without a label is told from
// others. It is made when something is sent for the first time.
const (
	identityFile   = "workspace"
	identityPrefix = "ws-"
)

// identity is what envelopes call this workspace: its label, or a name of its
// own. In "workspace", which stands for the one that a URI is read in, the
// receiver would find entries of its own.
func (s *Store) identity() (string, error) {
	if name := s.known(); name != "" {
		return name, nil
	}
	path := filepath.Join(s.folder, tapeFolder, identityFile)
	if err := s.root().MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	name := identityPrefix + s.options.NewID()
	err := atomicfile.Create(s.root(), path, []byte(name+"\n"), 0o644)
	if errors.Is(err, fs.ErrExist) { // another was faster
		if name = s.known(); name == "" {
			err = fmt.Errorf("%s: it contains no name: remove it", path)
		} else {
			err = nil
		}
	}
	return name, err
}

// known is the identity, "" if there is none yet.
func (s *Store) known() string {
	if s.options.Workspace != anyWorkspace {
		return s.options.Workspace
	}
	return s.sentAs()
}

// sentAs is the name of its own that the workspace has, "" for none. It is
// understood also after the workspace was given a label.
func (s *Store) sentAs() string {
	src, err := regular.ReadUnlinked(filepath.Join(s.folder, tapeFolder, identityFile), nil, 200)
	if name := strings.TrimSpace(string(src)); err == nil && strings.HasPrefix(name, identityPrefix) {
		return name
	}
	return ""
}

// sentRef is the URI by which others refer to an entry.
func (s *Store) sentRef(tape string, e Entry) (string, error) {
	name, err := s.identity()
	r := s.RefTo(tape, e)
	r.Workspace = name
	return r.String(), err
}
