package doctor

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"handoff/agents/setup"
	"handoff/internal/text/shellword"
)

func codex() []check {
	return []check{{"switches", codexSwitches}, {"trust", codexTrust}, {"worktree", codexWorktree}}
}

// codexConfigs are the configurations, the strongest first.
func (m *Machine) codexConfigs() []string {
	return []string{m.project(".codex", "config.toml"), m.codexConfig()}
}

func (m *Machine) codexConfig() string {
	return filepath.Join(m.folder("CODEX_HOME", ".codex"), "config.toml")
}

// tomlKey is a line of a TOML file that sets a key. It tracks tables line by
// line, which is enough for the files that Codex writes and gives line numbers.
type tomlKey struct {
	table, key, value string
	line              int
}

func (m *Machine) toml(file string) (keys []tomlKey) {
	text, _, _ := m.read(file) // setup reports one that cannot be read
	table, number := "", 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			table, _, _ = strings.Cut(rest, "]")
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if key = strings.TrimSpace(key); !ok || strings.HasPrefix(key, "#") {
			continue
		}
		at := table
		if i := strings.LastIndex(key, "."); at == "" && i > 0 && !strings.ContainsAny(key, `"'`) {
			at, key = key[:i], key[i+1:]
		}
		value, _, _ = strings.Cut(value, "#")
		keys = append(keys, tomlKey{at, key, strings.TrimSpace(value), number})
	}
	return keys
}

// name is the last name of the table, which is quoted: [projects."/path"].
func (k tomlKey) name(table string) (string, bool) {
	rest, ok := strings.CutPrefix(k.table, table+".")
	if name, err := strconv.Unquote(rest); ok && err == nil {
		return name, true
	}
	return strings.Trim(rest, "'"), ok
}

func codexSwitches(m *Machine) []Line {
	for _, file := range m.codexConfigs() {
		for _, k := range m.toml(file) {
			if k.table == "features" && (k.key == "hooks" || k.key == "codex_hooks") {
				if k.value == "false" {
					return []Line{problem("change it to "+k.key+" = true", "[features] %s is false: no hook runs", k.key).at(file, k.line)}
				}
				return []Line{good("hooks are switched on").at(file, k.line)}
			}
		}
	}
	return []Line{good("hooks are not switched off")}
}

// codexTrust: Codex runs a hook only after the user has trusted it, and stores the
// hash of each in its configuration. The hooks of a project need a trusted project.
func codexTrust(m *Machine) (lines []Line) {
	config := m.codexConfig()
	keys := m.toml(config)
	own := filepath.Join(m.codexCheckout(), ".codex", "hooks.json")
	for _, file := range []string{own, filepath.Join(filepath.Dir(config), "hooks.json")} {
		text, _, _ := m.read(file)
		if !strings.Contains(text, "handoff hook ") {
			continue
		}
		trusted, starts, off := 0, false, tomlKey{}
		for _, k := range keys {
			name, ok := k.name("hooks.state")
			if !ok || !strings.HasPrefix(name, file+":") {
				continue
			}
			if k.key == "trusted_hash" {
				trusted++
				starts = starts || strings.HasPrefix(name, file+":session_start:")
			}
			if k.key == "enabled" && k.value == "false" {
				off = k
			}
		}
		switch {
		case off.line > 0:
			lines = append(lines, problem("start codex, type /hooks and switch it on", "a hook of %s is switched off", file).at(config, off.line))
		case trusted == 0:
			lines = append(lines, problem("start codex, type /hooks and trust them", "the hooks are not trusted: Codex runs none of them").at(file, lineOf(text, "handoff hook ")))
		case !starts:
			lines = append(lines, problem("start codex, type /hooks and trust all of them", "the hook of SessionStart is not trusted: sessions do not get handoffs").at(file, 0))
		default:
			lines = append(lines, good("%d hooks of this file are trusted; after a change, trust them again", trusted).at(file, 0))
		}
		if file == own {
			lines = append(lines, m.codexProject(keys))
		}
	}
	return lines
}

func (m *Machine) codexProject(keys []tomlKey) Line {
	for _, k := range keys {
		if dir, ok := k.name("projects"); ok && (dir == m.Root || dir == m.codexCheckout()) && k.key == "trust_level" && strings.Trim(k.value, `"'`) == "trusted" {
			return good("%s is trusted", m.Root).at(m.codexConfig(), k.line)
		}
	}
	return problem("start codex in "+m.Root+" and accept its question", "%s is not trusted: Codex does not read its .codex folder", m.Root).at(m.codexConfig(), 0)
}

// codexCheckout is the checkout whose hooks Codex reads: in a linked worktree, the
// main one.
func (m *Machine) codexCheckout() string {
	text, _, _ := m.read(m.project(".git"))
	dir, ok := strings.CutPrefix(strings.TrimSpace(text), "gitdir: ")
	git, _, linked := strings.Cut(filepath.ToSlash(dir), "/worktrees/")
	if !ok || !linked {
		return m.Root
	}
	return filepath.Dir(filepath.FromSlash(git))
}

// codexHooks replaces the hooks in a survey by those that Codex reads.
func (m *Machine) codexHooks(s setup.Survey) (setup.Survey, error) {
	checkout := m.codexCheckout()
	if checkout == m.Root {
		return s, nil
	}
	there, err := setup.Find(m.setup(), checkout, "codex")
	isHook := func(l setup.Look) bool { return l.Kind == setup.Hooks }
	s.Looks = append(slices.DeleteFunc(s.Looks, isHook), slices.DeleteFunc(there.Looks, func(l setup.Look) bool { return !isHook(l) })...)
	return s, err
}

// inCheckout has the commands for hooks run in the checkout whose hooks Codex reads:
// in a linked worktree they would change a file that Codex does not read.
func (m *Machine) inCheckout(lines []Line) []Line {
	checkout := m.codexCheckout()
	for i, l := range lines {
		if checkout != m.Root && l.Check == string(setup.Hooks) && !strings.HasSuffix(l.Fix, " --user") {
			lines[i].Fix = strings.Replace(l.Fix, "handoff setup codex", "cd "+shellword.Quote(checkout)+" && handoff setup codex", 1)
		}
	}
	return lines
}

// codexWorktree explains where the hooks of a linked worktree have to be.
func codexWorktree(m *Machine) []Line {
	checkout := m.codexCheckout()
	if checkout == m.Root {
		return nil
	}
	return []Line{good("a linked worktree: Codex reads the hooks of %s", checkout).at(filepath.Join(checkout, ".codex", "hooks.json"), 0)}
}
