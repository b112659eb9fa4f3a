package agents

import (
	"path/filepath"
	"strings"

	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/workspace/config"
)

// ownTexts are where people keep a skill or a command of their own with the name that they type.
var ownTexts = []string{".claude/skills/handoff/SKILL.md", ".claude/commands/handoff.md", ".agents/skills/handoff/SKILL.md", ".opencode/command/handoff.md", ".gemini/commands/handoff.toml"}

// maxOwn is the most bytes of such a text that are read.
const maxOwn = 256 << 10

// offerOwnPlace offers the layout of the place into which the user's own skill or command writes its handoffs.
// It stays as it is: with that layout, both work on the same documents.
func offerOwnPlace(w *command.Process, project string) {
	if _, ok := config.Find(project); ok {
		return // he has chosen
	}
	for _, name := range ownTexts {
		src, err := nofollow.Root(project).ReadFile(filepath.Join(project, filepath.FromSlash(name)), maxOwn)
		if err != nil || strings.Contains(string(src), "handoff setup: sha256 ") {
			continue
		}
		if place, preset, ok := placeIn(string(src)); ok {
			w.Say("%s is yours and stays: it writes to %s, and `%s` has handoff read and check that, too", command.Plain(name), command.Plain(place), command.Plain(shellword.Join("handoff", "init", "--preset", preset)))
			return
		}
	}
}

// placeIn is the first known place that a text names, and what selects it.
func placeIn(text string) (place, preset string, ok bool) {
	split := func(r rune) bool { return strings.ContainsRune(" \t\r\n`'\"()<>[]{},;:*|=", r) }
	for _, word := range strings.FieldsFunc(text, split) {
		word = strings.TrimRight(strings.TrimPrefix(word, "./"), ".")
		file := word
		if strings.HasSuffix(word, "/") {
			file += "x.md" // a folder with a document for each session
		}
		l, preset, ok := task.PlaceOf(file)
		switch {
		case !ok:
		case l.Replaces:
			return word, file, true
		case l.Name == preset:
			return word, preset, true
		default:
			return word, l.Files[0], true
		}
	}
	return "", "", false
}
