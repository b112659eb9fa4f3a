package atomicfile

import (
	"io"
	"io/fs"
	"os"

	"handoff/internal/file/nofollow"
)

// WriteIn replaces the content of a file in an open folder, or creates the
// file: after a crash at any moment the name holds the old content or the new
// one. What has the name is replaced, also a symbolic link; a folder is an
// error. The process's umask holds.
func WriteIn(dir *nofollow.Dir, name string, data []byte, mode fs.FileMode) error {
	if err := PlaceIn(dir, name, data, mode); err != nil {
		return err
	}
	return dir.Sync()
}

// PlaceIn is [WriteIn] but for its last step: a crash can forget the name until
// the folder is flushed, which is needed only once for many files.
func PlaceIn(dir *nofollow.Dir, name string, data []byte, mode fs.FileMode) error {
	temp := tempName()
	err := writeNew(dir, temp, data, mode)
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		dir.Remove(temp)
	}
	return err
}

func writeNew(dir *nofollow.Dir, name string, data []byte, mode fs.FileMode) error {
	f, err := dir.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}

// StreamIn creates a file in an open folder whose name is known only when its
// content is: fill writes the content and returns the file's name, or "" to
// leave nothing behind. All else is as in [WriteIn].
func StreamIn(dir *nofollow.Dir, mode fs.FileMode, fill func(io.Writer) (name string, err error)) error {
	temp := tempName()
	f, err := dir.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	name, err := fill(f)
	if err == nil && name != "" {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil && name != "" {
		err = dir.Rename(temp, name)
	}
	if err != nil || name == "" {
		dir.Remove(temp)
		return err
	}
	return dir.Sync()
}
