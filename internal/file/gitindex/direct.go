package gitindex

import (
	"bytes"
	"compress/zlib"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"handoff/internal/file/regular"
)

// direct reads a repository without git, whose process costs more than all else that a
// hook does. It knows what an ordinary repository has right after a commit: a branch in a
// file or in packed-refs, and objects in a file each. For everything else, such as packed
// or replaced objects and other kinds of refs, it returns not ok, and git is run instead.
// So it never has to guess.
type direct struct {
	prefix string // of the folder below the root of the working tree: "" or "a/b/"
	git    string // the folder of this working tree: HEAD and its log
	common string // the folder that all working trees share: refs and objects
	buffer *bytes.Reader
	zlib   io.ReadCloser
	trees  map[string][]byte // by id
}

// Limits of reading without git.
const (
	maxRef    = 4 << 10
	maxPacked = 1 << 20
	maxTree   = 4 << 20
	maxLoose  = 16 << 20 // a compressed object
)

// steering are the variables that make git look elsewhere than in the folders above.
var steering = []string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
	"GIT_NAMESPACE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_REPLACE_REF_BASE"}

// openDirect finds the repository of a folder. ok is false if there is none, or if the
// question needs git.
func openDirect(dir string) (d *direct, ok bool) {
	for _, name := range steering {
		if os.Getenv(name) != "" {
			return nil, false
		}
	}
	d, _, ok = findDirect(dir)
	return d, ok
}

// findDirect finds the repository that contains a folder, and the top of its working tree.
func findDirect(dir string) (d *direct, top string, ok bool) {
	dir, err := filepath.EvalSymlinks(dir) // as git sees it
	if err != nil {
		return nil, "", false
	}
	top = regular.GitTop(dir)
	if top == "" {
		return nil, "", false
	}
	at := filepath.Join(top, ".git")
	d = &direct{git: at, common: at, trees: map[string][]byte{}}
	if below, err := filepath.Rel(top, dir); err == nil && below != "." {
		d.prefix = filepath.ToSlash(below) + "/"
	}
	kind := regular.KindOf(at)
	return d, top, kind == regular.Dir || kind == regular.File && d.linked(top)
}

// linked finds the folders of a linked working tree or a submodule, whose .git is a file.
func (d *direct) linked(top string) bool {
	text, ok := small(d.git, maxRef)
	target, named := strings.CutPrefix(text, "gitdir: ")
	if !ok || !named {
		return false
	}
	d.git = below(top, target)
	shared, ok := small(filepath.Join(d.git, "commondir"), maxRef)
	if !ok { // a submodule
		d.common = d.git
		return regular.KindOf(filepath.Join(d.git, "objects")) == regular.Dir
	}
	d.common = below(d.git, shared)
	return true
}

// below is a path in a file of git: absolute, or relative to a folder.
func below(dir, text string) string {
	path := filepath.FromSlash(strings.TrimRight(text, "\r\n"))
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// small is the content of a regular file.
func small(path string, most int64) (text string, ok bool) {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() > most {
		return "", false
	}
	src, err := os.ReadFile(path)
	return string(src), err == nil
}

// plain reports whether the objects are the real history: it is not shallow, and no
// object is replaced by another.
func (d *direct) plain() bool {
	for _, name := range []string{"shallow", "info/grafts", "refs/replace"} {
		if _, err := os.Lstat(filepath.Join(d.common, filepath.FromSlash(name))); !os.IsNotExist(err) {
			return false
		}
	}
	return !strings.Contains(d.packed(), " refs/replace/")
}

// packed is the file of refs that have no file of their own; "" if it is missing. If
// it is too large, the result looks like a replaced object, so that plain fails.
func (d *direct) packed() string {
	path := filepath.Join(d.common, "packed-refs")
	text, ok := small(path, maxPacked)
	if _, err := os.Lstat(path); !ok && !os.IsNotExist(err) {
		return " refs/replace/"
	}
	return text
}

// head is the id of the commit that HEAD names.
func (d *direct) head() (id string, ok bool) {
	text, ok := small(filepath.Join(d.git, "HEAD"), maxRef)
	if !ok {
		return "", false
	}
	text = strings.TrimRight(text, "\n")
	name, branch := strings.CutPrefix(text, "ref: refs/heads/")
	if !branch {
		return text, isID(text)
	}
	name = "refs/heads/" + name
	if text, ok = small(filepath.Join(d.common, filepath.FromSlash(name)), maxRef); ok {
		text = strings.TrimRight(text, "\n")
		return text, isID(text)
	}
	for line := range strings.SplitSeq(d.packed(), "\n") {
		if id, of, _ := strings.Cut(line, " "); of == name {
			return id, isID(id)
		}
	}
	return "", false
}

// isID reports whether a text is the id of an object, of either kind of hash.
func isID(text string) bool {
	return (len(text) == 40 || len(text) == 64) && strings.Trim(text, "0123456789abcdef") == ""
}

// object reads an object that has a file of its own.
func (d *direct) object(id, kind string, most int) (content []byte, ok bool) {
	src, ok := small(filepath.Join(d.common, "objects", id[:2], id[2:]), maxLoose)
	if !ok || d.inflate([]byte(src)) != nil {
		return nil, false
	}
	content, err := io.ReadAll(io.LimitReader(d.zlib, int64(most)+100)) // with the line about it
	about, content, cut := bytes.Cut(content, []byte{0})
	size, isKind := strings.CutPrefix(string(about), kind+" ")
	n, bad := strconv.Atoi(size)
	return content, err == nil && cut && isKind && bad == nil && n == len(content) && n <= most
}

// inflate begins to read a compressed object, with the tables of the one before.
func (d *direct) inflate(src []byte) (err error) {
	if d.zlib == nil {
		d.buffer = bytes.NewReader(src)
		d.zlib, err = zlib.NewReader(d.buffer)
		return err
	}
	d.buffer.Reset(src)
	return d.zlib.(zlib.Resetter).Reset(d.buffer, nil)
}
