package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
)

// TestDocumentedCommands checks the commands in the documentation and the help
// against the commands and flags that exist.
func TestDocumentedCommands(t *testing.T) {
	app := newApp(&command.Process{}, "")
	seen := 0
	check := func(t *testing.T, line string) {
		seen++
		if err := knows(app, line); err != nil {
			t.Errorf("handoff %s: %v", line, err)
		}
	}
	for name, src := range documentation(t) {
		t.Run(name, func(t *testing.T) {
			for _, line := range typed(string(src)) {
				check(t, line)
			}
		})
	}
	for name, lines := range examples {
		t.Run("help of "+name, func(t *testing.T) {
			if err := knows(app, name); err != nil {
				t.Errorf("handoff %s: %v", name, err)
			}
			for _, line := range lines {
				_, line, _ = strings.Cut(line, "handoff ")
				check(t, line)
			}
		})
	}
	if seen < 150 {
		t.Errorf("found %d commands only", seen)
	}
}

// TestFlagUsage: the usage of each flag explains it, and begins with the name of its value if it has one.
func TestFlagUsage(t *testing.T) {
	var check func(commands []*cli.Command)
	check = func(commands []*cli.Command) {
		for _, cmd := range commands {
			check(cmd.Subcommands)
			for _, f := range cmd.Flags {
				usage := f.(cli.DocGenerationFlag).GetUsage()
				if value, text := command.ValueAndUsage(usage); text == "" || command.WantsValue(f) != (value != "") {
					t.Errorf("%s %s: %q", cmd.Name, command.Dashed(f.Names()[0]), usage)
				}
			}
		}
	}
	check(newApp(&command.Process{}, "").Commands)
}

// typed returns the text after "handoff" in code: in spans, in blocks (only
// lines with a $ prompt, if the block has any), and in tables of subcommands.
func typed(src string) (lines []string) {
	for i, part := range strings.Split(src, "```") {
		if i%2 == 0 {
			lines = append(lines, typedInText(part)...)
			continue
		}
		prompt := ""
		if strings.Contains(part, "\n$ ") {
			prompt = "$ "
		}
		for _, line := range strings.Split(strings.ReplaceAll(part, "\\\n", ""), "\n") {
			if rest, ok := strings.CutPrefix(line, prompt+"handoff "); ok {
				lines = append(lines, rest)
			}
		}
	}
	return lines
}

func typedInText(text string) (lines []string) {
	above := "" // of the table: "tape "
	for _, line := range strings.Split(text, "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) < 3 {
			above = ""
			continue
		}
		for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
			if rest, ok := strings.CutPrefix(m[1], "handoff "); ok && above == "" && strings.Trim(cells[1], " `") == m[1] {
				above = rest + " "
			} else if above != "" {
				lines = append(lines, above+strings.ReplaceAll(m[1], "\x00", "|"))
			}
		}
		if above != "" {
			text = strings.Replace(text, line, "", 1)
		}
	}
	for _, m := range span.FindAllStringSubmatch(text, -1) {
		if rest, ok := strings.CutPrefix(m[1], "handoff "); ok && rest != "document" { // "handoff document" is a note in bundles
			lines = append(lines, rest)
		}
	}
	return lines
}

var span = regexp.MustCompile("`([^`]+)`")

// knows returns an error for a command or flag that handoff does not have. It
// looks up each of several alternatives ("put|get"), and ends the line at shell
// syntax.
func knows(app *cli.App, line string) error {
	commands, flags := app.Commands, append(operations.ServerFlags(new(operations.ServerOptions), operations.AnyServer), append(slices.Clone(app.Flags), command.DirFlag())...)
	words := strings.Fields(quoted.ReplaceAllString(line, "TEXT"))
	for i, word := range words {
		switch {
		case slices.Contains([]string{"|", ">", "<", "2>", "&", "&&", ";", "--"}, word):
			return nil
		case strings.HasPrefix(word, "-") && len(word) > 1:
			name, _, _ := strings.Cut(strings.Trim(strings.Trim(word, ",.)…"), "-"), "=")
			if command.FindFlag(flags, name) == nil && !slices.Contains([]string{"help", "version"}, name) {
				return fmt.Errorf("there is no flag %s", word)
			}
		case len(commands) == 0 || i > 0 && words[i-1] == "-C" || slices.Contains([]string{"…", "COMMAND", "help"}, word):
		default:
			var found *cli.Command
			for _, name := range strings.Split(word, "|") {
				n := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(name) })
				if n < 0 {
					return fmt.Errorf("there is no command %s", name)
				}
				found = commands[n]
			}
			commands, flags = found.Subcommands, append(found.Flags, command.DirFlag())
		}
	}
	return nil
}

var quoted = regexp.MustCompile(`'[^']*'|"[^"]*"|\$\([^)]*\)|\\\n`)

// TestLinks: each link in the documentation leads to an existing file and
// heading.
func TestLinks(t *testing.T) {
	links, seen := regexp.MustCompile(`\]\(([^)\s]+)\)`), 0
	for name, src := range documentation(t) {
		for _, m := range links.FindAllSubmatch(src, -1) {
			file, anchor, _ := strings.Cut(string(m[1]), "#")
			if strings.Contains(file, ":") {
				continue // another site
			}
			seen++
			target := filepath.Join("../..", filepath.Dir(name), filepath.FromSlash(file))
			if file == "" {
				target = filepath.Join("../..", name)
			}
			text, err := os.ReadFile(target)
			if st, statErr := os.Stat(target); statErr == nil && st.IsDir() {
				err = nil
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if anchor != "" && !slices.Contains(anchors(text), anchor) {
				t.Errorf("%s: %s has no heading #%s", name, file, anchor)
			}
		}
	}
	if seen < 50 {
		t.Errorf("found %d links only", seen)
	}
}

// anchors are the names that GitHub gives to headings.
func anchors(src []byte) (names []string) {
	for _, m := range regexp.MustCompile(`(?m)^#+ +(.*)$`).FindAllSubmatch(src, -1) {
		name := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(string(m[1])), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// documentation is every Markdown file for people, by its path relative to the
// root.
func documentation(t *testing.T) map[string][]byte {
	t.Helper()
	docs := map[string][]byte{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || base == "node_modules" || base == "specs" || base == ".git"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			name, err := filepath.Rel("../..", path)
			if err != nil {
				return err
			}
			docs[filepath.ToSlash(name)], err = os.ReadFile(path)
			return err
		}
		return nil
	})
	if err != nil || len(docs) < 10 {
		t.Fatalf("%d files, %v", len(docs), err)
	}
	return docs
}
