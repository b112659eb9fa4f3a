package prose

import (
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	tests := []struct {
		line string
		want []string
	}{
		{"- Plan: specs/870_zorn/plans/implementation-001.md, Phase 3", []string{"specs/870_zorn/plans/implementation-001.md"}},
		{"see `src/main.go:12` and [the plan](docs/plan.md#intro).", []string{"src/main.go", "docs/plan.md"}},
		{"/home/user/x/y.lean (line 3)", []string{"/home/user/x/y.lean"}},
		{"even/odd, HTTP/2, and/or, e.g. this", nil},
		{"specs/922_.../plans/x.md and src/*.go and {a}/b.md", nil},
		{"https://example.com/a.md", nil},
		{"`go test ./...` in go.mod", []string{"go.mod"}},
		{"[m](My%20Docs/m.go#L3), [n](<My Docs/n.go>), [](<>), [o](a%ZZ/o.go), [p](a%0A/p.go), x%20y/q.go",
			[]string{"My Docs/m.go", "My Docs/n.go", "a%ZZ/o.go", "a%0A/p.go", "x%20y/q.go"}},
		{"", nil},
		{"``", nil},
	}
	for _, tt := range tests {
		var got []string
		for p := range Paths(tt.line) {
			got = append(got, p.Text)
			if from := tt.line[p.From:p.To]; !strings.HasPrefix(from, p.Text) && !strings.HasPrefix(unescaped(from), p.Text) {
				t.Errorf("%q: %q is reported at %q", tt.line, p.Text, from)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.line, got, tt.want)
		}
	}
	for p := range Paths("x.go:12") {
		if p.Line != 12 {
			t.Errorf("line %d", p.Line)
		}
	}
}
