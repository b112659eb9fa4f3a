// Package userstate says where this program keeps what belongs to a user rather than to a
// workspace: decisions about repositories, and tokens of servers that run.
package userstate

import (
	"cmp"
	"path/filepath"
)

// Dir is the program's folder among those for the state of programs, which need not exist;
// "" if the environment does not show where they are.
func Dir(getenv func(string) string) string {
	home := stateHome(getenv)
	if !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, "handoff")
}

func stateHome(getenv func(string) string) string {
	if dir := getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	if dir := getenv("LOCALAPPDATA"); dir != "" && filepath.Separator == '\\' {
		return dir
	}
	if home := cmp.Or(getenv("HOME"), getenv("USERPROFILE")); home != "" {
		return filepath.Join(home, ".local", "state")
	}
	return ""
}
