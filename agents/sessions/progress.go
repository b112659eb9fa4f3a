package sessions

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
)

// Progress is how far the objectives of a phase are.
type Progress struct{ Done, Objectives int }

// maxProgress is the most bytes of a progress file that are read.
const maxProgress = 1 << 20

// ReadProgress reads the progress file of a workspace that was changed last.
// Without a readable progress file there are no objectives, and the gauge does
// not mention them.
func ReadProgress(root string) (p Progress) {
	files, _ := fs.Glob(os.DirFS(root), handoff.Root+"/*/progress/phase-*-progress.json")
	var latest string
	var changed time.Time
	for _, file := range files {
		file = filepath.Join(root, filepath.FromSlash(file))
		if st, err := os.Lstat(file); err == nil && st.ModTime().After(changed) {
			latest, changed = file, st.ModTime()
		}
	}
	if latest == "" {
		return p
	}
	src, err := nofollow.Root(root).ReadFile(latest, maxProgress)
	if err != nil {
		return p
	}
	var form struct {
		Objectives []struct {
			Status string `json:"status"`
		} `json:"objectives"`
	}
	if json.Unmarshal(src, &form) != nil {
		return p
	}
	for _, o := range form.Objectives {
		p.Objectives++
		if o.Status == "done" {
			p.Done++
		}
	}
	return p
}
