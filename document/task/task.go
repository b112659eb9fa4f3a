// Package task decides what a task folder is, and finds all of them.
//
// A task is a folder named NUMBER_SLUG at any depth below a specs folder:
//
//	specs/259_prove_completeness         a task
//	specs/archive/12_done                a task in a group
//	specs/handoffs                       documents that belong to no task
//	specs/specs                          the specs folder of another workspace
//
// Nothing inside a task is another task. Hidden folders, node_modules and
// symbolic links are never entered. Every command uses [Kind.Holds], [Kind.At]
// or [Walker], so that they all see the same tasks.
//
// The package only reads folders. It does not read documents or the
// configuration.
package task

import (
	"io/fs"
	"strings"

	"handoff/document/handoff"
)

// Kind is the kind of a folder, judged by its path.
type Kind uint8

// The kinds.
const (
	None      Kind = iota // not entered: a file, a hidden folder, node_modules, most links
	Root                  // the root of a workspace, where only its specs folder counts
	Outside               // a folder that is not below a specs folder
	Specs                 // a specs folder
	Nested                // a specs folder below another one: that of another workspace
	Group                 // a folder between specs and its tasks, such as archive
	Task                  // a task folder
	Documents             // a handoffs folder that belongs to no task
	Link                  // a symbolic link where a specs folder or a task folder could be
)

// Holds is the kind of an entry of a folder of kind in. Only the type bits of
// mode are used.
func (in Kind) Holds(name string, mode fs.FileMode) Kind {
	inSpecs := in == Specs || in == Nested || in == Group
	switch {
	case !inSpecs && in != Root && in != Outside:
		return None
	case mode&fs.ModeSymlink != 0:
		if inSpecs && Named(name) || !inSpecs && name == handoff.Root {
			return Link
		}
		return None
	case !mode.IsDir() || name == "" || name[0] == '.' || name == "node_modules":
		return None
	case name == handoff.Root && inSpecs:
		return Nested
	case name == handoff.Root:
		return Specs
	case in == Root:
		return None
	case name == handoff.Folder:
		return Documents
	case !inSpecs:
		return Outside
	case Named(name):
		return Task
	}
	return Group
}

// Named reports whether a name has the form of a task folder, NUMBER_SLUG.
// Whether there is a task also depends on its place and type: see [Kind.Holds].
func Named(name string) bool {
	_, width, _ := handoff.ParseTask(name)
	return width > 0
}

// Place is where a path is, judged by the names of the folders on the way.
type Place struct {
	Kind  Kind   // of Dir; None where the path is in a folder that is not entered
	Dir   string // the task folder, the handoffs folder or the nested specs folder on the way; else the whole path
	Below string // the rest of the path
}

// At follows a path with forward slashes from a folder of kind in, as if each
// part were the name of a folder.
func (in Kind) At(path string) Place {
	for i := 0; ; {
		switch {
		case in == None:
			return Place{}
		case in == Task || in == Documents || i > 0 && in == Nested:
			return Place{Kind: in, Dir: strings.TrimSuffix(path[:i], "/"), Below: path[i:]}
		case i == len(path):
			return Place{Kind: in, Dir: path}
		}
		name, _, _ := strings.Cut(path[i:], "/")
		in = in.Holds(name, fs.ModeDir)
		i = min(i+len(name)+1, len(path))
	}
}

// HoldsDocuments reports whether the place is a folder of handoff documents:
// that of a task, or one that belongs to none.
func (p Place) HoldsDocuments() bool {
	return p.Kind == Documents && p.Below == "" || p.Kind == Task && p.Below == handoff.Folder
}

// IsDocument reports whether a file of a handoffs folder is a document:
// Markdown that is not hidden. It does not check that there is such a file.
func IsDocument[T string | []byte](name T) bool {
	return len(name) > 3 && name[0] != '.' && string(name[len(name)-3:]) == ".md"
}
