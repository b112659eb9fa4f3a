package command

import (
	"runtime/debug"

	"handoff/document/handoff"
)

// Version is the version of the project and, for a build that is not of its tag, the
// one that Go recorded: "0.1.0 (v0.0.0-20261122120000-0a1b2c3d4e5f)".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" || info.Main.Version == "v"+handoff.Version {
		return handoff.Version
	}
	return handoff.Version + " (" + info.Main.Version + ")"
}
