package facts_test

import (
	"testing"

	"handoff/agents/transcript/facts"
)

func TestChecks(t *testing.T) {
	for command, want := range map[string]bool{
		"go test ./...": true, "cd web && npm test 2>&1 | tail -20": true, "npm run test:unit": true, "npm run typecheck": true, "CI=1 npx vitest run": true,
		"python -m pytest -q": true, "./gradlew check": true, "./node_modules/.bin/tsc --noEmit": true, "make": true, "make -j8 test": true, "(cd a; cargo build)": true,
		"uv run pytest": true, "node --test": true, "env GOFLAGS=-x go vet ./...": true,
		"npm install": false, "git commit -m 'run the test'": false, "ls test": false, "cat Makefile": false, "make install": false, "node app.js": false, "go mod tidy": false,
		"grep -rn pytest .": false, "echo done; git status": false, "": false,
	} {
		if got := facts.Checks(command); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
}
