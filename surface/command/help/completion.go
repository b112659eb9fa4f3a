package help

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"handoff/internal/text/nearest"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
)

// completions are the shell scripts. They call "handoff __complete WORDS" for the
// candidates for the last word and contain no command names, so that an installed
// script stays valid when commands change.
//
//go:embed completion
var completions embed.FS

// CompleteWord is the command that the scripts call.
const CompleteWord = "__complete"

var shells = []string{"bash", "zsh", "fish"}

// Completion is the command `handoff completion`.
func Completion(w *command.Process) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a shell completion script",
		UsageText: "handoff completion bash|zsh|fish\n\nThe script's first lines show where to install it.",
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			switch {
			case c.NArg() != 1:
				return fmt.Errorf("completion needs a shell (%s)", strings.Join(shells, ", "))
			case !slices.Contains(shells, name):
				return fmt.Errorf("unknown shell %q%s", name, nearest.Hint(name, shells))
			}
			src, err := completions.ReadFile("completion/handoff." + name)
			if err != nil {
				return err
			}
			return w.Print(string(src))
		},
	}
}

// candidate is a possible next word and its description.
type candidate struct{ word, about string }

// CompleteLine prints the candidates for the last of the words, one per line. The
// app has all commands. It prints no errors: they would appear in the middle of the line that the user
// is typing.
func CompleteLine(ctx context.Context, w *command.Process, app *cli.App, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	out := w.Out()
	for _, c := range candidatesFor(ctx, w, app, words[:len(words)-1], last) {
		if strings.HasPrefix(c.word, last) {
			io.WriteString(out, command.Plain(c.word)+"\t"+command.Plain(strings.ReplaceAll(c.about, "\n", " "))+"\n")
		}
	}
	return out.Flush()
}

func candidatesFor(ctx context.Context, w *command.Process, app *cli.App, typed []string, last string) []candidate {
	at := completing{commands: app.Commands}
	at.pass(w, typed)
	switch {
	case at.over:
		return nil
	case at.flag != nil:
		return flagValues(ctx, w, at.flag)
	case strings.HasPrefix(last, "-"):
		return at.flags()
	case len(at.commands) > 0:
		return at.names()
	}
	return argumentValues(ctx, w, at.cmd, at.args)
}

// completing is the state after a part of the command line.
type completing struct {
	commands []*cli.Command // commands that may come next; nil if none may
	cmd      *cli.Command   // the last command so far; nil for none yet
	args     int            // arguments after cmd
	flag     cli.Flag       // the flag whose value comes next; nil for none
	over     bool           // the remaining words belong to another program
}

func (at *completing) pass(w *command.Process, words []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			at.over = true
			return
		case strings.HasPrefix(word, "-") && word != "-":
			flag := at.find(word)
			if flag == nil || !command.WantsValue(flag) || strings.Contains(word, "=") {
				continue
			}
			if i+1 == len(words) {
				at.flag = flag
				return
			}
			if i++; word == "-C" {
				w.Dir = w.Path(words[i])
			}
		case len(at.commands) > 0:
			if at.cmd = command.CommandNamed(at.commands, word); at.cmd == nil {
				at.over = true
				return
			}
			at.commands = at.cmd.Subcommands
		default:
			at.args++
		}
	}
}

// find is the flag that a word names. Before a subcommand, it knows only the
// flags that may come there.
func (at *completing) find(word string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	known := append(operations.ServerFlags(new(operations.ServerOptions), operations.AnyServer), command.DirFlag())
	if at.cmd != nil && len(at.cmd.Subcommands) == 0 {
		known = at.cmd.Flags
	}
	return command.FindFlag(known, name)
}

func (at *completing) flags() []candidate {
	list := []candidate{{"--help", "show help"}}
	if at.cmd == nil {
		return append(list, candidate{"--version", "print the version"})
	}
	for _, f := range at.cmd.Flags {
		about := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			_, about = command.ValueAndUsage(d.GetUsage())
		}
		list = append(list, candidate{command.Dashed(f.Names()[0]), about})
	}
	return list
}

func (at *completing) names() (list []candidate) {
	for _, c := range at.commands {
		list = append(list, candidate{c.Name, c.Usage})
	}
	return list
}
