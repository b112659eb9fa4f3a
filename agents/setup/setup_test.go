package setup_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"handoff/agents/host"
	"handoff/agents/setup"
	"handoff/agents/setup/edit"
	"handoff/agents/skill"
	"handoff/document/handoff"
	"handoff/internal/testing/needs"
)

// tree is a project and a home folder.
type tree struct {
	t    *testing.T
	dir  string
	path []string // programs that are found
	env  map[string]string
}

func newTree(t *testing.T, files map[string]string) *tree {
	t.Helper()
	tr := &tree{t: t, dir: t.TempDir(), env: map[string]string{}}
	for _, name := range []string{"project", "home"} {
		if err := os.Mkdir(filepath.Join(tr.dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		tr.write(name, text)
	}
	return tr
}

func (tr *tree) write(name, text string) {
	tr.t.Helper()
	file := filepath.Join(tr.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		tr.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		tr.t.Fatal(err)
	}
}

// files are all files and empty folders with their content.
func (tr *tree) files() map[string]string {
	tr.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(tr.dir, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(tr.dir, path)
		switch {
		case err != nil:
			return err
		case e.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			all[filepath.ToSlash(name)] = "-> " + to
			return err
		case e.IsDir():
			all[filepath.ToSlash(name)+"/"] = ""
			return nil
		}
		src, err := os.ReadFile(path)
		all[filepath.ToSlash(name)] = string(src)
		return err
	})
	if err != nil {
		tr.t.Fatal(err)
	}
	return all
}

func (tr *tree) request(hosts ...string) setup.Request {
	return setup.Request{
		Hosts: hosts, Project: filepath.Join(tr.dir, "project"),
		Machine: setup.Machine{
			Home: filepath.Join(tr.dir, "home"), OS: "linux",
			Getenv: func(key string) string { return tr.env[key] },
			LookPath: func(name string) (string, error) {
				if slices.Contains(tr.path, name) {
					return "/bin/" + name, nil
				}
				return "", fs.ErrNotExist
			},
		},
	}
}

// run makes and applies a plan. The result has a line for each step.
func (tr *tree) run(req setup.Request) ([]string, error) {
	plan, err := setup.Make(req)
	if err != nil {
		return nil, err
	}
	done, err := plan.Apply()
	var lines []string
	for _, s := range done {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintf("%s %s: %s", s.Verb, s.Path, s.Why), ": "))
	}
	return lines, err
}

// install fails the test if a request does not work.
func (tr *tree) install(req setup.Request) []string {
	tr.t.Helper()
	lines, err := tr.run(req)
	if err != nil {
		tr.t.Fatal(err)
	}
	return lines
}

// removing is the request that takes away what another one installs.
func removing(req setup.Request) setup.Request {
	req.Remove = true
	return req
}

func forUser(req setup.Request) setup.Request {
	req.User = true
	return req
}

func same(t *testing.T, got, want map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if old, ok := want[name]; !ok {
			t.Errorf("%s is new: %q", name, got[name])
		} else if old != got[name] {
			t.Errorf("%s is %q, was %q", name, got[name], old)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if _, ok := got[name]; !ok {
			t.Errorf("%s is gone", name)
		}
	}
}

// TestEachHost installs each host alone, in both scopes, twice, and removes it.
func TestEachHost(t *testing.T) {
	for _, name := range host.Names() {
		for _, user := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s user %t", name, user), func(t *testing.T) {
				tr := newTree(t, map[string]string{"project/README.md": "# P\n"})
				before := tr.files()
				req := tr.request(name)
				req.User = user
				lines := tr.install(req)
				if len(lines) < 2 || slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "created ") }) {
					t.Errorf("installed: %q", lines)
				}
				where := "home/"
				if user {
					where = "project/"
				}
				with := tr.files()
				for file := range with {
					if _, old := before[file]; !old && strings.HasPrefix(file, where) {
						t.Errorf("%s is outside the scope", file)
					}
				}
				for _, line := range tr.install(req) {
					if !strings.HasPrefix(line, "kept ") {
						t.Errorf("the second time: %s", line)
					}
				}
				same(t, tr.files(), with)
				tr.install(removing(req))
				same(t, tr.files(), before)
				if again := tr.install(removing(req)); len(again) > 0 {
					t.Errorf("removed twice: %q", again)
				}
			})
		}
	}
}

