package gitindex

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Changes lists what was committed to a repository since a file was written.
type Changes struct {
	Commits int            // of HEAD, in the whole repository
	Files   map[string]int // how many of them changed a file, by its path
}

// Since returns the changes that HEAD contains and that were committed after a time,
// without commits that also change the file of, because these were made together with
// it. Paths are relative to dir, with forward slashes; only those in files are looked
// for, and a folder has no changes of its own.
//
// A shallow repository has no changes: its history does not go back far enough to count.
func Since(ctx context.Context, dir string, after time.Time, of string, files []string) (c Changes, err error) {
	from := after.UTC().Truncate(time.Second).Add(time.Second)
	if d, ok := openDirect(dir); ok {
		if d.unmoved(after) {
			return c, nil
		}
		if c, ok := d.since(from, of, files); ok {
			return c, nil
		}
	}
	return askSince(ctx, dir, from, of, files)
}

// askSince is [Since] with git.
func askSince(ctx context.Context, dir string, from time.Time, of string, files []string) (c Changes, err error) {
	since := "--since=" + from.Format(time.RFC3339)
	all, err := log(ctx, dir, since, "--format=%H")
	if err != nil || len(all) == 0 {
		return c, err
	}
	if complete, err := complete(ctx, dir); err != nil || !complete {
		return c, err
	}
	c.Commits, c.Files = bytes.Count(all, []byte{'\n'}), map[string]int{}
	args := []string{since, "--format=%x01", "--name-only", "-z", "--relative", "--"}
	for _, name := range slices.Concat(files, []string{of}) {
		args = append(args, literal(name))
	}
	out, err := log(ctx, dir, args...)
	for commit := range bytes.SplitSeq(out, []byte{1}) {
		_, list, _ := strings.Cut(string(commit), "\x00")
		if list = "\x00" + strings.TrimLeft(list, "\n"); strings.Contains(list, "\x00"+of+"\x00") {
			c.Commits--
			continue
		}
		for _, name := range files {
			if strings.Contains(list, "\x00"+name+"\x00") {
				c.Files[name]++
			}
		}
	}
	return c, err
}

// complete reports whether a repository has all of its history.
func complete(ctx context.Context, dir string) (bool, error) {
	if d, ok := openDirect(dir); ok {
		if _, err := os.Lstat(filepath.Join(d.common, "shallow")); os.IsNotExist(err) {
			return true, nil
		}
	}
	shallow, err := output(ctx, dir, "rev-parse", "--is-shallow-repository")
	return err == nil && strings.TrimSpace(string(shallow)) == "false", err
}

// unmoved reports whether HEAD has certainly not moved since a time. That is common when
// the next session starts soon after a report. git writes each move to a log, so it
// compares the time of that file. Without such a log (it is switched off, or refs are
// stored otherwise) it returns false.
func (d *direct) unmoved(after time.Time) bool {
	head, err := os.Lstat(filepath.Join(d.git, "logs", "HEAD"))
	return err == nil && head.Mode().IsRegular() && head.Size() > 0 && head.ModTime().Before(after.Truncate(time.Second))
}

// literal returns a path as an argument, because git would treat some names as patterns.
func literal(name string) string { return ":(literal)" + name }

// unborn reports whether a repository has no commit yet.
func unborn(ctx context.Context, dir string) bool {
	out, err := output(ctx, dir, "for-each-ref", "--count=1")
	_, headErr := output(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	return err == nil && len(out) == 0 && headErr != nil
}

// Committed returns those of some files that the last commit contains, as it contains
// them. Before the first commit there are none. Paths are as in [Since].
func Committed(ctx context.Context, dir string, files []string) (list []Entry, err error) {
	if d, ok := openDirect(dir); ok {
		if list, ok := d.committed(files); ok {
			return list, nil
		}
	}
	return askCommitted(ctx, dir, files)
}

// askCommitted is [Committed] with git.
func askCommitted(ctx context.Context, dir string, files []string) (list []Entry, err error) {
	out, err := output(ctx, dir, append([]string{"ls-tree", "-z", "HEAD", "--"}, files...)...)
	if err != nil && unborn(ctx, dir) {
		return nil, nil
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		about, name, _ := strings.Cut(string(record), "\t")
		f := strings.Fields(about) // mode type id
		if len(f) == 3 && f[1] == "blob" {
			list = append(list, Entry{Path: name, ID: f[2], Link: f[0] == "120000"})
		}
	}
	return list, err
}
