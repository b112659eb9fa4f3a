package watch

import (
	"path"
	"strings"

	"handoff"
)

// The folders of a task that matter, beside itself.
const (
	plans    = "plans"
	progress = "progress"
)

// folderNames are the folders of a task that are watched.
var folderNames = [...]string{handoff.Folder, plans, progress}

// place says what lies at a path below the root.
type place struct {
	task    string // the task's folder; "" above all tasks
	folder  bool   // could be a folder that is watched
	content bool   // could be a file that says something of the task
}

// placeOf reads a path with forward slashes.
func placeOf(p string) place {
	rest, ok := strings.CutPrefix(p, handoff.Root)
	if !ok || rest != "" && rest[0] != '/' {
		return place{}
	}
	for rest != "" {
		name, _, _ := strings.Cut(rest[1:], "/")
		rest = rest[1+len(name):]
		if passedOver(name) {
			return place{}
		}
		if isTask(name) {
			return placeIn(p[:len(p)-len(rest)], strings.TrimPrefix(rest, "/"))
		}
	}
	return place{folder: true}
}

// placeIn reads a path below a task.
func placeIn(task, below string) place {
	dir, base := path.Split(below)
	switch {
	case below == "":
		return place{task: task, folder: true}
	case dir == "":
		for _, name := range folderNames {
			if base == name {
				return place{task: task, folder: true}
			}
		}
		return place{task: task, content: base == handoff.MetadataFile}
	case dir == progress+"/":
		return place{task: task, content: base[0] != '.' && strings.HasSuffix(base, ".json")}
	case dir == handoff.Folder+"/", dir == plans+"/":
		return place{task: task, content: base[0] != '.' && strings.HasSuffix(base, ".md")}
	}
	return place{}
}

func isTask(name string) bool {
	_, width, _ := handoff.ParseTask(name)
	return width > 0
}

// passedOver reports whether a folder between specs and the tasks is none of
// ours.
func passedOver(name string) bool { return name == "" || name[0] == '.' || name == "node_modules" }
