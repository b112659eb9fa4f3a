package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/strictyaml"
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
	"language":                    Data,
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
	"runs.output":                 Data,
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

// isBranch reports whether git allows a name for a branch. It is an argument of git, and part of a ref.
func isBranch(s string) bool {
	return len(s) <= 200 && branchName().MatchString(s) && !strings.Contains(s, "..") && !strings.Contains(s, "//") && !strings.HasSuffix(s, ".lock")
}

// branchName is compiled when it is first needed: its classes of characters take 87 KB.
var branchName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL\pN_][\pL\pN_./+-]*[\pL\pN_]$|^[\pL\pN_]$`)
})

// isLabel reports whether a name can identify a workspace in tape:// URIs.
func isLabel(s string) bool {
	n := utf8.RuneCountInString(s)
	return 1 <= n && n <= 100 && s != "workspace" && !strings.ContainsFunc(s, unicode.IsControl)
}

func severities(r *strictyaml.Reading, given map[string]string, rules []string) map[string]lint.Severity {
	return severitiesAt(r, "/rules/", given, rules)
}

func severitiesAt(r *strictyaml.Reading, at string, given map[string]string, rules []string) map[string]lint.Severity {
	if len(given) == 0 {
		return nil
	}
	known := make(map[string]bool, len(rules))
	for _, name := range rules {
		known[name] = true
	}
	list := make(map[string]lint.Severity, len(given))
	var unknown []string
	for name, word := range given {
		if !known[name] {
			unknown = append(unknown, name)
			continue
		}
		severity, ok := lint.ParseSeverity(word)
		if place := at + strictyaml.Escape(name); !ok && !r.Blames(place) {
			r.Complain(place, "unknown severity %q (off, note, warning, error)", word)
		}
		list[name] = severity
	}
	r.ComplainUnknown(at, "rule", "`handoff rules` lists them", unknown, rules)
	return list
}

// ParseProfile parses the name of a profile. With "auto" each document decides which
// one applies.
func ParseProfile(s string) (p lint.Profiles, ok bool) {
	switch s {
	case "handoff":
		return lint.Handoff, true
	case "completion":
		return lint.Completion, true
	case "auto":
		return lint.Handoff | lint.Completion, true
	}
	return lint.Handoff, false
}