// TestAllHosts installs all hosts into files of the user and removes them one by one.
func TestAllHosts(t *testing.T) {
	tr := newTree(t, map[string]string{
		"project/.claude/settings.json":     "\ufeff{\r\n\t// mine\r\n\t\"hooks\": {\"Stop\": [],},\r\n}",
		"project/.mcp.json":                 `{"mcpServers":{}}`,
		"project/.gemini/settings.json":     "{}",
		"project/.codex/config.toml":        "model = \"x\"\n[features]\n",
		"project/opencode.jsonc":            "{\n  // mine\n  \"mcp\": { }\n}\n",
		"project/.crush.json":               "{\n}\n",
		"project/AGENTS.md":                 "# Mine",
		"project/.cursor/mcp.json":          "{\n    \"mcpServers\": {\n        \"a\": {}\n    }\n}\n",
		"project/.agents/skills/x/SKILL.md": "mine",
	})
	before := tr.files()
	tr.install(tr.request(host.Names()...))
	after := tr.files()
	for _, name := range []string{"project/opencode.json", "project/crush.json"} {
		if _, ok := after[name]; ok {
			t.Errorf("%s was created beside the file of the user", name)
		}
	}
	for _, name := range host.Names() {
		tr.install(removing(tr.request(name)))
	}
	same(t, tr.files(), before)

	tr.install(tr.request(host.Names()...))
	tr.install(removing(tr.request()))
	same(t, tr.files(), before)
}

// TestFound: without names, the hosts of this machine and project are installed.
func TestFound(t *testing.T) {
	tr := newTree(t, map[string]string{"project/.gemini/x": "", "home/.qwen/x": ""})
	tr.path = []string{"codex"}
	plan, err := setup.Make(tr.request())
	want := []setup.Found{{Host: "codex", Why: "codex is on PATH"}, {Host: "gemini", Why: ".gemini/ exists"}, {Host: "qwen", Why: "~/.qwen/ exists"}}
	if err != nil || !slices.Equal(plan.Found, want) {
		t.Errorf("%+v, %v", plan, err)
	}
	if _, err := setup.Make(newTree(t, nil).request()); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), "name one of amp, claude") {
		t.Error(err)
	}
	if _, err := setup.Make(tr.request("cluade")); err == nil || !strings.Contains(err.Error(), "did you mean claude?") {
		t.Error(err)
	}
}

// A file that cannot be changed stops everything before the first write.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		do    func(*tree)
		want  string
	}{
		"broken JSON":            {map[string]string{"project/.mcp.json": "{\n  \"a\": 1,,\n}\n"}, nil, `.mcp.json:2:10: ',': want a key in double quotes: fix that, then run this again (nothing was changed)`},
		"an empty file":          {map[string]string{"project/.mcp.json": ""}, nil, `.mcp.json:1:1: no JSON value: the file is empty`},
		"not an object":          {map[string]string{"project/.mcp.json": "[]"}, nil, `.mcp.json:1:1: is an array, want an object`},
		"hooks are a list":       {map[string]string{"project/.claude/settings.json": "{\n\"hooks\": []\n}"}, nil, `.claude/settings.json: line 2: wrong kind of value: hooks is an array, want an object`},
		"a block without an end": {map[string]string{"project/AGENTS.md": "<!-- handoff:begin v1 -->\nx\n"}, nil, `AGENTS.md: damaged block: the line "<!-- handoff:end -->" is missing`},
		"a read-only file": {map[string]string{"project/AGENTS.md": "# T\n"}, func(tr *tree) {
			if err := os.Chmod(filepath.Join(tr.dir, "project/AGENTS.md"), 0o444); err != nil {
				tr.t.Fatal(err)
			}
		}, "AGENTS.md: is read-only: `chmod u+w` it"},
		"a symlink": {map[string]string{"outside.json": "{}"}, func(tr *tree) {
			needs.Symlink(tr.t, "../outside.json", filepath.Join(tr.dir, "project/.mcp.json"))
		}, `.mcp.json: is a symbolic link to "../outside.json", which is not followed: replace the link`},
		"a folder that is a symlink": {map[string]string{"outside/x": ""}, func(tr *tree) {
			needs.Symlink(tr.t, "../outside", filepath.Join(tr.dir, "project/.claude"))
		}, `.claude/settings.json: is a symbolic link`},
		"a folder where a file goes": {map[string]string{"project/.mcp.json/x": ""}, nil, `.mcp.json: not a regular file`},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, c.files)
			if c.do != nil {
				c.do(tr)
			}
			before := tr.files()
			if _, err := tr.run(tr.request("codex", "claude")); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			same(t, tr.files(), before)
		})
	}
}

