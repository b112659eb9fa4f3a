package past

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/agents"
	"handoff/agents/transcript/outcome"
	"handoff/internal/file/regular"
)

// Session is one that was found.
type Session struct {
	Agent agents.Agent
	ID    string // of the host; that of a subagent is the name of its file where the host gives it none
	Path  string // of its transcript
	Cause outcome.Cause
	End
}

// Bounds are how much is read. What is beyond them is left out, the oldest first.
type Bounds struct {
	Names int       // of files, of each agent and folder
	Heads int       // transcripts of an agent of which the beginning is read, to find out its folder
	Ends  int       // and of which the end is read
	Bytes int64     // of each end
	After time.Time // only files that were changed after that; zero for all
}

// List are the sessions that worked in one of some folders, absolute, or below it, the one that ended
// last first. A transcript that cannot be read is left out: it was removed just now, or has another form.
// more is how many were left out because of the bounds.
func List(table []agents.Agent, dirs []string, b Bounds, getenv func(string) string) (list []Session, more int) {
	dirs = real(dirs)
	signs := signsOf(dirs)
	for _, a := range table {
		found := newest(a.Transcripts.Under(dirs, getenv), b)
		heads, ends := 0, 0
		for i, f := range found {
			if heads >= b.Heads || ends >= b.Ends {
				more += len(found) - i
				break
			}
			if heads++; !mentions(f.path, signs) {
				continue
			}
			if s, ok := read(a, f, dirs, b.Bytes); ok {
				list = append(list, s)
				ends++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Session) int { return b.Time().Compare(a.Time()) })
	return distinct(list), more
}

// distinct leaves out all but the last transcript of a session.
func distinct(list []Session) []Session {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(s Session) bool {
		key := s.Agent.Name + " " + s.Parent + " " + s.ID
		again := seen[key]
		seen[key] = true
		return again
	})
}

// read reads the end of a transcript. ok is false if the session did nothing, or worked elsewhere.
func read(a agents.Agent, f file, dirs []string, most int64) (s Session, ok bool) {
	end, err := Read(f.path, a.Transcripts.Format, most)
	if err != nil || !end.Recorded() || !worksIn(&end.End, dirs) {
		return s, false
	}
	name := strings.TrimSuffix(filepath.Base(f.path), filepath.Ext(f.path))
	s = Session{Agent: a, ID: cmp.Or(end.Session, name), Path: f.path, Cause: CauseOf(a, &end.End), End: end}
	if end.Sub && end.Parent == "" && !strings.Contains(name, end.Session) { // it has the id of the session that started it
		s.ID, s.Parent = name, end.Session
	}
	return s, true
}

// Exported is a session that its agent exported, and changed last at a time. ok is false if it did
// nothing.
func Exported(a agents.Agent, src io.Reader, at time.Time) (s Session, ok bool) {
	s.Agent, s.Modified = a, at
	err := s.export(src)
	s.ID, s.Path, s.Cause = s.End.Session, a.Name+" export "+s.End.Session, CauseOf(a, &s.End.End)
	return s, err == nil && s.Recorded()
}

// worksIn reports whether a session worked in one of the folders, or below it.
func worksIn(e *outcome.End, dirs []string) bool {
	if e.DirHash != "" {
		return slices.ContainsFunc(dirs, func(dir string) bool { return e.DirHash == hash(dir) })
	}
	return isIn(e.Dir, dirs)
}

// WorksIn reports whether a folder is one of some folders, absolute, or below it, also if their names have symlinks.
func WorksIn(folder string, dirs []string) bool { return isIn(folder, real(dirs)) }

func isIn(folder string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		rest, ok := strings.CutPrefix(folder, dir)
		return ok && (rest == "" || os.IsPathSeparator(rest[0]))
	})
}

// real are folders, also without the symlinks in their names: hosts record either.
func real(dirs []string) []string {
	dirs = slices.Clone(dirs)
	for _, dir := range slices.Clone(dirs) {
		if path, err := filepath.EvalSymlinks(dir); err == nil && !slices.Contains(dirs, path) {
			dirs = append(dirs, path)
		}
	}
	return dirs
}

func hash(dir string) string {
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:])
}

// signsOf are texts of which a transcript of a session in one of the folders has one near its beginning.
func signsOf(dirs []string) (signs [][]byte) {
	for _, dir := range dirs {
		text, _ := json.Marshal(dir) // a text is always encoded
		signs = append(signs, text[:len(text)-1], []byte(hash(dir)))
	}
	return signs
}

// mentions reports whether a transcript may be one of a session in the folders. Most of an agent that
// keeps those of all folders in one place are not, and finding that out costs less than decoding.
func mentions(path string, signs [][]byte) bool {
	f, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := readAt(f, 0, headEnd)
	return err == nil && slices.ContainsFunc(signs, func(sign []byte) bool { return bytes.Contains(head, sign) })
}

// file is a transcript.
type file struct {
	path     string
	modified time.Time
}

// newest are the files of some patterns, the one that was changed last first.
func newest(patterns []string, b Bounds) (files []file) {
	seen := map[string]bool{}
	for _, pattern := range patterns {
		for _, path := range glob(pattern, b.Names) {
			st, err := os.Lstat(path)
			if err == nil && !seen[path] && st.Mode().IsRegular() && st.ModTime().After(b.After) {
				files = append(files, file{path, st.ModTime()})
			}
			seen[path] = true
		}
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.modified.Compare(a.modified) })
	return files
}
