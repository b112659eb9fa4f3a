package operations

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// TestFill: each kind of field gets what its flag or argument says, and stays nil without it.
func TestFill(t *testing.T) {
	type request struct {
		Name   *string         `flag:"name=TEXT" usage:"TEXT of it"`
		Who    string          `flag:"who=WHO" usage:"WHO" preset:"user"`
		From   *uint64         `flag:"from=N" usage:"from N" unset:"0"`
		Most   *uint32         `flag:"most=N" usage:"at most N"`
		Dry    bool            `flag:"dry" usage:"only say it"`
		Waits  *bool           `flag:"!hurry" usage:"do not wait"`
		Text   *string         `flag:"text=TEXT" usage:"TEXT" text:"note,text-file"`
		Second *string         `arg:"1"`
		List   []string        `flag:"list=X" usage:"X"`
		Single []string        `flag:"single=X" single:"true" usage:"X"`
		Object json.RawMessage `flag:"object=JSON" usage:"a JSON object" type:"object"`
		Last   int             `flag:"last=N" usage:"the last N" preset:"20" least:"0"`
		Form   string          `flag:"form=FORM" usage:"FORM: a or b" preset:"a" enum:"a,b"`
		Hidden string
	}
	for _, c := range []struct {
		args string
		want request
		err  string
	}{
		{"", request{Who: "user", Waits: new(true), Last: 20, Form: "a"}, ""},
		{"--name= --who b --from 18446744073709551615 --most 9999999999 --dry --hurry --text t a second third", request{
			Name: new(""), Who: "b", From: new(uint64(1<<64 - 1)), Most: new(uint32(1<<32 - 1)), Dry: true, Waits: new(false), Text: new("t"), Second: new("second"), Last: 20, Form: "a"}, ""},
		{"--text-file -", request{Who: "user", Waits: new(true), Text: new("from stdin"), Last: 20, Form: "a"}, ""},
		{"--list a --list b --single a --single b --object {\"a\":1} --last 0 --form b", request{
			Who: "user", Waits: new(true), List: []string{"a", "b"}, Single: []string{"b"}, Object: json.RawMessage(`{"a":1}`), Form: "b"}, ""},
		{"--object [1]", request{}, "--object: want a JSON object: {\"tables\": 5}"},
		{"--last -1", request{}, "--last -1: want 0 or more"},
		{"--form c", request{}, "unknown --form \"c\" (a, b)"},
		{"--text a --text-file -", request{}, "do takes one note: --text TEXT or --text-file FILE"},
	} {
		var got request
		w := &command.Process{Stdin: strings.NewReader("from stdin")}
		of, complete := bind(&got)
		app := &cli.App{Writer: io.Discard, Commands: []*cli.Command{{Name: "do", Flags: of, Action: func(c *cli.Context) error {
			setArguments(&got, command.ArgsOf(c))
			return complete(filling{w: w, command: "do"})
		}}}}
		err := app.RunContext(context.Background(), append([]string{"handoff", "do"}, strings.Fields(c.args)...))
		if c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) || c.err == "" && err != nil {
			t.Errorf("%s: %v, want %q", c.args, err, c.err)
		}
		if diff := cmp.Diff(c.want, got); c.err == "" && diff != "" {
			t.Errorf("%s: %s", c.args, diff)
		}
	}
}
