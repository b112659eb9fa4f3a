package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"handoff/surface/command"
)

// textOptions are a text, and the file with one; nil is what is not given.
type textOptions struct{ text, file *string }

func (o *textOptions) given() bool { return o.text != nil || o.file != nil }

func contentFlags(o *textOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "content", Action: command.Some(&o.text), Usage: "message `TEXT`"},
		&cli.StringFlag{Name: "content-file", Action: command.Some(&o.file), Usage: "read the message from `FILE`, - for standard input"},
	}
}

// maxContent is the maximum length of a message or a summary in bytes: that of
// one event.
const maxContent = 8 << 20

// contentOf is the text of a message.
func contentOf(w *command.Process, command string, o *textOptions) (string, error) {
	if (o.text != nil) == (o.file != nil) {
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
func textOf(w *command.Process, what string, o *textOptions) (*string, error) {
	text := o.text
	if o.file != nil {
		src, _, err := w.Read(*o.file, maxContent)
		if err != nil && len(src) <= maxContent { // a longer one is reported below
			return nil, err
		}
		text = new(string(src))
	}
	switch {
	case text == nil:
	case len(*text) > maxContent:
		return nil, fmt.Errorf("the %s is longer than %d bytes: store it as an artifact (`handoff artifact put`) and refer to that", what, maxContent)
	case !utf8.ValidString(*text):
		return nil, fmt.Errorf("the %s is not UTF-8", what)
	}
	return text, nil
}
