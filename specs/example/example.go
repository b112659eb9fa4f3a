// Package example holds the worked example, a small workspace, inside the
// binary. It knows nothing of what the files mean. It is where the files are, because Go embeds none
// from elsewhere.
package example

import "embed"

// Files is the workspace: `.handoff.yaml`, `specs/` with tasks 259 and 870, and
// the bundle of task 259 in `.rip/`.
//
//go:embed .handoff.yaml all:.rip all:specs
var Files embed.FS
