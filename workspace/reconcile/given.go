package reconcile

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/parse"
)

// Given is the [State] of a task whose files are not on the disk, such as those of a git
// index. files has the content of its metadata, documents, progress files and plans by
// path; nil for a file that has no text, such as a symbolic link. Nothing is known about
// times and receipts, and no bundle counts as missing.
func Given(dir string, files map[string][]byte) State {
	s := State{Dir: dir, Metadata: given(files, dir+"/"+handoff.MetadataFile), Progress: map[int]File{},
		World: World{Missing: func([]artifact.ID) []artifact.ID { return nil }, Modified: func(string) time.Time { return time.Time{} }}, facts: new(facts)}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		if path.Dir(p) == dir+"/"+handoff.Folder && isMarkdown([]byte(path.Base(p))) {
			s.enterGiven(p, files[p])
		}
	}
	slices.SortFunc(s.Documents, func(a, b Document) int { return a.Name.Compare(b.Name) })
	for _, d := range s.Documents {
		if d.Name.Plain() {
			s.Progress[d.Name.Phase] = given(files, dir+"/"+handoff.ProgressFile(d.Name.Phase))
		}
	}
	s.Plan = givenPlan(dir, files)
	return s
}

// enterGiven adds a document, unless it is too large or no text.
func (s *State) enterGiven(p string, src []byte) {
	switch {
	case len(src) > maxSize:
		err := regular.TooLargeError{Size: int64(len(src)), Max: maxSize}
		s.Problems = append(s.Problems, Problem{Path: p, Text: err.Error()})
	case src != nil:
		s.Documents = append(s.Documents, Document{Path: p, Name: handoff.ParseName(p), Doc: parse.Document(src)})
	}
}

// given is a file. An empty one has an empty Src.
func given(files map[string][]byte, p string) File {
	src, exists := files[p]
	return File{Path: p, Src: src, Unreadable: exists && src == nil}
}

// givenPlan is the newest plan, as [loader.newestPlan] finds it.
func givenPlan(dir string, files map[string][]byte) (plan File) {
	var entries []regular.Entry
	for p := range files {
		if name, ok := strings.CutPrefix(p, dir+"/plans/"); ok && !strings.Contains(name, "/") && isMarkdown([]byte(name)) {
			entries = append(entries, regular.Entry{Name: name, Kind: regular.File})
		}
	}
	slices.SortFunc(entries, func(a, b regular.Entry) int { return strings.Compare(a.Name, b.Name) })
	if chosen := newestNumbered(entries); len(chosen) > 0 {
		plan = given(files, dir+"/plans/"+chosen[0].Name)
	}
	return plan
}
