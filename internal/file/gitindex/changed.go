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
func LastChanged(ctx context.Context, dir string, files []string) (last map[string]time.Time, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	if whole, err := complete(ctx, dir); err != nil || !whole {
		return nil, err
	}
	args := append(logArgs(), "--format=%x01%ct", "--name-only", "-z", "--relative", "--")
	for _, name := range files {
		args = append(args, literal(name))
	}
	err = Stream(ctx, dir, args, func(out io.Reader) (all bool) {
		last, all = readLast(out, files)
		return all
	})
	return last, err
}

// Stream runs git and passes its output to read while it is written. If read has enough, git is
// stopped, and that is no error.
func Stream(ctx context.Context, dir string, args []string, read func(out io.Reader) (enough bool)) error {
	run, stop := context.WithCancel(ctx)
	defer stop()
	c := command(run, dir, args...)
	var talk bytes.Buffer
	c.Stderr = &talk
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return explain(ctx, dir, args, err, "")
	}
	if read(out) {
		stop()
		_ = c.Wait()
		return nil
	}
	if err := c.Wait(); err != nil {
		return explain(ctx, dir, args, err, talk.String())
	}
	return nil
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
