package relay

import (
	"iter"
	"path"
	"strings"

	"handoff/agents/transcript"
	"handoff/internal/text/prose"
)

// began reports whether the outputs of an agent show that it did this action: it ran a command that the
// action has in a code span, or wrote a file that it names. An agent that did needs no other proof that
// it has read the handoff. Of plain text no calls are known.
func began(action, stream string, outputs iter.Seq2[string, error]) (bool, error) {
	format := transcript.Formats[stream]
	commands, files := named(action)
	if format == nil || len(commands)+len(files) == 0 {
		return false, nil
	}
	for text, err := range outputs {
		if err != nil {
			return false, err
		}
		for line := range strings.Lines(text) {
			r, _ := format([]byte(line))
			for _, t := range r.Tools {
				if does(t, commands, files) {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// does reports whether a call of a tool runs one of the commands, or writes one of the files.
func does(t transcript.Tool, commands, files []string) bool {
	ran := " " + strings.Join(strings.Fields(t.Command), " ") + " "
	for _, c := range commands {
		if strings.Contains(ran, " "+c+" ") {
			return true
		}
	}
	if !t.Writes {
		return false
	}
	wrote := "/" + strings.ReplaceAll(t.File, `\`, "/")
	for _, f := range files {
		if strings.HasSuffix(wrote, "/"+f) {
			return true
		}
	}
	return false
}

// named are the commands and files that an action names. A command has several words: one word is as
// well the name of a function or of a file.
func named(action string) (commands, files []string) {
	for i, span := range strings.Split(action, "`") {
		words := strings.Fields(span)
		if i%2 == 1 && len(words) > 1 && words[0] != "handoff" {
			commands = append(commands, strings.Join(words, " "))
		}
	}
	for p := range prose.Paths(action) {
		if name := path.Clean(strings.ReplaceAll(p.Text, `\`, "/")); name != "." && name != "/" {
			files = append(files, strings.TrimPrefix(name, "/"))
		}
	}
	return commands, files
}
