package setup_test

import (
	"strings"
	"testing"

	"handoff/agents/setup"
)

// TestElsewhere: what is said of machines without handoff, where something that is committed changes.
func TestElsewhere(t *testing.T) {
	const hooks, loud, server = "its hooks do nothing there", "qwen may show", "its MCP server does not start"
	for name, c := range map[string]struct {
		req  setup.Request
		want []string
	}{
		"hooks and server":                  {setup.Request{Hosts: []string{"claude"}}, []string{hooks, server}},
		"hooks that PowerShell and cmd run": {setup.Request{Hosts: []string{"claude", "qwen"}}, []string{hooks, loud, server}},
		"hooks that cmd runs":               {setup.Request{Hosts: []string{"goose"}}, []string{hooks, server}},
		"no hooks":                          {setup.Request{Hosts: []string{"amp"}}, []string{server}},
		"for all of the user's":             {setup.Request{Hosts: []string{"qwen"}, User: true}, nil},
		"nothing to remove":                 {setup.Request{Hosts: []string{"qwen"}, Remove: true}, nil},
	} {
		tr := newTree(t, nil)
		c.req.Project, c.req.Machine = tr.dir+"/project", setup.Machine{Home: tr.dir + "/home", Getenv: func(string) string { return "" }, OS: "linux"}
		plan, err := setup.Make(c.req)
		if err != nil {
			t.Fatal(err)
		}
		got := plan.Elsewhere()
		for _, words := range []string{hooks, loud, server} {
			if want := strings.Contains(strings.Join(c.want, " "), words); strings.Contains(got, words) != want {
				t.Errorf("%s: %q, %q: want %v", name, got, words, want)
			}
		}
		if (got == "") != (c.want == nil) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
