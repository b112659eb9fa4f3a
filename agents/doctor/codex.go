package doctor

import (
	"path/filepath"
	"strconv"
	"strings"
)

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

// features is the switch for hooks in the table of features.
func features(a agent) []Line {
	for _, file := range a.paths(a.Doctor.Settings...) {
		for _, k := range a.m.toml(file) {
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

// trustOfHashes: Codex runs a hook only after the user has trusted it, and stores the
// hash of each in its configuration. The hooks of a project need a trusted project.
func trustOfHashes(a agent) (lines []Line) {
	m, config := a.m, a.path(a.Doctor.Trust.File)
	keys := m.toml(config)
	own := filepath.Join(m.mainCheckout(), ".codex", "hooks.json")
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
			lines = append(lines, m.codexProject(config, keys))
		}
	}
	return lines
}

func (m *Machine) codexProject(config string, keys []tomlKey) Line {
	for _, k := range keys {
		if dir, ok := k.name("projects"); ok && (dir == m.Root || dir == m.mainCheckout()) && k.key == "trust_level" && strings.Trim(k.value, `"'`) == "trusted" {
			return good("%s is trusted", m.Root).at(config, k.line)
		}
	}
	return problem("start codex in "+m.Root+" and accept its question", "%s is not trusted: Codex does not read its .codex folder", m.Root).at(config, 0)
}
