package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// file is an entry of an archive: a file, or a symlink to one beside it.
type file struct {
	name string
	data []byte
	mode fs.FileMode
	link string
}

// files are the entries for a target, sorted by name: pages come in any order. The command
// is there under both names.
func (r *release) files(t target, binary string) ([]file, error) {
	data, err := os.ReadFile(binary)
	list := append(slices.Clone(r.pages), file{name: t.program(command), data: data, mode: 0o755})
	if t.system == "windows" { // where only administrators make symlinks
		list = append(list, file{name: packageName + ".cmd", data: []byte("@\"%~dp0" + t.program(command) + "\" %*\r\n"), mode: 0o644})
	} else {
		list = append(list, file{name: packageName, link: command, mode: 0o777})
	}
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list, err
}

// page is the text of a page, by its name in the archive.
func (r *release) page(name string) []byte {
	i := slices.IndexFunc(r.pages, func(f file) bool { return f.name == name })
	return r.pages[i].data // pages writes it, or fails
}

// archive writes a zip for Windows and a tar.gz for all others. Entries are in a folder
// of the archive's name, so that unpacking does not scatter them.
func (r *release) archive(t target, binary string) error {
	list, err := r.files(t, binary)
	if err != nil {
		return err
	}
	pack := tarball
	if t.system == "windows" {
		pack = zipped
	}
	data, err := pack(r.stem(t), list, r.built.time)
	if err != nil {
		return err
	}
	return r.write(r.stem(t)+ending(t), data)
}

func ending(t target) string {
	if t.system == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// tarball is a tar.gz of files, all with the same time and no owner.
func tarball(folder string, list []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b) // the best compression takes three times as long, for one hundredth less
	if err := tarred(z, folder, list, at); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// tarred writes a tar of files.
func tarred(to io.Writer, folder string, list []file, at time.Time) error {
	w := tar.NewWriter(to)
	for _, f := range list {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode.Perm()), Size: int64(len(f.data)), ModTime: at}
		if f.link != "" {
			h.Typeflag, h.Linkname = tar.TypeSymlink, f.link
		}
		if f.mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
			h.Mode |= int64(f.mode & fs.ModeSticky >> 11) // 01000 in a tar
		}
		err := w.WriteHeader(h)
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// zipped is a zip of files, all with the same time.
func zipped(folder string, list []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range list {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode)
		entry, err := w.CreateHeader(h)
		if err == nil {
			_, err = entry.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
