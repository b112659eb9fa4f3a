package gitindex

import (
	"context"
	"slices"
	"strings"
)

// Roots returns the commits without parents in the history of all refs, those of HEAD first: by
// them clones of one project know each other. None is returned for a shallow clone, whose oldest
// commits are not the first ones, nor where there is no repository or no commit.
func Roots(ctx context.Context, dir string) (roots []string) {
	if out, err := output(ctx, dir, "rev-parse", "--is-shallow-repository"); err != nil || strings.TrimSpace(string(out)) != "false" {
		return nil
	}
	for _, of := range []string{"HEAD", "--all"} {
		out, err := output(ctx, dir, "rev-list", "--max-parents=0", "--max-count=64", of)
		if err != nil {
			continue // HEAD without a commit
		}
		for _, root := range strings.Fields(string(out)) {
			if !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	}
	return roots
}
