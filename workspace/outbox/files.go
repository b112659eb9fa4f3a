package outbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// file is the file of a request. Its name, NUMBER-LOG-KEY.json, is enough to count the
// requests of a log without reading any.
type file struct {
	number   uint64 // its place in the order
	log, key string // digests
}

func fileOf(r *Request) file { return file{1, logDigest(r.Log()), digest(r.Key, 12)} }

func logDigest(log string) string { return digest(log, 8) }

func (f file) name() string { return fmt.Sprintf("%010d-%s-%s.json", f.number, f.log, f.key) }

func parseName(name string) (f file, ok bool) {
	rest, ok := strings.CutSuffix(name, ".json")
	parts := strings.Split(rest, "-")
	if !ok || len(parts) != 3 {
		return f, false
	}
	number, err := strconv.ParseUint(parts[0], 10, 63)
	f = file{number, parts[1], parts[2]}
	return f, err == nil && f.name() == name
}

// files returns the files of all requests, in order.
func (b *Box) files() (all []file, err error) { return filesIn(b.dir) }

func filesIn(dir string) (all []file, err error) {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range list {
		if f, ok := parseName(e.Name()); ok && e.Type().IsRegular() {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b file) int { return strings.Compare(a.name(), b.name()) })
	return all, err
}

// bytes is the size of files.
func (b *Box) bytes(all []file) (sum int64, err error) {
	for _, f := range all {
		st, err := os.Lstat(filepath.Join(b.dir, f.name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // sent in the meantime
		}
		if err != nil {
			return 0, err
		}
		sum += st.Size()
	}
	return sum, nil
}
