package skill

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

// commands are what a person types in a host as one word: /handoff and /pickup. In hosts where a skill is typed the
// same way, the skill is /handoff.
//
//go:embed commands/*.md
var commands embed.FS

// summaries are what a host shows beside a command.
var summaries = map[string]string{
	"handoff": "Write the handoff of this session for the next one",
	"pickup":  "Continue the handoff that waits",
}

// Command returns the file of a command in the form that the name of the file has: Markdown, for hosts that read its
// frontmatter, or the TOML of Gemini CLI. ok is false for a name of no command. No model is shown a command unless
// it is typed.
func Command(file string) (text string, ok bool) {
	name, form := strings.TrimSuffix(path.Base(file), path.Ext(file)), path.Ext(file)
	src, err := commands.ReadFile("commands/" + name + ".md")
	if err != nil {
		return "", false
	}
	body := expand(string(src))
	if form == ".toml" {
		return fmt.Sprintf("description = %q\nprompt = '''\n%s'''\n", summaries[name], body), true
	}
	return fmt.Sprintf("---\ndescription: %s\ndisable-model-invocation: true\n---\n\n%s", summaries[name], body), form == ".md"
}
