// Package comma reads the commands that people and agents write instead of a
// message, after a comma:
//
//	,handoff name=phase-1 summary="Setup done" state={tables: 5}
//	,tape.handoff phase-1
//	,anchors
//
// It accepts the spelling of every version of Bub, and some that no Bub accepted.
// Anything else is an error: Bub passes it to a shell.
package comma

import (
	"slices"
	"strings"

	"handoff/internal/text/nearest"
	"handoff/internal/text/say"
	"handoff/log/tape/entry"
)

// Command is a command that was read.
type Command struct {
	Name    string   // Bub's full name: "tape.handoff"
	Raw     string   // as it was written, without the comma
	Args    []string // without names
	Options []Option // with names, in order
}

// Option is an argument with a name.
type Option struct{ Name, Value string }

// The commands.
const (
	Handoff   = "tape.handoff"
	Anchors   = "tape.anchors"
	Info      = "tape.info"
	Search    = "tape.search"
	Reset     = "tape.reset"
	Fork      = "tape.fork_session"
	Intention = "session.intention"
)

// commands is the names of each command, the full one first.
var commands = [][]string{
	{Handoff, "handoff"},
	{Anchors, "anchors"},
	{Info, "tape", "info"},
	{Search, "search"},
	{Reset, "reset"},
	{Fork, "fork_session", "tape.fork", "fork"},
	{Intention, "intention"},
}

// Parse reads a command. ok is false for a text that is a message for the model:
// one that does not start with a comma, or a comma alone. The error is
// handoff.ErrInvalid.
func Parse(text string) (c Command, ok bool, err error) {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), ",")
	if line = strings.TrimSpace(line); !ok || line == "" {
		return Command{}, false, nil
	}
	c.Raw = line
	words, err := split(line)
	if err != nil {
		return Command{}, true, entry.Invalid("%w: %s", err, shown(line))
	}
	if c.Name, err = fullName(words[0]); err != nil {
		return Command{}, true, err
	}
	err = c.arguments(words[1:])
	return c, true, err
}

func fullName(word string) (string, error) {
	var all []string
	for _, names := range commands {
		if slices.Contains(names, word) {
			return names[0], nil
		}
		all = append(all, names...)
	}
	if near := nearest.Word(word, all); near != "" {
		return "", entry.Invalid("unknown command ,%s: did you mean ,%s?", shown(word), near)
	}
	return "", entry.Invalid("unknown command ,%s: want one of ,%s", shown(word), strings.Join(all, " ,"))
}

// arguments reads NAME=VALUE, --NAME=VALUE, --NAME VALUE, --NAME for true, and
// before all of them arguments without a name.
func (c *Command) arguments(words []string) error {
	for i := 0; i < len(words); i++ {
		w := words[i]
		dashed := strings.HasPrefix(w, "--")
		name, value, hasValue := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		switch named := isName(name) && (hasValue || dashed); {
		case !named && len(c.Options) > 0:
			return entry.Invalid("positional argument %s cannot appear after keyword arguments: quote what belongs together", shown(w))
		case !named:
			c.Args = append(c.Args, w)
			continue
		case !hasValue && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"):
			i++
			value = words[i]
		case !hasValue:
			value = "true"
		}
		name = strings.ReplaceAll(name, "-", "_")
		if _, twice := c.option(name); twice {
			return entry.Invalid("%s is given twice", name)
		}
		c.Options = append(c.Options, Option{name, value})
	}
	return nil
}

func (c *Command) option(name string) (string, bool) {
	for _, o := range c.Options {
		if o.Name == name {
			return o.Value, true
		}
	}
	return "", false
}

// take is the arguments by name. Those without a name get the first of the names;
// other names are an error.
func (c *Command) take(positional int, names ...string) (map[string]string, error) {
	if len(c.Args) > positional {
		return nil, entry.Invalid(",%s: unexpected argument %s: give it a name, or quote what belongs together", c.Name, shown(c.Args[positional]))
	}
	values := map[string]string{}
	for i, a := range c.Args {
		values[names[i]] = a
	}
	for _, o := range c.Options {
		if !slices.Contains(names, o.Name) {
			return nil, unknown(c.Name, o.Name, names)
		}
		if _, twice := values[o.Name]; twice {
			return nil, entry.Invalid("%s is given twice", o.Name)
		}
		values[o.Name] = o.Value
	}
	return values, nil
}

func unknown(command, name string, names []string) error {
	if near := nearest.Word(name, names); near != "" {
		return entry.Invalid(",%s has no %s: did you mean %s?", command, shown(name), near)
	}
	if len(names) == 0 {
		return entry.Invalid(",%s has no %s: it takes nothing", command, shown(name))
	}
	return entry.Invalid(",%s has no %s: it has %s", command, shown(name), strings.Join(names, ", "))
}

// shown is a word in a message.
func shown(s string) string { return strings.ToValidUTF8(say.Clip(s, 60), "\ufffd") }
