package doctor

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"handoff/agents/setup"
)

// programs finds hooks that call a handoff by its path. Setup writes none, but users
// do, and forget them when they install another one.
func programs(m *Machine, s setup.Survey) (lines []Line) {
	byPath := regexp.MustCompile(`"(?:[^"]*(?:;|&&) )?([^"]*[/\\\\]handoff(?:\.exe)?)(?:\\")? hook `)
	for _, l := range s.Looks {
		if l.Kind != setup.Hooks {
			continue
		}
		text, _, _ := m.read(l.Path)
		at := byPath.FindStringSubmatchIndex(text)
		if at == nil {
			continue
		}
		path := strings.ReplaceAll(text[at[2]:at[3]], `\\`, `\`)
		if !filepath.IsAbs(path) {
			continue // a shell expands it
		}
		called, err := os.Stat(path)
		self, own := os.Stat(m.Self.Path)
		line := 1 + strings.Count(text[:at[0]], "\n")
		switch {
		case err != nil:
			lines = append(lines, problem("change it to handoff, or run handoff setup again", "hooks call %s, which does not exist", path).at(l.Path, line))
		case own == nil && !os.SameFile(called, self):
			lines = append(lines, warning("change it to handoff", "hooks call %s, not this program (%s)", path, m.Self.Path).at(l.Path, line))
		}
	}
	return lines
}
