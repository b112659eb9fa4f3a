package main

import (
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/command/help"
)

// TestCommandMakers: each command is found by the name that it has.
func TestCommandMakers(t *testing.T) {
	for _, m := range commandMakers() {
		app := newApp(&command.Process{}, m.name)
		if len(app.Commands) != 1 || app.Commands[0].Name != m.name {
			t.Errorf("%s: built %d commands, the first is %s", m.name, len(app.Commands), app.Commands[0].Name)
		}
	}
}

func TestCalledCommand(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{"-C"}, "-C"},
		{[]string{"-C", "lint"}, ""},
		{[]string{"lint", "a.md"}, "lint"},
		{[]string{"-C", "tape", "lint"}, "lint"},
		{[]string{"-C", "a", "-C", "b", "thread", "get"}, "thread"},
		{[]string{"help", "lint"}, "help"},
		{[]string{"man", "lint"}, ""},
		{[]string{"version"}, "version"},
		{[]string{"--version"}, "version"},
		{[]string{"version", "--help"}, ""},
	} {
		if got := calledCommand(c.args); got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	for _, called := range []string{"", "help", "-C", "lnt", "threads"} {
		if all := newApp(&command.Process{}, called).Commands; len(all) != len(commandMakers()) {
			t.Errorf("%q: %d commands, want all %d", called, len(all), len(commandMakers()))
		}
	}
}

// TestCommandFor: a word that other programs use is not a command, but means one.
func TestCommandFor(t *testing.T) {
	app := newApp(&command.Process{}, "")
	for word := range strings.FieldsSeq("add create write check validate complete finish continue cat view dashboard ui web history log install uninstall list read resume status take") {
		if app.Command(word) != nil {
			t.Errorf("%s is a command", word)
		}
		if k := help.CommandFor(word); k == "" || app.Command(k) == nil {
			t.Errorf("%s means %q, which is no command", word, k)
		}
	}
}
