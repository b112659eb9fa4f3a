package documents

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"time"

	"handoff/workspace"
)

// settled is the age below which a file may change without a new time.
const settled = 2 * time.Second

// Sums remembers the SHA-256 of documents, so that only those that may have changed are
// read again. The zero value is ready. It is not for several goroutines at once.
type Sums struct{ of map[string]sum }

type sum struct {
	file fs.FileInfo
	hex  string
}

// Of returns the SHA-256 of a document's bytes in lowercase hex, and when the file was
// last changed. The errors are those of [ReadInside]; the time is zero only if there is no
// such file.
func (s *Sums) Of(w *workspace.Workspace, path string) (text string, changed time.Time, err error) {
	now, err := os.Stat(w.Full(path)) // before it is read: a change after that has a new time
	if err != nil {
		return "", time.Time{}, err
	}
	changed = now.ModTime()
	old, known := s.of[path]
	if known && os.SameFile(old.file, now) && old.file.Size() == now.Size() && old.file.ModTime().Equal(changed) && time.Since(changed) >= settled {
		return old.hex, changed, nil
	}
	src, err := readInside(w, path)
	if err != nil {
		return "", changed, err
	}
	all := sha256.Sum256(src)
	if s.of == nil {
		s.of = map[string]sum{}
	}
	s.of[path] = sum{now, hex.EncodeToString(all[:])}
	return s.of[path].hex, changed, nil
}
