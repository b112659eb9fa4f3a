package watch

import (
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
)

// The folders of a task that are watched, beside the task itself.
const (
	plans    = "plans"
	progress = "progress"
)

// folderNames are the folders of a task that are watched.
var folderNames = [...]string{handoff.Folder, plans, progress}

// place is what can be at a path below the root.
type place struct {
	task    string // the task's folder; "" if it is above all tasks
	folder  bool   // could be a folder that is watched
	content bool   // could be a file that belongs to the task
}

// placeOf reads a path with forward slashes.
func placeOf(p string) place {
	switch at := task.Root.At(p); at.Kind {
	case task.Specs, task.Group:
		return place{folder: true}
	case task.Task:
		return placeIn(at.Dir, at.Below)
	}
	return place{}
}

// placeIn reads a path below a task.
func placeIn(in, below string) place {
	dir, base := path.Split(below)
	switch {
	case below == "":
		return place{task: in, folder: true}
	case dir == "":
		for _, name := range folderNames {
			if base == name {
				return place{task: in, folder: true}
			}
		}
		return place{task: in, content: base == handoff.MetadataFile}
	case dir == progress+"/":
		return place{task: in, content: base[0] != '.' && strings.HasSuffix(base, ".json")}
	case dir == handoff.Folder+"/", dir == plans+"/":
		return place{task: in, content: task.IsDocument(base)}
	}
	return place{}
}
