//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

// watcher uses inotify directly.
type watcher struct {
	fd   int
	dirs map[int32]string
	buf  [64 << 10]byte
	rest []byte
}

func newWatcher() (*watcher, error) {
	fd, err := syscall.InotifyInit1(syscall.IN_CLOEXEC)
	return &watcher{fd: fd, dirs: map[int32]string{}}, err
}

func (w *watcher) add(dir string, mask uint32) error {
	wd, err := syscall.InotifyAddWatch(w.fd, dir, mask)
	w.dirs[int32(wd)] = dir
	return err
}

// next waits for an event and returns the path of the file.
func (w *watcher) next() (string, error) {
	if len(w.rest) == 0 {
		n, err := syscall.Read(w.fd, w.buf[:])
		if err != nil {
			return "", err
		}
		w.rest = w.buf[:n]
	}
	e := (*syscall.InotifyEvent)(unsafe.Pointer(&w.rest[0]))
	name := w.rest[syscall.SizeofInotifyEvent : syscall.SizeofInotifyEvent+int(e.Len)]
	w.rest = w.rest[syscall.SizeofInotifyEvent+int(e.Len):]
	return filepath.Join(w.dirs[e.Wd], strings.TrimRight(string(name), "\x00")), nil
}

// floor is the minimum work of a watch: read the written file, and rename a
// file of two kilobytes over the metadata. It parses nothing, reads no other
// file and does not fsync.
func floor(dir string) error { return onHandoff(dir, renameOver) }

func renameOver(meta, path string, src []byte) error {
	if err := os.WriteFile(meta+".new", named(path, src), 0o644); err != nil {
		return err
	}
	return os.Rename(meta+".new", meta)
}

func named(path string, src []byte) []byte {
	return append([]byte("{\"handoff_path\": \""+filepath.Base(path)+"\"}\n"), src...)
}

// durable is the minimum work of a watch whose metadata never names a file that
// could be lost: it writes a blob and the metadata, fsyncs both concurrently,
// renames the blob and then the metadata, and fsyncs both folders.
func durable(dir string) error {
	blobs := filepath.Join(dir, "blobs")
	if err := os.MkdirAll(blobs, 0o755); err != nil {
		return err
	}
	return onHandoff(dir, func(meta, path string, src []byte) error {
		task := filepath.Dir(meta)
		blob := filepath.Join(blobs, filepath.Base(task)+"-"+filepath.Base(path))
		other := make(chan error, 1)
		go func() { other <- writeFlushed(blob+".new", src) }()
		err := writeFlushed(meta+".new", named(path, src))
		if err = errors.Join(<-other, err); err != nil {
			return err
		}
		if err := errors.Join(os.Rename(blob+".new", blob), os.Rename(meta+".new", meta)); err != nil {
			return err
		}
		go func() { other <- flush(blobs) }()
		err = flush(task)
		return errors.Join(<-other, err)
	})
}

func writeFlushed(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func flush(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// onHandoff calls f for each document that is written, with its task's
// metadata.
func onHandoff(dir string, f func(meta, path string, src []byte) error) error {
	w, err := newWatcher()
	if err != nil {
		return err
	}
	folders, err := filepath.Glob(filepath.Join(dir, "specs", "*", "handoffs"))
	if err != nil {
		return err
	}
	for _, f := range folders {
		if err := w.add(f, syscall.IN_CLOSE_WRITE|syscall.IN_MOVED_TO); err != nil {
			return err
		}
	}
	os.Stderr.WriteString("watching\n")
	for {
		path, err := w.next()
		if err != nil {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := f(filepath.Join(filepath.Dir(filepath.Dir(path)), ".return-meta.json"), path, src); err != nil {
			return err
		}
	}
}
