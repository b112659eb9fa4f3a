package needs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// repositoryVars are the variables that name a repository, or change how one is
// read, as `git rev-parse --local-env-vars` lists them.
var repositoryVars = []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS",
	"GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NO_REPLACE_OBJECTS",
	"GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE"}

// forgetRepository unsets these variables until the test ends. Git sets them in
// a hook and in `git rebase --exec`: without this, `git init` and `git commit` in
// a test's folder would change the repository that the tests are run from.
func forgetRepository(t testing.TB) {
	for _, name := range repositoryVars {
		if value, set := os.LookupEnv(name); set {
			t.Setenv(name, value) // restores it at the end
			os.Unsetenv(name)
		}
	}
}

// Ceilings is the variable that ends the search for a repository, in git and in handoff.
const Ceilings = "GIT_CEILING_DIRECTORIES"

// A stray .git in a folder above the temporary ones would make a part of its repository of
// everything that tests create. The variable is set when a test binary starts, because tests
// that run in parallel cannot set it, and processes that they start inherit it.
var _ = os.Setenv(Ceilings, ceilings(os.Getenv(Ceilings)))

// ceilings adds the folder of temporary files, by both of its names if it is a symlink.
func ceilings(before string) string {
	list := filepath.SplitList(before)
	add := func(dir string) {
		if !slices.Contains(list, dir) {
			list = append(list, dir)
		}
	}
	if dir, err := filepath.Abs(os.TempDir()); err == nil {
		add(dir)
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			add(real)
		}
	}
	return strings.Join(list, string(filepath.ListSeparator))
}
