package treetest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Mirror makes what is at a path equal to what is at another: it removes what is new, and copies
// what differs in kind, mode, size or time, with its mode and time. A test that runs a command a
// thousand times in the same tree restores it so between the runs, which costs a fraction of a copy.
//
// A file that was written in place must have another size or time then: it must be older than
// a tick of the clock when the command starts. No file may have a second name.
func Mirror(t testing.TB, from, to string) {
	t.Helper()
	if err := mirror(from, to); err != nil {
		t.Fatal(err)
	}
}

func mirror(from, to string) error {
	want, err := os.Lstat(from)
	if err != nil {
		return err
	}
	is, err := os.Lstat(to)
	switch {
	case err == nil && is.Mode().Type() != want.Mode().Type():
		if err := os.RemoveAll(to); err != nil {
			return err
		}
		is = nil
	case err != nil && !os.IsNotExist(err):
		return err
	case err != nil:
		is = nil
	}
	switch {
	case want.IsDir():
		return mirrorFolder(from, to, want, is)
	case want.Mode().IsRegular():
		if is != nil && is.Size() == want.Size() && is.Mode() == want.Mode() && is.ModTime().Equal(want.ModTime()) {
			return nil
		}
		return copyFile(from, to, want)
	case want.Mode().Type() == fs.ModeSymlink:
		return copyLink(from, to)
	}
	return fmt.Errorf("%s is neither a file, a folder nor a symbolic link: %v", from, want.Mode())
}

// mirrorFolder leaves the time of the folder for last: each change in it sets the time.
func mirrorFolder(from, to string, want, is fs.FileInfo) error {
	err := error(nil)
	if is == nil {
		err = os.Mkdir(to, 0o700)
	} else if is.Mode().Perm()&0o700 != 0o700 {
		err = os.Chmod(to, 0o700)
	}
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, e := range entries {
		known[e.Name()] = true
		if err := mirror(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			return err
		}
	}
	if entries, err = os.ReadDir(to); err != nil {
		return err
	}
	for _, e := range entries {
		if !known[e.Name()] {
			if err := os.RemoveAll(filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	return like(to, want)
}

// copyFile writes into the file that is there, if there is one: where thousands were deleted a moment
// ago, ext4 takes long to find a place for a new file.
func copyFile(from, to string, want fs.FileInfo) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.Chmod(to, 0o600); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		return err
	}
	return like(to, want)
}

func copyLink(from, to string) error {
	leads, err := os.Readlink(from)
	if err != nil {
		return err
	}
	if now, err := os.Readlink(to); err == nil && now == leads {
		return nil
	}
	if err := os.Remove(to); err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.Symlink(leads, to)
}

func like(path string, want fs.FileInfo) error {
	if err := os.Chmod(path, want.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(path, want.ModTime(), want.ModTime())
}
