package reconcile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff"
	"handoff/artifact"
	"handoff/internal/regular"
	"handoff/parse"
)

// maxSize is the most bytes of one file that are read.
const maxSize = 1 << 20

// Load reads a task. root is the workspace on the disk, dir the task folder
// below it with forward slashes. What cannot be read is a problem of the
// state, not an error; the error is for a folder that is gone.
func Load(root string, store *artifact.Store, dir string) (State, error) {
	l := loader{root: root, State: State{Dir: dir, Progress: map[int]File{}}}
	if !l.documents() { // else there is a folder
		if st, err := os.Stat(l.full(dir)); err != nil {
			return State{}, err
		} else if !st.IsDir() {
			return State{}, &fs.PathError{Op: "load", Path: dir, Err: errors.New("not a folder")}
		}
	}
	l.Metadata = l.read(dir + "/" + handoff.MetadataFile)
	l.progress()
	l.Plan = l.newestPlan()
	l.Exists = func(p string) bool {
		local := filepath.FromSlash(p)
		if !filepath.IsLocal(local) {
			return false
		}
		st, err := os.Stat(filepath.Join(root, local))
		return err == nil && !st.IsDir()
	}
	l.Has = func(id artifact.ID) bool {
		_, _, err := store.Range(id, 0, 0) // what the bytes are, verify asks
		return err == nil
	}
	l.Blob = func(id artifact.ID) []byte {
		data, err := store.Get(id)
		if err != nil {
			return nil
		}
		return data
	}
	return l.State, nil
}

type loader struct {
	root string
	State
}

func (l *loader) full(p string) string { return filepath.Join(l.root, filepath.FromSlash(p)) }

// read returns a file. One that is missing has no Src; neither has one that
// cannot be read, or leads out of the workspace, which is a problem.
func (l *loader) read(p string) File {
	err := l.stays(p)
	var src []byte
	if err == nil {
		src, err = regular.Read(l.full(p), nil, maxSize)
	}
	switch {
	case err == nil && src == nil:
		src = []byte{} // it is there, and empty
	case errors.Is(err, fs.ErrNotExist):
		src = nil
	case err != nil:
		l.problem(p, err)
		return File{Path: p, Unreadable: true}
	}
	return File{Path: p, Src: src}
}

var errLeadsOut = errors.New("is a symbolic link out of the workspace")

// stays refuses a link that leads out of the workspace: what lies there is
// neither read into a bundle nor written.
func (l *loader) stays(p string) error {
	full := l.full(p)
	st, err := os.Lstat(full)
	if err != nil || st.Mode()&fs.ModeSymlink == 0 {
		return err
	}
	target, err := filepath.EvalSymlinks(full)
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(l.root)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(root, target); err != nil || !filepath.IsLocal(rel) {
		return errLeadsOut
	}
	return nil
}

func (l *loader) problem(p string, err error) {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	l.Problems = append(l.Problems, Problem{Path: p, Text: err.Error() + ": left alone"})
}

// documents reads all documents. It reports whether there are some.
func (l *loader) documents() bool {
	dir := l.Dir + "/" + handoff.Folder
	for _, base := range l.names(dir) {
		if f := l.read(dir + "/" + base); f.Src != nil {
			l.Documents = append(l.Documents, Document{f.Path, handoff.ParseName(f.Path), parse.Document(f.Src)})
		}
	}
	slices.SortFunc(l.Documents, func(a, b Document) int { return a.Name.Compare(b.Name) })
	return len(l.Documents) > 0
}

// progress reads the progress files of the phases that have a document.
func (l *loader) progress() {
	for _, d := range l.Documents {
		file := l.Dir + "/" + handoff.ProgressFile(d.Name.Phase)
		if err := l.stays(path.Dir(file)); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				l.problem(path.Dir(file), err)
			}
			return
		}
		if _, ok := l.Progress[d.Name.Phase]; !ok && d.Name.Plain() {
			l.Progress[d.Name.Phase] = l.read(file)
		}
	}
}

// names lists the Markdown files of a folder; none when there is no folder.
func (l *loader) names(dir string) []string {
	var entries []fs.DirEntry
	err := l.stays(dir)
	if err == nil {
		entries, err = os.ReadDir(l.full(dir))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.problem(dir, err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".md") && e.Name()[0] != '.' && !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// newestPlan is the plan with the highest number in its name:
// implementation-002.md, 03_rewrite.md.
func (l *loader) newestPlan() File {
	dir := l.Dir + "/plans"
	names := l.names(dir)
	if len(names) == 0 {
		return File{}
	}
	newest := slices.MaxFunc(names, func(a, b string) int {
		if c := number(a) - number(b); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return l.read(path.Join(dir, newest))
}

// number is the first number in a name, 0 when there is none.
func number(name string) int {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return 0
	}
	n := 0
	for ; at < len(name) && '0' <= name[at] && name[at] <= '9' && n < 1<<20; at++ {
		n = n*10 + int(name[at]-'0')
	}
	return n
}
