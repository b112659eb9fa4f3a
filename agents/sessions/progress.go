package sessions

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// Progress is how far the objectives of a phase are.
type Progress struct{ Done, Objectives int }

// maxProgress is the most bytes of a progress file that are read.
const maxProgress = 1 << 20

// progressFolder is the folder of a task with its progress files, progressFiles their names.
const (
	progressFolder = "progress"
	progressFiles  = "phase-*-progress.json"
)

// ReadProgress reads the progress file of a workspace that was changed last.
// Without a readable progress file there are no objectives, and the gauge does
// not mention them.
func ReadProgress(root string) Progress {
	dirs, _ := ProgressFolders(root)
	p, _ := ProgressIn(root, dirs...)
	return p
}

// IsProgress reports whether a path is that of a progress file.
func IsProgress(path string) bool {
	dir, base := filepath.Split(path)
	is, _ := filepath.Match(progressFiles, base)
	return is && filepath.Base(dir) == progressFolder
}

// ProgressFolders are the folders of tasks that may have progress files, as paths below the root, and how many
// tasks were looked at to find them. A task without such a folder costs one system call.
func ProgressFolders(root string) (dirs []string, looked int) {
	specs := filepath.Join(root, handoff.Root)
	if regular.KindOf(specs) == regular.Link {
		specs, _ = filepath.EvalSymlinks(specs)
	}
	folder, err := regular.OpenFolder(specs)
	if err != nil {
		return nil, 0
	}
	defer folder.Close()
	tasks, _ := folder.List(func([]byte) bool { return true })
	for _, task := range tasks {
		if _, kind, known := folder.Look(task.Name + "/" + progressFolder); !known || kind != regular.Nothing {
			dirs = append(dirs, path.Join(handoff.Root, task.Name, progressFolder))
		}
	}
	return dirs, len(tasks)
}

// ProgressIn reads the progress file in some such folders that was changed last. in is its folder, "" for none.
func ProgressIn(root string, dirs ...string) (p Progress, in string) {
	var latest string
	var changed time.Time
	for _, dir := range dirs {
		entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		for _, e := range entries {
			if is, _ := path.Match(progressFiles, e.Name()); dir == "" || !is {
				continue
			}
			file := filepath.Join(root, filepath.FromSlash(dir), e.Name())
			st, err := os.Lstat(file)
			if err == nil && (st.ModTime().After(changed) || st.ModTime().Equal(changed) && file < latest) {
				latest, changed, in = file, st.ModTime(), dir
			}
		}
	}
	if latest == "" {
		return p, ""
	}
	src, err := nofollow.Root(root).ReadFile(latest, maxProgress)
	if err != nil {
		return p, in
	}
	var form struct {
		Objectives []struct {
			Status string `json:"status"`
		} `json:"objectives"`
	}
	if json.Unmarshal(src, &form) != nil {
		return p, in
	}
	for _, o := range form.Objectives {
		p.Objectives++
		if o.Status == "done" {
			p.Done++
		}
	}
	return p, in
}
