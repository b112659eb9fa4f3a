package gitindex

import (
	"bytes"
	"context"
	"strconv"
	"time"
)

// Added returns when each file of a folder was committed for the first time, by
// name. A file that git does not know is not in it. The error says why git
// cannot answer; a folder without any commit is not an error.
func Added(ctx context.Context, dir string) (map[string]time.Time, error) {
	// The repository's configuration may name programs to run. None of them is
	// needed for names and times.
	out, err := output(ctx, dir, "-c", "log.showSignature=false", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
		"log", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative", "--format=%x01%ct", "--name-only", "-z", "--", ".")
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
