package gitindex

import (
	"context"
	"strings"
)

// Author returns the name of the author of the last commit that changed a file; "" if no
// commit has it. The path is as in [Since]. Anybody can write any name into a commit.
func Author(ctx context.Context, dir, file string) (string, error) {
	out, err := log(ctx, dir, "-1", "--no-mailmap", "--format=%an", "--", literal(file))
	return strings.TrimRight(string(out), "\r\n"), err
}
