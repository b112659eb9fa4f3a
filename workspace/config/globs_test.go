package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"handoff/document/task"
)

func TestExpand(t *testing.T) {
	for glob, want := range map[string]string{"": "", "a": "a", "{a,b}": "a b", "x{a,b}{c,}y": "xacy xay xbcy xby", "{a,{b,c}d}": "a bd cd", `\{a,b}`: `\{a,b}`, "[{,]{x,y}": "[{,]x [{,]y",
		"{a,b}/{c,d}/*.md": "a/c/*.md a/d/*.md b/c/*.md b/d/*.md", "{[}],b}": "[}] b"} {
		if got := strings.Join(expand(glob, 100), " "); got != want {
			t.Errorf("%q: %q, want %q", glob, got, want)
		}
	}
	if got := expand(strings.Repeat("{,*}", 500), 7); len(got) != 7 {
		t.Errorf("%d of at most 7", len(got))
	}
}

// TestExpandedMeanTheSame compares the globs with what the library itself does with braces.
func TestExpandedMeanTheSame(t *testing.T) {
	paths := []string{"a", "b", "ab", "a/b", "x/a", "x/y/a", "a/x/b", "x/ab.md", "x/ac.md", "y/ad.md", "x", "a/c", "b/c/d"}
	for _, glob := range []string{"{a,b}", "x/{a,b}", "{x,y}/a{b,c,d}.md", "**/{a,b}", "{a,b}/**", "{a/x,b/c}/*", "{a,x/{y,z}}/*", "*{b,c}*", "x/{,y/}a"} {
		c, err := Parse("c", []byte("ignore: ['/"+glob+"']\ndocuments: [{name: n, files: ['"+glob+"']}]\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			want := doublestar.MatchUnvalidated(glob, p)
			got := slices.ContainsFunc(c.Documents[0].Files, func(g string) bool { return doublestar.MatchUnvalidated(g, p) })
			if got != want {
				t.Errorf("%s matches %s: %v, want %v", glob, p, got, want)
			}
		}
	}
	if c, err := Parse("c", []byte("ignore: ['{a,}', '{,b/}']\n"), nil); err != nil || c.Ignores("x") || !c.Ignores("a") || !c.Ignores("b") {
		t.Errorf("an empty alternative ignores everything: %q, %v", c.Ignore, err)
	}
	for src, want := range map[string]string{"{a,x/b}": "a", "a/{b,c}": "", "{a,b}": "x/a"} {
		c, _ := Parse("c", []byte("ignore: ['"+src+"']\n"), nil)
		for _, p := range []string{"a", "x/a"} {
			ignored := want == p || src == "{a,b}"
			if got := c.Ignores(p); got != ignored {
				t.Errorf("%s ignores %s: %v", src, p, got)
			}
		}
	}
}

// TestSlowGlobs: a glob that takes long is an error with its line, wherever it is.
func TestSlowGlobs(t *testing.T) {
	braces, deep := "**/*"+strings.Repeat("{,*}", 24)+".mdx", strings.Repeat("**/a/", 20)+"x.md"
	many := "ignore:\n" + strings.Repeat("  - x\n", maxGlobs+1)
	for src, want := range map[string]string{
		"max_lines: 9\nignore: [ok, '" + braces + "']":                      "c:2:14: want at most 256 globs with 512 * in a list",
		"ignore: ['" + deep + "']":                                          "c:1:10: want a glob of at most",
		"ignore: ['" + strings.Repeat("a", 2000) + "']":                     "c:1:10: want a glob of at most",
		"documents:\n  - {name: n, files: ['" + braces + "']}":              "c:2:23: want at most 256 globs with 512 * in a list",
		"documents:\n  - {preset: thoughts, files: [x.md, '" + deep + "']}": "c:2:38: want a glob of at most",
		"ignore: ['" + strings.Repeat("{,*a}", 8) + "']":                    "c:1:10: want at most 256 globs with 512 *",
		many: "want at most 256 globs",
	} {
		if _, err := Parse("c", []byte(src), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", src, err, want)
		}
	}
}

// TestWorstGlobs: the worst globs that are allowed take little time for a long path.
func TestWorstGlobs(t *testing.T) {
	worst := []string{
		"**/" + strings.Repeat("{,*}", 6) + "x.mdx", "**/{**/a,**/b}{**/c,**/d}{*,**/*}*a*a*a*a*x.mdx", strings.Repeat("**/a/", 8) + "x.mdx", strings.Repeat("**/", 8) + strings.Repeat("*a", 400) + "x",
		strings.Repeat("{*,a*,*a,**}", 3) + "x.mdx", "{**,*}/{**,*}/{**,*}/{**,*}/x", "**/" + strings.Repeat("{,*a}", 6) + "x.mdx",
	}
	p := strings.Repeat(strings.Repeat("a", 100)+"/", 12) + strings.Repeat("a", 100) + ".md"
	for _, glob := range worst {
		c, err := Parse("c", []byte(fmt.Sprintf("ignore: ['%s']\n", glob)), nil)
		if err != nil {
			t.Fatalf("%s: %v", glob, err)
		}
		c.Path = "/w/.handoff.yaml"
		names := make([]string, 20)
		for i := range names {
			names[i] = fmt.Sprint(i) + path.Base(p)
		}
		begin := time.Now()
		c.Keep("/w/"+path.Dir(p), names)
		for _, name := range names {
			(&task.Layout{Files: c.Ignore}).Holds(path.Dir(p) + "/" + name)
		}
		if took := time.Since(begin) / 20; took > 50*time.Millisecond {
			t.Errorf("%s: a path takes %s", glob, took)
		} else {
			t.Logf("%s: %s", glob, took)
		}
	}
}
