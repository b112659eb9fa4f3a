package tree

import "testing"

// TestHostile draws names with escape sequences and with the syntax of Mermaid and
// Graphviz. Packages thread and tape test the shapes.
func TestHostile(t *testing.T) {
	root := &Node{ID: "a\x1b[2J", Title: new("x\"]\nclick <b>`#\\")}
	root.Children = []*Node{{ID: "b", Edge: "from \"p\x07|\n", Dashed: true, Notes: []string{"missing"}}}
	for got, want := range map[string]string{
		Text(root, root.Children[0]): "a[2J  \"x\\\"]\\nclick <b>`#\\\\\"\n" + `└─ b  from "p|  (missing)` + "\n" + `b  from "p|  (missing)` + "\n",
		Mermaid(root): `graph TD
  n0["x#quot;] click #lt;b#gt;#96;#35;#92;<br/>a[2J"]
  n1["b<br/>missing"]
  n0 -.->|"from #quot;p|"| n1
`,
		DOT(root): "digraph lineage {\n  node [shape=box];\n" + `  "a` + "\x1b" + `[2J" [label="x\"] click <b>` + "`" + `#\\\na[2J"];
  "b" [label="b\nmissing"];
  "a` + "\x1b" + `[2J" -> "b" [label="from \"p|", style=dashed];
}
`,
	} {
		if got != want {
			t.Errorf("%q\nwant\n%q", got, want)
		}
	}
}
