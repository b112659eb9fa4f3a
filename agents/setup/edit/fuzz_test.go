package edit_test

import (
	"testing"

	"handoff/agents/setup/edit"
)

// FuzzEdits installs in any file. What cannot be read stays; else installing again
// changes nothing, and removing gives the file back.
func FuzzEdits(f *testing.F) {
	for _, src := range []string{
		"", "{}", "{\"hooks\": {\"Stop\": []}, // c\n}", "{\"mcpServers\":{ },}", "[features]\nweb = true", "features.x = 1\r\n[a]\r\n", "# T\n", "old\r", "\ufeff{\n}",
		"{\"plugin\": [\"x\", ], \"command\":{}}", "{\"plugin\": \"x\"}", "{\"command\":{\"pickup\":{\"template\":\"mine handoff\"}}}",
		"[mcp_servers]\n", "[features]\nhooks = true # handoff setup\n", "x = '''\n# handoff:begin\n'''\n", "{\"hooks\":{\"stop\":[{\"command\":\"handoff hook x\"}]}}",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		before := edit.Text{Bytes: src, Exists: true}
		for name, e := range map[string]edit.Edit{"claude": claude, "cursor": cursor, "server": server, "schema": schema, "codex": edit.Codex{}, "block": block, "whole": whole, "listed": listed, "typed": typed} {
			if edit.Has(e, before) {
				continue // it has something of ours already
			}
			with, why, err := e.Add(before)
			if err != nil || why != "" {
				if with != before {
					t.Fatalf("%s: %q changed after %q, %v", name, src, why, err)
				}
				continue
			}
			if again, _, err := e.Add(with); err != nil || again != with {
				t.Fatalf("%s: %q became %q and then %q (%v)", name, src, with.Bytes, again.Bytes, err)
			}
			if after, _, err := e.Cut(with); err != nil || after != before {
				t.Fatalf("%s: %q became %q and then %+v (%v)", name, src, with.Bytes, after, err)
			}
		}
	})
}
