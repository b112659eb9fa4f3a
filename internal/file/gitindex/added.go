package gitindex

import (
	"bytes"
	"context"
	"strconv"
	"time"
)

// Head is the id of the commit that HEAD names, read without git. It is "" if there is none, or if what
// [Added] and [Changed] answer depends on more than it: an object is replaced, or the history cut off.
func Head(dir string) string {
	d, ok := openDirect(dir)
	if !ok || !d.plain() {
		return ""
	}
	id, _ := d.head()
	return id
}

// Added returns when each file of a folder was committed first, by its path below the folder.
// patterns restrict that to some files; they are pathspecs of git. Untracked files are left
// out. A folder without any commit is not an error.
func Added(ctx context.Context, dir string, patterns ...string) (map[string]time.Time, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	out, err := log(ctx, dir, append([]string{"--relative", "--format=%x01%ct", "--name-only", "-z", "--"}, patterns...)...)
	if err != nil {
		return nil, err
	}
	added := map[string]time.Time{}
	for _, commit := range bytes.Split(out, []byte{1}) { // the newest first
		stamp, names, _ := bytes.Cut(commit, []byte{0})
		seconds, err := strconv.ParseInt(string(bytes.TrimSpace(stamp)), 10, 64)
		if err != nil {
			continue
		}
		for name := range bytes.SplitSeq(bytes.TrimLeft(names, "\n"), []byte{0}) {
			if len(name) > 0 {
				added[string(name)] = time.Unix(seconds, 0)
			}
		}
	}
	return added, nil
}

// Changed returns when a commit last changed a file of a folder; zero if it is
// untracked.
func Changed(ctx context.Context, dir, name string) (time.Time, error) {
	out, err := log(ctx, dir, "-1", "--format=%ct", "--", name)
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(string(bytes.TrimSpace(out)), 10, 64)
	if err != nil {
		return time.Time{}, nil // no commit contains it
	}
	return time.Unix(seconds, 0), nil
}

// log runs git log. The options disable the programs that a repository's configuration
// may specify: names and times need none of them.
func log(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return output(ctx, dir, append(logArgs(), args...)...)
}

func logArgs() []string {
	return []string{"-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
		"log", "--no-renames", "--no-ext-diff", "--no-textconv"}
}
