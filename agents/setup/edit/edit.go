// Package edit adds what an agent's program needs to the text of its settings, and
// removes it again: hooks and MCP servers in JSON, Codex's TOML, a block in Markdown,
// whole files. Everything else stays the same byte for byte.
//
// It opens no file, and does not know which program reads which file.
package edit

import (
	"path"
	"strings"

	"handoff/internal/text/managed"
)

// Text is the content of a file, or that it does not exist.
type Text = managed.Text

// Edit is one thing that is added to a file.
//
// Add adds it, unless the text already has it. Cut removes only what Add wrote: Cut after
// Add restores the original text, without any record of it. If something is in the way,
// both leave the text unchanged and return the reason. An error means that the text
// cannot be parsed, so nothing may be written.
type Edit interface {
	Add(Text) (changed Text, why string, err error)
	Cut(Text) (changed Text, why string, err error)
}

// Has reports whether a text has something that the edit would cut.
func Has(e Edit, t Text) bool {
	after, _, err := e.Cut(t)
	return err == nil && after != t
}

// Block is a block of lines in a file of the user: see package managed.
type Block struct {
	managed.Block
	Lines string
}

func (b Block) Add(t Text) (Text, string, error) {
	after, err := b.Set(t, b.Lines)
	return after, "", err
}

func (b Block) Cut(t Text) (Text, string, error) {
	after, err := b.Block.Cut(t)
	return after, "", err
}

// calls reports whether a statement of a command line runs a command of handoff, installed anywhere.
func calls(line, command string) bool {
	for statement := range strings.FieldsFuncSeq(line, func(r rune) bool { return strings.ContainsRune(";&|\n", r) }) {
		words := strings.Fields(statement)
		if len(words) > 1 && isProgram(strings.Trim(words[0], `"'`)) && words[1] == command {
			return true
		}
	}
	return false
}

func isProgram(name string) bool {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	return name == "handoff" || name == "handoff.exe"
}
