package handoff_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// layer says what a package may import: of ours, and of the libraries that
// are kept to one place. A package that is not listed breaks the test, so that
// a new one is thought about. "x/..." stands for x and all below it.
var layer = map[string]struct {
	ours []string
	pure bool // no disk, no network, no clock
	test bool // imported by tests only
}{
	// 0 mechanisms: know nothing of handoffs
	"handoff/internal/atomicfile": {ours: []string{"handoff/internal/nofollow", "handoff/internal/regular"}},
	"handoff/internal/eight":      {pure: true},
	"handoff/internal/gitindex":   {},
	"handoff/internal/jsonedit":   {ours: []string{"handoff/internal/jsontext"}, pure: true},
	"handoff/internal/journal":    {ours: []string{"handoff/internal/atomicfile", "handoff/internal/lockfile", "handoff/internal/nofollow", "handoff/internal/regular"}},
	"handoff/internal/killtest":   {ours: []string{"handoff/internal/waittest"}, test: true},
	"handoff/internal/listening":  {ours: []string{"handoff/internal/nofollow"}},
	"handoff/internal/lockfile":   {ours: []string{"handoff/internal/nofollow", "handoff/internal/regular"}},
	"handoff/internal/memtest":    {test: true},
	"handoff/internal/nearest":    {pure: true},
	"handoff/internal/needs":      {test: true},
	"handoff/internal/nofollow":   {ours: []string{"handoff/internal/regular"}},
	"handoff/internal/openapi":    {ours: []string{"handoff/internal/jsontext"}},
	"handoff/internal/prose":      {pure: true},
	"handoff/internal/regular":    {},
	"handoff/internal/schematest": {ours: []string{"handoff/docs/schema"}, test: true},
	"handoff/internal/secret":     {ours: []string{"handoff/internal/eight", "handoff/internal/prose"}, pure: true},
	"handoff/internal/jsoncodec":  {ours: []string{"handoff/internal/jsontext"}, pure: true},
	"handoff/internal/jsontext":   {pure: true},
	"handoff/internal/sse":        {},
	"handoff/internal/strictyaml": {ours: []string{"handoff/internal/jsonedit", "handoff/internal/jsontext", "handoff/internal/nearest"}, pure: true},
	"handoff/internal/tokens":     {pure: true},
	"handoff/internal/tree":       {pure: true},
	"handoff/internal/visible":    {pure: true},
	"handoff/internal/waittest":   {test: true},
	"handoff/internal/toolform":   {pure: true},
	"handoff/docs/schema":         {},
	"handoff/specs/example":       {},
	// 1 formats
	"handoff":                    {ours: []string{"handoff/internal/nearest"}, pure: true},
	"handoff/task":               {ours: []string{"handoff"}},
	"handoff/artifact":           {ours: []string{"handoff/internal/atomicfile", "handoff/internal/nofollow", "handoff/internal/regular"}},
	"handoff/artifact/fetchtool": {ours: []string{"handoff/artifact", "handoff/internal/toolform"}, pure: true},
	"handoff/bundle":             {ours: []string{"handoff/artifact", "handoff/internal/jsoncodec", "handoff/internal/jsontext"}, pure: true},
	"handoff/thread":             {ours: []string{"handoff", "handoff/artifact", "handoff/bundle", "handoff/internal/..."}},
	"handoff/thread/rip":         {ours: []string{"handoff", "handoff/artifact", "handoff/thread", "handoff/internal/..."}},
	"handoff/tape":               {ours: []string{"handoff", "handoff/internal/..."}},
	"handoff/tape/bub":           {ours: []string{"handoff", "handoff/tape", "handoff/internal/..."}},
	// 2 verbs
	"handoff/hidden":      {ours: []string{"handoff", "handoff/internal/prose"}, pure: true},
	"handoff/brief":       {ours: []string{"handoff", "handoff/hidden", "handoff/internal/visible"}, pure: true},
	"handoff/templates":   {ours: []string{"handoff"}, pure: true},
	"handoff/parse":       {ours: []string{"handoff"}, pure: true},
	"handoff/lint":        {ours: []string{"handoff", "handoff/hidden", "handoff/internal/jsontext", "handoff/internal/secret", "handoff/parse"}, pure: true},
	"handoff/lint/report": {ours: []string{"handoff", "handoff/hidden", "handoff/lint", "handoff/internal/secret", "handoff/internal/visible"}, pure: true},
	"handoff/lint/rules":  {ours: []string{"handoff", "handoff/hidden", "handoff/lint", "handoff/internal/eight", "handoff/internal/nearest", "handoff/internal/prose", "handoff/internal/secret", "handoff/internal/visible"}, pure: true},
	"handoff/compile": {ours: []string{"handoff", "handoff/artifact", "handoff/bundle", "handoff/thread", "handoff/compile/render",
		"handoff/internal/tokens"}, pure: true},
	"handoff/compile/render": {ours: []string{"handoff/artifact", "handoff/bundle", "handoff/internal/toolform", "handoff/internal/visible"}, pure: true},
	"handoff/convert": {ours: []string{"handoff", "handoff/bundle", "handoff/internal/jsontext", "handoff/parse", "handoff/tape", "handoff/templates",
		"handoff/thread"}, pure: true},
	"handoff/tape/comma": {ours: []string{"handoff", "handoff/tape", "handoff/internal/nearest", "handoff/internal/jsontext"}, pure: true},
	"handoff/tape/chat":  {ours: []string{"handoff/tape", "handoff/internal/jsontext", "handoff/internal/tokens", "handoff/internal/visible"}, pure: true},
	"handoff/tape/tool":  {ours: []string{"handoff", "handoff/tape/comma", "handoff/internal/jsontext", "handoff/internal/toolform"}, pure: true},
	// 3 effects
	"handoff/reconcile": {ours: []string{"handoff", "handoff/parse", "handoff/bundle", "handoff/artifact",
		"handoff/internal/..."}},
	"handoff/runner": {ours: []string{"handoff/artifact", "handoff/bundle", "handoff/compile", "handoff/compile/render", "handoff/thread", "handoff/internal/..."}},
	"handoff/workspace": {ours: []string{"handoff", "handoff/artifact", "handoff/brief", "handoff/bundle", "handoff/reconcile", "handoff/lint", "handoff/parse",
		"handoff/compile", "handoff/compile/render", "handoff/convert", "handoff/runner", "handoff/task", "handoff/templates", "handoff/thread", "handoff/thread/rip", "handoff/watch", "handoff/tape", "handoff/tape/bub", "handoff/tape/chat", "handoff/tape/comma", "handoff/internal/..."}},
	"handoff/watch": {ours: []string{"handoff", "handoff/task", "handoff/internal/regular"}},
	// 4 surfaces
	"handoff/surface/httpapi":        {ours: []string{"handoff", "handoff/artifact", "handoff/bundle", "handoff/brief", "handoff/lint", "handoff/lint/report", "handoff/workspace", "handoff/internal/...", "handoff/compile", "handoff/compile/render", "handoff/thread", "handoff/runner", "handoff/tape", "handoff/tape/tool"}},
	"handoff/surface/httpapi/client": {ours: []string{"handoff", "handoff/bundle", "handoff/compile", "handoff/tape", "handoff/tape/comma", "handoff/thread", "handoff/workspace"}},
	"handoff/cmd/handoff":            {ours: []string{"handoff", "handoff/artifact", "handoff/artifact/fetchtool", "handoff/bundle", "handoff/brief", "handoff/lint/...", "handoff/workspace", "handoff/surface/httpapi", "handoff/surface/httpapi/client", "handoff/docs/schema", "handoff/specs/example", "handoff/internal/...", "handoff/thread", "handoff/thread/rip", "handoff/runner", "handoff/compile/...", "handoff/convert", "handoff/tape/..."}},
}

