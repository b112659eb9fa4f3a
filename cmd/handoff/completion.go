package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// The scripts that make shells ask "handoff __complete WORDS" what may stand
// in place of the last word. They know nothing of the commands, so that they
// need not be renewed with them.
//
//go:embed completion
var completions embed.FS

// completeWord is what the scripts call.
const completeWord = "__complete"

var shells = []string{"bash", "zsh", "fish"}

func completionCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a shell completion script",
		UsageText: "handoff completion bash|zsh|fish\n\nThe script's first lines show where to install it.",
		Flags:     []cli.Flag{dirFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || !slices.Contains(shells, c.Args().First()) {
				return fmt.Errorf("completion needs a shell (%s)", strings.Join(shells, ", "))
			}
			src, err := completions.ReadFile("completion/handoff." + c.Args().First())
			if err != nil {
				return err
			}
			_, err = w.stdout.Write(src)
			return err
		},
	}
}

// candidate is a word that may stand where one is asked for, and what to say
// of it.
type candidate struct{ word, about string }

// complete prints the candidates for the last of the words that were typed,
// one a line. What goes wrong is not said: nobody could read it in the middle
// of a line that is being typed.
func (w *world) complete(ctx context.Context, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	out := w.out()
	for _, c := range w.candidates(ctx, newApp(w), words[:len(words)-1], last) {
		if strings.HasPrefix(c.word, last) {
			io.WriteString(out, plain(c.word)+"\t"+plain(strings.ReplaceAll(c.about, "\n", " "))+"\n")
		}
	}
	return out.Flush()
}

func (w *world) candidates(ctx context.Context, app *cli.App, typed []string, last string) []candidate {
	at := completing{commands: app.Commands}
	at.pass(w, typed)
	switch {
	case at.over:
		return nil
	case at.flag != nil:
		return w.flagValues(ctx, at.flag)
	case strings.HasPrefix(last, "-"):
		return at.flags()
	case len(at.commands) > 0:
		return at.names()
	}
	return w.arguments(ctx, at.cmd, at.args)
}

// completing is how far a command line has come.
type completing struct {
	commands []*cli.Command // of which one is to be named next; nil when none is
	cmd      *cli.Command   // that was named last; nil for none yet
	args     int            // behind it
	flag     cli.Flag       // that wants a value next; nil for none
	over     bool           // what follows belongs to others
}

func (at *completing) pass(w *world, words []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			at.over = true
			return
		case strings.HasPrefix(word, "-") && word != "-":
			flag := at.find(word)
			if flag == nil || !wantsValue(flag) || strings.Contains(word, "=") {
				continue
			}
			if i+1 == len(words) {
				at.flag = flag
				return
			}
			if i++; word == "-C" {
				w.dir = w.path(words[i])
			}
		case len(at.commands) > 0:
			next := slices.IndexFunc(at.commands, func(c *cli.Command) bool { return c.HasName(word) })
			if next < 0 {
				at.over = true
				return
			}
			at.cmd = at.commands[next]
			at.commands = at.cmd.Subcommands
		default:
			at.args++
		}
	}
}

// find is the flag that a word names; above a subcommand those that may stand
// before it are known.
func (at *completing) find(word string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	known := append(serverFlags(anyServer), dirFlag())
	if at.cmd != nil && len(at.cmd.Subcommands) == 0 {
		known = at.cmd.Flags
	}
	return findFlag(known, name)
}

func (at *completing) flags() []candidate {
	list := []candidate{{"--help", "show help"}}
	if at.cmd == nil {
		return append(list, candidate{"--version", "print the version"})
	}
	for _, f := range at.cmd.Flags {
		about := ""
		if d, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(d.GetUsage(), "`", "")
		}
		list = append(list, candidate{dashed(f.Names()[0]), about})
	}
	return list
}

func (at *completing) names() (list []candidate) {
	for _, c := range at.commands {
		list = append(list, candidate{c.Name, c.Usage})
	}
	return list
}