// A link that stays in the project is followed: many projects have one instructions
// file under two names.
func TestLinksInProject(t *testing.T) {
	tr := newTree(t, map[string]string{"project/CLAUDE.md": "# Mine\n", "project/shared/skills/x/SKILL.md": "mine", "project/.git/hooks/x": "#!/bin/sh\n"})
	needs.Symlink(t, "CLAUDE.md", filepath.Join(tr.dir, "project/AGENTS.md"))
	needs.Symlink(t, "shared", filepath.Join(tr.dir, "project/.agents"))
	needs.Symlink(t, "shared", filepath.Join(tr.dir, "project/.claude"))
	before := tr.files()
	tr.install(tr.request("claude", "codex"))
	with := tr.files()
	if !strings.Contains(with["project/CLAUDE.md"], "handoff:begin") || with["project/AGENTS.md"] != "-> CLAUDE.md" || with["project/shared/skills/handoff/SKILL.md"] == "" {
		t.Errorf("%q", slices.Sorted(maps.Keys(with)))
	}
	tr.install(removing(tr.request("claude", "codex")))
	same(t, tr.files(), before)

	needs.Symlink(t, ".git/hooks/x", filepath.Join(tr.dir, "project/.mcp.json"))
	before = tr.files()
	if _, err := tr.run(tr.request("claude")); err == nil || !strings.Contains(err.Error(), "which is not followed") {
		t.Error(err)
	}
	same(t, tr.files(), before)
}

// Removing passes over what setup never wrote: links, broken files of others.
func TestRemoveWhatIsNotOurs(t *testing.T) {
	tr := newTree(t, map[string]string{"outside/x": "", "project/.mcp.json": "{broken", "project/.codex/config.toml": "= broken", "project/.gemini/settings.json/x": ""})
	needs.Symlink(t, "../outside", filepath.Join(tr.dir, "project/.claude"))
	before := tr.files()
	if lines := tr.install(removing(tr.request())); len(lines) > 0 {
		t.Errorf("%q", lines)
	}
	same(t, tr.files(), before)
}

// Codex reads the hooks of the main checkout, not those of a linked worktree.
func TestWorktree(t *testing.T) {
	for git, want := range map[string]bool{"project/.git": true, "project/.git/HEAD": false} {
		tr := newTree(t, map[string]string{git: "gitdir: x\n"})
		plan, err := setup.Make(tr.request("codex"))
		if err != nil || strings.Contains(strings.Join(plan.Next, ""), "main checkout") != want {
			t.Errorf("%s: %q, %v", git, plan.Next, err)
		}
	}
}

// The user's own settings may be links into a folder with dotfiles.
func TestLinkedHome(t *testing.T) {
	tr := newTree(t, map[string]string{"dotfiles/settings.json": "{\"a\": 1}", "home/.gemini/x": ""})
	needs.Symlink(t, "../../dotfiles/settings.json", filepath.Join(tr.dir, "home/.gemini/settings.json"))
	before := tr.files()
	tr.install(forUser(tr.request("gemini")))
	if with := tr.files(); !strings.Contains(with["dotfiles/settings.json"], "handoff hook") || with["home/.gemini/settings.json"] != before["home/.gemini/settings.json"] {
		t.Errorf("%q", with)
	}
	tr.install(removing(forUser(tr.request("gemini"))))
	same(t, tr.files(), before)
}

// TestMoved has folders that variables name.
func TestMoved(t *testing.T) {
	tr := newTree(t, nil)
	tr.env["CLAUDE_CONFIG_DIR"] = filepath.Join(tr.dir, "elsewhere")
	tr.env["CODEX_HOME"] = "relative" // ignored
	before := tr.files()
	tr.install(forUser(tr.request("claude", "codex")))
	with := tr.files()
	for _, name := range []string{"elsewhere/settings.json", "elsewhere/.claude.json", "elsewhere/skills/handoff/SKILL.md", "home/.codex/hooks.json"} {
		if with[name] == "" {
			t.Errorf("%s was not written", name)
		}
	}
	tr.install(removing(forUser(tr.request("claude", "codex"))))
	delete(with, "elsewhere/")
	after := tr.files()
	delete(after, "elsewhere/") // named by the user, so it stays
	same(t, after, before)
}

