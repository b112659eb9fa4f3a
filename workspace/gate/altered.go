package gate

import (
	"context"
	"path"
	"slices"
	"strings"

	"handoff/internal/file/gitindex"
	"handoff/workspace"
)

// altered are the files that decide what the commands check, and are not as they were when the work began. A check that
// was changed may succeed because of that; whether the change is a part of the work is for a person to see. New files
// are left out: tests that an agent adds are what people want.
func altered(ctx context.Context, ws *workspace.Workspace, r Request) []string {
	if r.Base == "" || len(r.Commands) == 0 {
		return nil
	}
	names, err := gitindex.Altered(ctx, ws.Root, r.Base)
	if err != nil {
		return nil // the commit is gone: nothing is known
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(r.Before, name) || !decides(r.Commands, name) })
}

// decides reports whether a file is one that a command names or reads to find what it runs, or a test.
func decides(commands [][]string, name string) bool {
	return isTest(name) || slices.ContainsFunc(commands, func(words []string) bool {
		return slices.ContainsFunc(wordsIn(words), func(word string) bool {
			return path.Clean(word) == name || slices.Contains(definitions[path.Base(word)], path.Base(name))
		})
	})
}

// wordsIn are the words of a command, also of a script that one of them is.
func wordsIn(words []string) []string {
	return strings.FieldsFunc(strings.Join(words, " "), func(c rune) bool { return strings.ContainsRune(" \t\n;&|()<>'\"`=", c) })
}

// definitions are the files from which programs read what they run.
var definitions = map[string][]string{
	"make":   {"Makefile", "makefile", "GNUmakefile"},
	"just":   {"justfile", "Justfile", ".justfile"},
	"task":   {"Taskfile.yml", "Taskfile.yaml"},
	"npm":    {"package.json"},
	"pnpm":   {"package.json"},
	"yarn":   {"package.json"},
	"bun":    {"package.json"},
	"tox":    {"tox.ini"},
	"pytest": {"pytest.ini", "conftest.py"},
	"rake":   {"Rakefile"},
}

// isTest reports whether a file is a test, or what tests read, by the names that languages use.
func isTest(name string) bool {
	base := path.Base(name)
	if strings.HasPrefix(base, "test_") || base == "conftest.py" {
		return true
	}
	for _, mark := range []string{"_test.", ".test.", "_spec.", ".spec."} {
		if strings.Contains(base, mark) {
			return true
		}
	}
	return slices.ContainsFunc(strings.Split(path.Dir(name), "/"), func(dir string) bool {
		return slices.Contains([]string{"test", "tests", "__tests__", "testdata"}, dir)
	})
}
