package needs

import (
	"os"
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
