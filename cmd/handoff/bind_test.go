package main

import (
	"context"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"handoff/workspace/threadops"
)

// TestCalledSub: the command that is called is the same whether or not the others are built
// with it.
func TestCalledSub(t *testing.T) {
	all := newApp(&process{}, "").Command("thread")
	for _, o := range threadops.Operations {
		name := o.Described().Name
		for _, line := range []string{"thread " + name, "-C x thread --server y " + name + " a --json", "thread -h " + name} {
			w := &process{sub: calledSub(strings.Fields(line))}
			app := newApp(w, "thread")
			for _, is := range app.Command("thread").Subcommands {
				want := commandNamed(all.Subcommands, is.Name)
				switch {
				case is.Name == name && cmp.Diff(flagList(want.Flags), flagList(is.Flags), cmp.AllowUnexported(helpList{}, helpRow{})) != "", is.Name == name && is.UsageText != want.UsageText:
					t.Errorf("%s: not as in the help of all", line)
				case is.Name != name && findFlag(is.Flags, "actor-id") != nil:
					t.Errorf("%s: builds %s, too", line, is.Name)
				}
			}
		}
	}
	for _, line := range []string{"", "thread", "thread --server x", "thread help list", "tape list", "man thread list", "threads list"} {
		if got := calledSub(strings.Fields(line)); got != "" {
			t.Errorf("%q calls %q", line, got)
		}
	}
}

// TestFill: each kind of field gets what its flag or argument says, and stays nil without it.
func TestFill(t *testing.T) {
	type request struct {
		Name   *string `flag:"name=TEXT" usage:"TEXT of it"`
		Who    string  `flag:"who=WHO" usage:"WHO" preset:"user"`
		From   *uint64 `flag:"from=N" usage:"from N" unset:"0"`
		Most   *uint32 `flag:"most=N" usage:"at most N"`
		Dry    bool    `flag:"dry" usage:"only say it"`
		Waits  *bool   `flag:"!hurry" usage:"do not wait"`
		Text   *string `flag:"text=TEXT" usage:"TEXT" text:"note,text-file"`
		Second *string `arg:"1"`
		Hidden string
	}
	for _, c := range []struct {
		args string
		want request
		err  string
	}{
		{"", request{Who: "user", Waits: new(true)}, ""},
		{"--name= --who b --from 18446744073709551615 --most 9999999999 --dry --hurry --text t a second third", request{
			Name: new(""), Who: "b", From: new(uint64(1<<64 - 1)), Most: new(uint32(1<<32 - 1)), Dry: true, Waits: new(false), Text: new("t"), Second: new("second")}, ""},
		{"--text-file -", request{Who: "user", Waits: new(true), Text: new("from stdin")}, ""},
		{"--text a --text-file -", request{}, "do takes one note: --text TEXT or --text-file FILE"},
	} {
		var got request
		w := &process{stdin: strings.NewReader("from stdin")}
		app := &cli.App{Writer: io.Discard, Commands: []*cli.Command{{Name: "do", Flags: requestFlags(reflect.TypeFor[request]()), Action: func(c *cli.Context) error { return w.fill(c, &got) }}}}
		err := app.RunContext(context.Background(), append([]string{"handoff", "do"}, strings.Fields(c.args)...))
		if c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) || c.err == "" && err != nil {
			t.Errorf("%s: %v, want %q", c.args, err, c.err)
		}
		if diff := cmp.Diff(c.want, got); c.err == "" && diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
	}
}
