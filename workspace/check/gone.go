package check

import (
	"bufio"
	"context"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/file/gitindex"
)

// gone is what git knows of files that a working tree no longer has: the commit that deleted or
// renamed each. It is safe for concurrent reading.
type gone struct {
	ends    map[string]end // of a file, the last one
	folders map[string]end // of a folder in which a file ended, the last one
	touched map[string]touch
	at      []time.Time // of the commits, the newest first; the first is that of no commit yet
}

// end is how a path ended. step counts commits from the newest; 0 is what is not committed.
type end struct {
	step int
	to   string // its new name; "" if it was deleted
}

// touch is the last change of a file. from is its old name if the commit only renamed it, and
// added is set if it did not exist before.
type touch struct {
	step  int
	from  string
	added bool
}

// readGone reads which files of a folder were deleted or renamed, in the history of HEAD and in
// the working tree. wanted selects the files whose own last change [gone.since] needs. It starts
// git twice, however many files there are. If the context ends first, the result is of the
// newest commits.
func readGone(ctx context.Context, dir string, wanted func(name string) bool) (*gone, error) {
	g := &gone{ends: map[string]end{}, folders: map[string]end{}, touched: map[string]touch{}, at: []time.Time{{}}}
	safe := []string{"-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never"}
	how := []string{"-M", "--no-ext-diff", "--no-textconv", "--name-status", "-z", "--relative"}
	read := func(out io.Reader) bool { g.read(out, wanted); return false }
	if err := gitindex.Stream(ctx, dir, slices.Concat(safe, []string{"diff", "HEAD"}, how), read); err != nil {
		return nil, err
	}
	if err := gitindex.Stream(ctx, dir, slices.Concat(safe, []string{"log", "--format=%x01%ct"}, how), read); err != nil && len(g.at) == 1 {
		return nil, err
	}
	return g, nil
}

// read reads records that end with NUL: "\x01TIME" begins a commit; a status is followed by its
// path, that of a rename by the old and the new one.
func (g *gone) read(out io.Reader, wanted func(string) bool) {
	r := bufio.NewReader(out)
	next := func() (text string, ok bool) {
		text, err := r.ReadString(0)
		return strings.TrimSuffix(text, "\x00"), err == nil
	}
	for {
		text, ok := next()
		if !ok {
			return
		}
		text = strings.TrimLeft(text, "\n")
		if stamp, is := strings.CutPrefix(text, "\x01"); is {
			seconds, _ := strconv.ParseInt(strings.TrimSpace(stamp), 10, 64)
			g.at = append(g.at, time.Unix(seconds, 0).UTC())
			continue
		}
		name, ok := next()
		if !ok || text == "" {
			return
		}
		if text[0] != 'R' {
			g.note(text[0], name, "", false, wanted)
			continue
		}
		to, ok := next()
		if !ok {
			return
		}
		g.note('R', name, to, text == "R100", wanted)
	}
}

// note records what a commit did to a file. Commits come with the newest first, so what is known
// of a path stays.
func (g *gone) note(status byte, name, to string, same bool, wanted func(string) bool) {
	step := len(g.at) - 1
	changed, from := name, ""
	switch status {
	case 'D', 'R':
		g.end(name, end{step: step, to: to})
		if status == 'D' {
			return
		}
		if changed = to; same {
			from = name
		}
	}
	if _, known := g.touched[changed]; !known && (wanted(changed) || from != "" && wanted(from)) {
		g.touched[changed] = touch{step: step, from: from, added: status == 'A'}
	}
}

func (g *gone) end(name string, e end) {
	if _, known := g.ends[name]; !known {
		g.ends[name] = e
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, known := g.folders[dir]; known {
			return // and so are those above
		}
		in := end{step: e.step}
		if to, moved := strings.CutSuffix(e.to, strings.TrimPrefix(name, dir)); moved {
			in.to = to
		}
		g.folders[dir] = in
	}
}

// since reports whether a path that does not exist was deleted or renamed after the document of
// was last changed: by the commit that changed the document, or by the time at which it was
// written if no commit has, or only that which added it. to is its name now, "" if it was deleted. A rename counts whenever
// it was: what the document means is known.
func (g *gone) since(name, of string, written time.Time) (to string, ok bool) {
	e, ok := g.ends[name]
	if !ok {
		if e, ok = g.folders[name]; !ok {
			return "", false
		}
	}
	if to = g.follow(e); to != "" {
		return to, true
	}
	t, known := g.changed(of)
	if known && (e.step < t.step || !t.added) {
		return "", e.step < t.step
	}
	return "", e.step == 0 || !g.at[e.step].Before(written.Truncate(time.Second))
}

// follow is the name that a renamed file has now.
func (g *gone) follow(e end) string {
	for e.to != "" {
		later, ok := g.ends[e.to]
		if !ok {
			later, ok = g.folders[e.to]
		}
		if !ok || later.step >= e.step {
			break
		}
		e = later
	}
	return e.to
}

// changed is the last change of the text of a file, whatever it was called then.
func (g *gone) changed(name string) (t touch, ok bool) {
	t, ok = g.touched[name]
	for ok && t.from != "" {
		older, was := g.touched[t.from]
		if !was || older.step <= t.step {
			break
		}
		t = older
	}
	return t, ok
}
