package gitindex

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"strconv"
	"strings"
	"time"
)

// LastChanged returns when a commit that HEAD contains last changed each of some files; those
// that no commit contains are left out. Paths are as in [Since]. It starts git once for all of
// them, and stops it as soon as the last one is found.
//
// A shallow repository has no answers: its oldest commit seems to add all files.
func LastChanged(ctx context.Context, dir string, files []string) (map[string]time.Time, error) {
	if len(files) == 0 {
		return nil, nil
	}
	if whole, err := complete(ctx, dir); err != nil || !whole {
		return nil, err
	}
	run, stop := context.WithCancel(ctx)
	defer stop()
	args := append(logArgs(), "--format=%x01%ct", "--name-only", "-z", "--relative", "--")
	for _, name := range files {
		args = append(args, literal(name))
	}
	c := command(run, dir, args...)
	var talk bytes.Buffer
	c.Stderr = &talk
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, explain(ctx, dir, args, err, "")
	}
	last, all := readLast(out, files)
	if all {
		stop()
		_ = c.Wait()
		return last, nil
	}
	if err := c.Wait(); err != nil {
		return last, explain(ctx, dir, args, err, talk.String())
	}
	return last, nil
}

// readLast reads the output of git log, the newest commit first, until it has all files.
func readLast(out io.Reader, files []string) (last map[string]time.Time, all bool) {
	missing := make(map[string]bool, len(files))
	for _, name := range files {
		missing[name] = true
	}
	last = make(map[string]time.Time, len(files))
	r := bufio.NewReader(out)
	var at time.Time
	for {
		text, err := r.ReadString(0)
		text = strings.TrimLeft(strings.TrimSuffix(text, "\x00"), "\n")
		if stamp, ok := strings.CutPrefix(text, "\x01"); ok {
			seconds, _ := strconv.ParseInt(strings.TrimSpace(stamp), 10, 64)
			at = time.Unix(seconds, 0).UTC()
		} else if missing[text] && !at.IsZero() {
			delete(missing, text)
			if last[text] = at; len(missing) == 0 {
				return last, true
			}
		}
		if err != nil {
			return last, false
		}
	}
}

// Is reports whether the entry has this content. Line ends that git converts do not count.
func (e Entry) Is(content []byte) bool {
	for _, other := range contents(content) {
		if blobID(other, len(e.ID)) == e.ID {
			return true
		}
	}
	return false
}
