package gitindex

import (
	"context"
	"strings"
)

// State is what a working tree is at.
type State struct {
	Branch  string   // "" for a detached HEAD
	Commit  string   // "" before the first commit
	Changed []string // files that differ from the commit, and new ones, relative to the top folder; of a new folder only its name
}

// Current returns the state of the working tree that contains dir. Ignored files do not
// count.
func Current(ctx context.Context, dir string) (s State, err error) {
	out, err := output(ctx, dir, "status", "--porcelain=v2", "--branch", "-z")
	if err != nil {
		return s, err
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i < len(fields); i++ {
		line := fields[i]
		switch {
		case strings.HasPrefix(line, "# branch.oid "):
			if id := line[len("# branch.oid "):]; id != "(initial)" {
				s.Commit = id
			}
		case strings.HasPrefix(line, "# branch.head "):
			if name := line[len("# branch.head "):]; name != "(detached)" {
				s.Branch = name
			}
		case strings.HasPrefix(line, "1 "), strings.HasPrefix(line, "u "):
			s.Changed = append(s.Changed, after(line, map[byte]int{'1': 8, 'u': 10}[line[0]]))
		case strings.HasPrefix(line, "2 "):
			s.Changed = append(s.Changed, after(line, 9))
			i++ // the name before
		case strings.HasPrefix(line, "? "):
			s.Changed = append(s.Changed, line[2:])
		}
	}
	return s, nil
}

// after is what follows n fields of a line.
func after(line string, n int) string {
	parts := strings.SplitN(line, " ", n+1)
	return parts[len(parts)-1]
}
