package acp

import (
	"cmp"
	"encoding/json"
	"slices"

	"handoff/agents"
	"handoff/internal/file/nofollow"
)

// permission is the outcome of a request for permission.
func (t *turn) permission(params json.RawMessage) object {
	ask := decode[struct {
		Session string `json:"sessionId"`
		Call    tool   `json:"toolCall"`
		Options []struct {
			ID   string `json:"optionId"`
			Kind string `json:"kind"`
		} `json:"options"`
	}](params)
	if ask.Session != t.session || t.cancelled {
		return object{"outcome": "cancelled"}
	}
	kinds := []string{"reject_once", "reject_always"}
	if t.allows(t.tool(ask.Call, true)) {
		kinds = []string{"allow_once", "allow_always"} // always: some agents save it in their settings
	}
	for _, kind := range kinds {
		for _, o := range ask.Options {
			if o.Kind == kind {
				return object{"outcome": "selected", "optionId": o.ID}
			}
		}
	}
	return object{"outcome": "cancelled"}
}

// allows reports whether the level permits a call. A call of an unknown kind
// may do anything, as a command may.
func (t *turn) allows(call tool) bool {
	switch level := cmp.Or(t.Level, agents.Edit); call.Kind {
	case "read", "search", "think":
		return true
	case "edit", "delete", "move":
		return level == agents.All || level == agents.Edit && t.below(call)
	case "execute":
		return level == agents.All || level == agents.Edit && t.runs(decode[string](decode[input](call.Input).Command))
	default:
		return level == agents.All
	}
}

// runs reports whether a line for a shell runs a command that is allowed.
func (t *turn) runs(line string) bool {
	return agents.RunsHandoff(line) || agents.RunsAllowed(line, t.Allow) || agents.RunsExactly(line, t.Exact)
}

// below reports whether all files of a call are known and in the working folder.
// Settings do not count: git and the next agent run what is in them.
func (t *turn) below(call tool) bool {
	var paths []string
	for _, l := range slices.Concat(call.Locations, decode[[]location](call.Content)) {
		paths = append(paths, l.Path)
	}
	in := decode[input](call.Input)
	paths = append(paths, in.FilePath, in.FilePathJS, in.Path, in.Notebook)
	paths = slices.DeleteFunc(paths, func(p string) bool { return p == "" })
	return len(paths) > 0 && !slices.ContainsFunc(paths, func(p string) bool { return !inside(t.Dir, p) })
}

// inside reports whether a path, which need not exist, is in a folder once
// symlinks are followed, and not one of [agents.IsSetting].
func inside(dir, path string) bool {
	rel, ok := nofollow.Reaches(dir, path)
	return ok && !agents.IsSetting(rel)
}
