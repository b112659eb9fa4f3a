package agents

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Level is what an agent may do without asking.
type Level string

// The levels, the lowest first.
const (
	ReadOnly Level = "read"
	Edit     Level = "edit"
	All      Level = "all"
)

var levels = []Level{ReadOnly, Edit, All}

// Check reports a level that does not exist. "" is [Edit].
func (l Level) Check() error {
	if l != "" && !slices.Contains(levels, l) {
		return fmt.Errorf("unknown level %q (read, edit, all)", l)
	}
	return nil
}

// Lowest returns the lower one of two levels.
func Lowest(a, b Level) Level {
	return levels[min(max(slices.Index(levels, a), 0), max(slices.Index(levels, b), 0))]
}

// OfClaim is the level as a claim records it: "" for [All], which is no limit.
func (l Level) OfClaim() string {
	if l == All {
		return ""
	}
	return string(cmp.Or(l, Edit))
}

// Variables in which the commands of a started agent find what it may do, and the folder
// in which it works.
const (
	LevelVar = "HANDOFF_LEVEL"
	RootVar  = "HANDOFF_ROOT"
)

// RelayVar is the variable with the id of the relay that runs an agent. The relay asks the agent for
// a handoff, in a turn of its own, so hooks in the agent do not.
const RelayVar = "HANDOFF_RELAY"

// starter precedes the level in [LevelVar] of `handoff acp`, which may start the program of
// the agent. It passes the level on to the agent without it.
const starter = "acp:"

// Environ adds level and folder to the environment of the agent's program in a call, and what
// the agent needs for the level. Those of the caller are replaced.
func (a Agent) Environ(env []string, c Call, root string) []string {
	value := string(cmp.Or(c.Level, Edit))
	if a.overACP {
		value = starter + value
	}
	set := map[string]string{LevelVar: value, RootVar: root}
	for name, value := range a.Permissions.Env[string(cmp.Or(c.Level, Edit))] {
		name, optional := strings.CutSuffix(name, "?")
		if !optional || !slices.ContainsFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			set[name] = strings.ReplaceAll(value, "{allow}", a.allowed(c))
		}
	}
	env = slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		_, replaced := set[name]
		return replaced
	})
	for _, name := range slices.Sorted(maps.Keys(set)) {
		env = append(env, name+"="+set[name])
	}
	return env
}

// LevelOf reads a value of [LevelVar]. One that is empty is no limit; a level that does not
// exist is the lowest one. starts: the process may start an agent with that level.
func LevelOf(value string) (l Level, starts bool) {
	value, starts = strings.CutPrefix(value, starter)
	switch l = Level(value); {
	case value == "" && !starts:
		return All, false
	case !slices.Contains(levels, l):
		return ReadOnly, starts
	}
	return l, starts
}