// only says which package of ours may use a library, so that it can be
// replaced in one place.
var only = map[string]string{
	"github.com/yuin/goldmark":     "handoff/parse",
	"github.com/adrg/frontmatter":  "handoff/parse",
	"github.com/fsnotify/fsnotify": "handoff/watch",
	"github.com/urfave/cli/v2":     "handoff/cmd/handoff",

	"github.com/santhosh-tekuri/jsonschema/v6": "handoff/internal/schematest",
}

// impure are the packages that reach outside the process, or ask the clock's
// relatives for chance.
var impure = []string{"os", "os/exec", "os/signal", "net", "net/http", "syscall", "math/rand", "math/rand/v2", "crypto/rand"}

type goPackage struct {
	ImportPath, Name string
	Imports          []string
}

func TestLayering(t *testing.T) {
	for _, p := range list(t) {
		rule, ok := layer[p.ImportPath]
		if !ok {
			t.Errorf("%s stands in no layer: add it to the table with what it may import", p.ImportPath)
			continue
		}
		if p.Name == "main" && p.ImportPath != "handoff/cmd/handoff" {
			t.Errorf("%s: a second main package: `go install ./...` would install it", p.ImportPath)
		}
		for _, imp := range p.Imports {
			if ours(imp) && !slices.ContainsFunc(rule.ours, func(may string) bool { return covers(may, imp) }) {
				t.Errorf("%s imports %s: that is not below it", p.ImportPath, imp)
			}
			if layer[imp].test && !rule.test {
				t.Errorf("%s imports %s: only tests may", p.ImportPath, imp)
			}
			if rule.pure && slices.Contains(impure, imp) {
				t.Errorf("%s imports %s: it is meant to be pure", p.ImportPath, imp)
			}
			for lib, home := range only {
				if covers(lib+"/...", imp) && p.ImportPath != home {
					t.Errorf("%s imports %s: only %s may", p.ImportPath, imp, home)
				}
			}
		}
	}
}

func ours(path string) bool { return covers("handoff/...", path) }

func covers(pattern, path string) bool {
	base, all := strings.CutSuffix(pattern, "/...")
	return path == base || all && strings.HasPrefix(path, base+"/")
}

func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports", "./...")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
