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
	form := path.Ext(file)
	summary, body, ok := Typed(strings.TrimSuffix(path.Base(file), form))
	if form == ".toml" {
		return fmt.Sprintf("description = %q\nprompt = '''\n%s'''\n", summary, body), ok
	}
	return fmt.Sprintf("---\ndescription: %s\ndisable-model-invocation: true\n---\n\n%s", summary, body), ok && form == ".md"
}

// Typed are the summary and the text of a command. ok is false for a name of none.
func Typed(name string) (summary, body string, ok bool) {
	src, err := commands.ReadFile("commands/" + name + ".md")
	return summaries[name], expand(string(src)), err == nil
}
