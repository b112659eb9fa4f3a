package house

import (
	"slices"
	"strings"
	"testing"
)

// shared are the packages of the command line that groups of commands share.
var shared = []string{"handoff/surface/command", "handoff/surface/command/cli", "handoff/surface/command/operations"}

// isGroup reports whether a package has the commands of a group.
func isGroup(path string) bool {
	return covers("handoff/surface/command/...", path) && !slices.Contains(shared, path)
}

// TestGroups: a group of commands imports no other group, and no room knows any of them. What several
// need is in the room that it is about, or in the packages that they share.
func TestGroups(t *testing.T) {
	groups := 0
	for _, p := range list(t) {
		if isGroup(p.ImportPath) {
			groups++
		}
		for _, imp := range p.Imports {
			if isGroup(imp) && p.ImportPath != "handoff/cmd/handoff" {
				t.Errorf("%s imports %s: what it needs from that group of commands belongs below both", p.ImportPath, imp)
			}
		}
		if p.ImportPath == "handoff/surface/command" && slices.Contains(p.Imports, "handoff/surface/httpapi/client") {
			t.Errorf("%s imports the client of HTTP: only operations need it", p.ImportPath)
		}
	}
	if groups < 10 {
		t.Errorf("found only %d groups of commands", groups)
	}
}

// maxDepth is the most packages on a way of imports, from the program down. It is what there is
// today: a change may lower it.
const maxDepth = 17

// TestDepth compares the longest way of imports with maxDepth.
func TestDepth(t *testing.T) {
	packages, ways := byPath(t), map[string][]string{}
	var longest func(path string) []string
	longest = func(path string) []string {
		if way, ok := ways[path]; ok {
			return way
		}
		var below []string
		for _, imp := range packages[path].Imports {
			if way := longest(imp); ours(imp) && len(way) > len(below) {
				below = way
			}
		}
		ways[path] = append([]string{path}, below...)
		return ways[path]
	}
	var most []string
	for path := range packages {
		if way := longest(path); len(way) > len(most) {
			most = way
		}
	}
	if len(most) > maxDepth {
		t.Errorf("%d packages import each other in a row, at most %d are allowed:\n%s", len(most), maxDepth, strings.Join(most, "\n"))
	}
	if len(most) < maxDepth {
		t.Errorf("the longest way of imports has %d packages: lower maxDepth", len(most))
	}
}
