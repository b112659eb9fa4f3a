package config

import (
	"maps"
	"slices"
	"strings"

	"handoff/lint"
)

// Effect is what a key of the configuration can do to the machine of somebody who cloned
// the repository.
type Effect string

// The effects.
const (
	Data Effect = "data" // decides how files of the workspace are read and written: used without asking
	Acts Effect = "act"  // connects to another machine, or runs a program: only if the user trusts the repository
)

// Keys has the effect of each key, "a.b" for a key below another one. A key that acts must
// also be among [handoff/workspace/trust.Acts].
var Keys = map[string]Effect{
	"profile":                     Data,
	"max_lines":                   Data,
	"max_next_action_words":       Data,
	"max_fence_lines":             Data,
	"padding":                     Data,
	"rules":                       Data, // those of [Config.SwitchedOff] are reported
	"ignore":                      Data,
	"templates":                   Acts, // the template in the folder is a program
	"threads":                     Data,
	"share":                       Data, // what .gitignore leaves to git: nothing leaves the machine before a person pushes
	"create_metadata":             Data,
	"keep_work":                   Data, // objects and refs of the repository; nothing leaves the machine
	"local":                       Data, // hides handoffs from git, in .git/info/exclude
	"until_merge":                 Data, // verify asks git whether a branch has handoffs
	"compaction":                  Data,
	"workspace":                   Data,
	"store":                       Acts,
	"documents.preset":            Data,
	"documents.name":              Data,
	"documents.files":             Data,
	"documents.names":             Data,
	"documents.chain":             Data,
	"documents.title":             Data,
	"documents.headings":          Data,
	"documents.frontmatter.known": Data,
	"documents.frontmatter.new":   Data,
	"documents.rules":             Data,
	"checks.allow":                Acts,
	"checks.tests":                Acts,
	"checks.timeout":              Data,
	"checks.output":               Data,
}

// SwitchedOff returns the rules against secrets and hidden text that the configuration
// switches off, for all documents or for those of a layout. A clone must not do that
// unnoticed.
func (c Config) SwitchedOff() []string {
	off := map[string]bool{}
	for _, set := range slices.AppendSeq([]*lint.Settings{&c.Settings}, maps.Values(c.layouts)) {
		for name, severity := range set.Severity {
			if severity == lint.Off && (name == "secret" || strings.HasPrefix(name, "hidden-")) {
				off[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(off))
}
