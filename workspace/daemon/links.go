package daemon

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/workspace"
)

// links remembers the symbolic links out of the workspace that a watch reported,
// so that each is reported once. Any goroutine may use it.
type links struct {
	seen sync.Map // the [fs.FileInfo] of each by its path
}

// isNew reports whether a link is not the one that was last seen at its path.
func (l *links) isNew(path string, now fs.FileInfo) bool {
	was, seen := l.seen.Swap(path, now)
	old, _ := was.(fs.FileInfo)
	return !seen || !os.SameFile(old, now) || !old.ModTime().Equal(now.ModTime())
}

// sayLinks reports symlinks out of the workspace in the place of task folders, and
// folders that cannot be listed. Neither ends the watch.
func (d *daemon) sayLinks(ctx context.Context) {
	_, links, err := d.TasksAndLinks(ctx)
	for _, link := range links {
		d.sayLink(link)
	}
	if err != nil && ctx.Err() == nil {
		d.talk(func() { d.req.Say(err.Error()) })
	}
}

// sayLink reports a link in the place of a task folder, if it leads out of the
// workspace and is new. A specs folder that is a link is reported wherever it
// leads: nothing is written below it.
func (d *daemon) sayLink(path string) {
	full := d.Full(path)
	st, err := os.Lstat(full)
	if err != nil {
		return // removed again
	}
	link := workspace.LeadsOut(d.Trusted(), full)
	if link == nil && path == handoff.Root {
		link = nofollow.LinkAt(full)
	}
	if link != nil && d.links.isNew(path, st) {
		d.talk(func() { d.req.Say(path + ": " + workspace.Reason(link).Error() + ": left alone") })
	}
}
