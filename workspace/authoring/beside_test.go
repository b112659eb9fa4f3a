package authoring

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/receipts"
)

// sessionsTree is a tree of the preset sessions, and its clock.
func sessionsTree(t *testing.T) (*workspace.Workspace, *time.Time) {
	t.Helper()
	dir, now := t.TempDir(), time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)
	if err := os.WriteFile(filepath.Join(dir, ".handoff.yaml"), []byte("documents:\n  - preset: sessions\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(dir, workspace.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return ws, &now
}

// TestOpenBeside: of a folder in which sessions write that know nothing of each other, what one holds stays open
// until it is finished, whatever others write meanwhile; and what they wrote stays open when the holder writes on.
func TestOpenBeside(t *testing.T) {
	ann, bob := receipts.Caller{Sessions: []receipt.Session{{Host: "claude", ID: "a"}}}, receipts.Caller{Sessions: []receipt.Session{{Host: "claude", ID: "b"}}}
	type step struct {
		who receipts.Caller
		do  string // write NAME, claim NAME, release NAME, done NAME, replace NAME OLD, or wait DURATION
	}
	for name, c := range map[string]struct {
		steps []step
		want  string // what `next` lists, sorted
	}{
		"the last one is free":    {[]step{{ann, "write 1"}, {bob, "write 2"}}, "2 waiting"},
		"ann holds it":            {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}}, "1 held, 2 waiting"},
		"her lease ends":          {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {ann, "wait 3h"}}, "1 stale, 2 waiting"},
		"it had ended":            {[]step{{ann, "write 1"}, {ann, "claim 1"}, {ann, "wait 3h"}, {bob, "write 2"}}, "2 waiting"},
		"she gives it back":       {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {ann, "release 1"}}, "1 waiting, 2 waiting"},
		"she had given it back":   {[]step{{ann, "write 1"}, {ann, "claim 1"}, {ann, "release 1"}, {bob, "write 2"}}, "2 waiting"},
		"she finishes":            {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {ann, "done 1"}}, "2 waiting"},
		"she writes the next one": {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {ann, "write 3"}}, "2 waiting, 3 waiting"},
		"both hold one":           {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {bob, "claim 2"}, {ann, "write 3"}}, "2 held, 3 waiting"},
		"one replaces the older":  {[]step{{ann, "write 1"}, {ann, "claim 1"}, {bob, "write 2"}, {ann, "release 1"}, {bob, "replace 3 1"}}, "2 waiting, 3 waiting"},
		"an old one is claimed":   {[]step{{ann, "write 1"}, {bob, "write 2"}, {ann, "claim 1"}}, "1 held, 2 waiting"},
	} {
		t.Run(name, func(t *testing.T) {
			ws, now := sessionsTree(t)
			book, err := receipts.Open(ws)
			if err != nil {
				t.Fatal(err)
			}
			paths := map[string]string{}
			for _, s := range c.steps {
				*now = now.Add(time.Minute)
				verb, rest, _ := strings.Cut(s.do, " ")
				first, old, _ := strings.Cut(rest, " ")
				target := receipts.Target{Dir: ws.Root, Ref: paths[first], Who: s.who}
				var err error
				switch verb {
				case "write", "replace":
					var made Result
					req := Request{Request: create.Request{Values: templates.Values{NextAction: "Run step " + first + "."}, Draft: true, Replace: paths[old]}, Who: s.who, How: "a test"}
					made, err = Run(t.Context(), ws, req)
					paths[first] = made.Path
					if len(made.Undone) > 0 {
						t.Errorf("%s: %+v", s.do, made.Undone)
					}
				case "claim":
					_, err = book.Claim(t.Context(), target, receipt.ClaimRequest{By: "x", TTL: 2 * time.Hour, Session: s.who.Sessions[0]})
				case "release":
					_, err = book.Release(t.Context(), target, "a test")
				case "done":
					_, err = book.Finish(t.Context(), target, "x")
				case "wait":
					d, bad := time.ParseDuration(rest)
					*now, err = now.Add(d), bad
				}
				if err != nil {
					t.Fatal(s.do, err)
				}
			}
			q, err := book.Next(t.Context(), nil)
			if err != nil || len(q.Unclear) > 0 {
				t.Fatalf("%+v, %v", q, err)
			}
			var got []string
			for _, i := range slices.Concat(q.Waiting, q.Held) {
				got = append(got, fmt.Sprintf("%s %s", strings.TrimSuffix(strings.TrimPrefix(i.NextAction, "Run step "), "."), i.State))
			}
			slices.Sort(got)
			if strings.Join(got, ", ") != c.want {
				t.Errorf("it lists %s, want %s", strings.Join(got, ", "), c.want)
			}
		})
	}
}
