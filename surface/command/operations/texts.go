package operations

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/toolform"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// TextOptions are a text, and the file with one; nil is what is not given.
type TextOptions struct{ Text, File *string }

// Given reports whether the text is given, in whichever way.
func (o *TextOptions) Given() bool { return o.Text != nil || o.File != nil }

// ContentFlags are a flag for a text and one for a file that contains it.
func ContentFlags(o *TextOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "content", Action: command.Some(&o.Text), Usage: "`TEXT`  the message"},
		&cli.StringFlag{Name: "content-file", Action: command.Some(&o.File), Usage: "`FILE`  file with the message, - for standard input"},
	}
}

// MaxContent is the maximum length of a message or a summary in bytes: that of
// one event.
const MaxContent = 8 << 20

// ContentOf is the text of a message.
func ContentOf(w *command.Process, command string, o *TextOptions) (string, error) {
	if (o.Text != nil) == (o.File != nil) {
		return "", fmt.Errorf("%s needs the message: --content TEXT or --content-file FILE", command)
	}
	text, err := textOf(w, "message", o)
	if err != nil {
		return "", err
	}
	return *text, nil
}

// textOf returns the text, or the content of the file (- is standard input); nil if neither
// is given.
func textOf(w *command.Process, what string, o *TextOptions) (*string, error) {
	text := o.Text
	if o.File != nil {
		src, _, err := w.Read(*o.File, MaxContent)
		if err != nil && len(src) <= MaxContent { // a longer one is reported below
			return nil, err
		}
		text = new(string(src))
	}
	switch {
	case text == nil:
	case len(*text) > MaxContent:
		return nil, fmt.Errorf("the %s is longer than %d bytes: store it as an artifact (`handoff artifact put`) and refer to that", what, MaxContent)
	case !utf8.ValidString(*text):
		return nil, fmt.Errorf("the %s is not UTF-8", what)
	}
	return text, nil
}

// ToolSchema prints the definition of a tool in the form of a provider.
func ToolSchema(w *command.Process, usage, text string, in func(form string) ([]byte, error)) *cli.Command {
	form := new(string)
	return &cli.Command{Name: "schema", Usage: usage, UsageText: text,
		Flags: []cli.Flag{&cli.StringFlag{Name: "for", Destination: form, Value: toolform.OpenAI, Usage: "`FORM`  form of the definition: " + strings.Join(toolform.Forms(), ", ")}},
		Action: command.Alone(func(*cli.Context) error {
			src, err := in(*form)
			if err != nil {
				return fmt.Errorf("--for: %w", err)
			}
			return w.Print(string(src))
		})}
}
