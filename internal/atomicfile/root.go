package atomicfile

import (
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
)

// WriteIn replaces the content of a file below root, or makes the file: after
// a crash at any moment the name holds the old content or the new one. What
// stands at the name is replaced, also a symbolic link; a folder is an error.
// No step leaves root, whatever links lie in it. The process's umask holds.
//
// The folder of the file must exist: see [MkdirAllIn].
func WriteIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	if err := PlaceIn(root, name, data, mode); err != nil {
		return err
	}
	return SyncDirIn(root, path.Dir(name))
}

// PlaceIn is [WriteIn] but for its last step: a crash can forget the name until
// [SyncDirIn], which is needed only once for many files.
func PlaceIn(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	temp := path.Join(path.Dir(name), tempName())
	err := writeNew(root, temp, data, mode)
	if err == nil {
		err = root.Rename(temp, name)
	}
	if err != nil {
		root.Remove(temp)
	}
	return err
}

func writeNew(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
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

// MkdirAllIn makes a folder below root with its parents, and flushes each
// parent that got a new entry: else a crash could forget the whole branch
// together with the files in it.
func MkdirAllIn(root *os.Root, dir string, mode fs.FileMode) error {
	if st, err := root.Stat(dir); err == nil && st.IsDir() {
		return nil
	}
	if parent := path.Dir(dir); parent != dir {
		if err := MkdirAllIn(root, parent, mode); err != nil {
			return err
		}
	}
	if err := root.MkdirAll(dir, mode); err != nil { // unlike Mkdir, content when another process was faster
		return err
	}
	return SyncDirIn(root, path.Dir(dir))
}

// SyncDirIn is [SyncDir] below root.
func SyncDirIn(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil // see SyncDir
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// StreamIn makes a file in a folder below root whose name is known only when
// its content is: fill writes the content and says the file's own name, or ""
// to leave nothing behind. All else is as in [WriteIn].
func StreamIn(root *os.Root, dir string, mode fs.FileMode, fill func(io.Writer) (name string, err error)) error {
	temp := path.Join(dir, tempName())
	f, err := root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
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
		err = root.Rename(temp, path.Join(dir, name))
	}
	if err != nil || name == "" {
		root.Remove(temp)
		return err
	}
	return SyncDirIn(root, dir)
}
