package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
)

// LeftOutError is an fs.ErrNotExist: git has tasks that are not in this sparse checkout.
type LeftOutError struct {
	Folders []string // below the root
	Fix     string   // the command that brings them
}

func (e *LeftOutError) Error() string {
	others := ""
	if n := len(e.Folders); n > 1 {
		others = fmt.Sprintf(" and others (%d in all)", n)
	}
	return fmt.Sprintf("this sparse checkout leaves out %s%s: `%s`", e.Folders[0], others, e.Fix)
}

func (e *LeftOutError) Is(target error) bool { return target == fs.ErrNotExist }

// LeftOut returns a [LeftOutError] if a sparse checkout lacks tasks that are not archived, of which
// wanted is true; nil means all.
func (w *Workspace) LeftOut(wanted func(task int) bool) error {
	e := &LeftOutError{Fix: "git -C " + w.Root + " sparse-checkout add " + handoff.Root}
	last := ""
	for _, file := range gitindex.FindLeftOut(context.Background(), w.Root).In(w.Specs()) {
		dir := path.Dir(handoff.Root + "/" + file)
		for dir != "." {
			if _, width, _ := handoff.ParseTask(path.Base(dir)); width > 0 {
				break
			}
			dir = path.Dir(dir)
		}
		n, width, _ := handoff.ParseTask(path.Base(dir))
		if width > 0 && (wanted == nil || wanted(n)) && !(handoff.Name{Dir: dir}).Archived() && dir != last {
			last = dir // the files of a folder follow each other
			e.Folders = append(e.Folders, dir)
		}
	}
	if len(e.Folders) == 0 {
		return nil
	}
	return e
}
