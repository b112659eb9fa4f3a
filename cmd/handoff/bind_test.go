package main

import (
	"reflect"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/workspace/tapeops"
	"handoff/workspace/threadops"
)

// TestCalledSub: the command that is called is the same whether or not the others are built
// with it.
func TestCalledSub(t *testing.T) {
	for _, o := range threadops.Operations {
		calledOf(t, "thread", o.Described().Name)
	}
	for _, o := range tapeops.Operations {
		calledOf(t, "tape", o.Described().Name)
	}
	for _, line := range []string{"", "thread", "thread --server x", "thread help list", "tape", "man thread list", "threads list"} {
		if got := calledSub(strings.Fields(line)); got != "" {
			t.Errorf("%q calls %q", line, got)
		}
	}
}

func calledOf(t *testing.T, group, name string) {
	all := newApp(&command.Process{}, "").Command(group)
	for _, line := range []string{group + " " + name, "-C x " + group + " --server y " + name + " a --json", group + " -h " + name} {
		w := &command.Process{Sub: calledSub(strings.Fields(line))}
		app := newApp(w, group)
		for _, is := range app.Command(group).Subcommands {
			want := command.CommandNamed(all.Subcommands, is.Name)
			switch {
			case is.Name == name && !reflect.DeepEqual(book.CommandPage(want, name), book.CommandPage(is, name)):
				t.Errorf("%s: not as in the help of all", line)
			case is.Name != name && (command.FindFlag(is.Flags, "actor-id") != nil || command.FindFlag(is.Flags, "bub") != nil):
				t.Errorf("%s: builds %s, too", line, is.Name)
			}
		}
	}
}
