package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// file is an entry of an archive.
type file struct {
	name string
	data []byte
	mode fs.FileMode
}

// files are the entries for a target, sorted by name: pages come in any order.
func (r *release) files(binary string) ([]file, error) {
	data, err := os.ReadFile(binary)
	list := append(slices.Clone(r.pages), file{path.Base(binary), data, 0o755})
	slices.SortFunc(list, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return list, err
}

// archive writes a zip for Windows and a tar.gz for all others. Entries are in a folder
// of the archive's name, so that unpacking does not scatter them.
func (r *release) archive(name string, t target, binary string) error {
	list, err := r.files(binary)
	if err != nil {
		return err
	}
	pack, ending := tarball, ".tar.gz"
	if t.system == "windows" {
		pack, ending = zipped, ".zip"
	}
	data, err := pack(name, list, r.built.time)
	if err != nil {
		return err
	}
	return r.write(name+ending, data)
}

// tarball is a tar.gz of files, all with the same time and no owner.
func tarball(folder string, list []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a constant of the package
	w := tar.NewWriter(z)
	for _, f := range list {
		err := w.WriteHeader(&tar.Header{Name: path.Join(folder, f.name), Mode: int64(f.mode), Size: int64(len(f.data)), ModTime: at})
		if err == nil {
			_, err = w.Write(f.data)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
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
