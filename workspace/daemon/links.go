package daemon

import (
	"context"
	"io/fs"
	"os"
	"sync"

	"handoff/document/handoff"
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

// sayLinks reports task folders that are symlinks out of the workspace, and
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

// sayLink reports a link instead of a task folder, if it is new and leads out
// of the workspace. It reports a specs folder that is a link wherever that
// leads, because nothing is written below it.
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