// A file that changes between reading and writing is read again, and keeps the change.
// Removing deletes the files that were written.
func TestChangedMeanwhile(t *testing.T) {
	tr := newTree(t, map[string]string{"project/AGENTS.md": "# T\n"})
	plan, err := setup.Make(tr.request("claude"))
	if err != nil {
		t.Fatal(err)
	}
	tr.write("project/AGENTS.md", "# New\n")
	before := map[string]string{}
	for name, text := range tr.files() {
		before[name] = text
	}
	done, err := plan.Apply()
	if text := tr.files()["project/AGENTS.md"]; err != nil || len(done) != 5 || !strings.HasPrefix(text, "# New\n") || !strings.Contains(text, "handoff") {
		t.Errorf("%d steps, %v, %q", len(done), err, text)
	}
	tr.install(removing(tr.request("claude")))
	same(t, tr.files(), before)
}

// Two processes that install the same at once: the second one finds everything
// installed. In this order both plan before either writes.
func TestTwoAtOnce(t *testing.T) {
	tr := newTree(t, nil)
	var plans []*setup.Plan
	for range 2 {
		plan, err := setup.Make(tr.request("claude"))
		if err != nil {
			t.Fatal(err)
		}
		plans = append(plans, plan)
	}
	var first map[string]string
	for i, plan := range plans {
		done, err := plan.Apply()
		if err != nil || len(done) != 5 {
			t.Errorf("%d: %d steps, %v", i, len(done), err)
		}
		for _, s := range done {
			if i == 1 && s.Changes() {
				t.Errorf("the second one changes %s", s.Path)
			}
		}
		if first == nil {
			first = tr.files()
		}
	}
	same(t, tr.files(), first)
}

// Processes that install at once leave each file complete.
func TestManyAtOnce(t *testing.T) {
	tr := newTree(t, nil)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			plan, err := setup.Make(tr.request("claude", "codex", "gemini"))
			if err == nil {
				_, err = plan.Apply()
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	other := newTree(t, nil)
	other.install(other.request("claude", "codex", "gemini"))
	same(t, tr.files(), other.files())
}

// What an older version wrote in .opencode goes, and what is not from setup stays there.
func TestFormerFiles(t *testing.T) {
	tr := newTree(t, map[string]string{"project/.opencode/plugins/own.js": "mine\n"})
	before := tr.files()
	tr.install(tr.request("opencode"))
	now := tr.files()
	plugin := now["project/.agents/opencode/handoff.ts"]
	if plugin == "" || !strings.Contains(now["project/opencode.json"], `"./.agents/opencode/handoff.ts"`) {
		t.Fatalf("%q", now)
	}
	text, _ := skill.Command("pickup.md")
	file, _, _ := edit.Whole{Content: text, Start: "<!-- ", End: " -->"}.Add(edit.Text{})
	for _, want := range []string{"removed .opencode/plugins/handoff.ts", "removed .opencode/commands/pickup.md", "kept opencode.json"} {
		tr.write("project/.opencode/plugins/handoff.ts", plugin)
		tr.write("project/.opencode/commands/pickup.md", file.Bytes)
		if lines := tr.install(tr.request("opencode")); !slices.Contains(lines, want) {
			t.Errorf("%q, want %q", lines, want)
		}
	}
	if after := tr.files(); !maps.Equal(after, now) {
		t.Errorf("%q", after)
	}
	tr.write("project/.opencode/plugins/handoff.ts", plugin)
	tr.install(removing(tr.request("opencode")))
	if after := tr.files(); !maps.Equal(after, before) {
		t.Errorf("%q, want %q", after, before)
	}
	tr.install(tr.request("opencode"))
	user := tr.request("opencode")
	user.User = true
	if lines := tr.install(user); !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "skipped ~/.config/opencode/plugins/handoff.ts") }) {
		t.Errorf("twice: %q", lines)
	}
}
