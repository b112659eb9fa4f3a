package receipt

import (
	"regexp"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// coversPath decides by itself whether a glob covers a path: name by name, with each choice of
// braces written out, and each folder of the path tried.
func coversPath(glob, path string) bool {
	names := strings.Split(path, "/")
	for _, g := range expand(glob) {
		for n := 1; n <= len(names); n++ {
			if namesMatch(strings.Split(g, "/"), names[:n]) {
				return true
			}
		}
	}
	return false
}

// expand writes the first braces out, and so all.
func expand(glob string) []string {
	open := strings.Index(glob, "{")
	if open < 0 {
		return []string{glob}
	}
	end, deep, cuts := open, 0, []int{open}
	for i := open; i < len(glob); i++ {
		switch glob[i] {
		case '{':
			deep++
		case '}':
			deep--
		case ',':
			if deep == 1 {
				cuts = append(cuts, i)
			}
		}
		if deep == 0 {
			end = i
			break
		}
	}
	var all []string
	for i, cut := range cuts {
		to := end
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		all = append(all, expand(glob[:open]+glob[cut+1:to]+glob[end+1:])...)
	}
	return all
}

func namesMatch(globs, names []string) bool {
	switch {
	case len(globs) == 0:
		return len(names) == 0
	case globs[0] == "**":
		for n := 0; n <= len(names); n++ {
			if (len(globs) > 1 || n > 0) && namesMatch(globs[1:], names[n:]) {
				return true
			}
		}
		return false
	case len(names) == 0:
		return false
	}
	return nameMatches(globs[0], names[0]) && namesMatch(globs[1:], names[1:])
}

func nameMatches(glob, name string) bool {
	text := strings.NewReplacer(".", `\.`, "*", "[^/]*", "?", "[^/]", "[!", "[^/").Replace(glob)
	return regexp.MustCompile("^(?:" + text + ")$").MatchString(name)
}

// paths are all paths of at most n characters out of a few.
func paths(n int) (all []string) {
	level := []string{""}
	for range n {
		var longer []string
		for _, p := range level {
			for _, r := range "ab./" {
				longer = append(longer, p+string(r))
			}
		}
		level = longer
		for _, p := range level {
			if validPath(p) {
				all = append(all, p)
			}
		}
	}
	return all
}

func validPath(path string) bool {
	for _, name := range strings.Split(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

var globs = rapid.Custom(func(t *rapid.T) string {
	part := rapid.SampledFrom([]string{"a", "b", ".", "*", "?", "[ab]", "[!a]", "[a-b]", "{a,b}", "{a/b,*}", "{**/a,b}", "a*", "*.a", "{a,}b"})
	name := rapid.Custom(func(t *rapid.T) string {
		if rapid.IntRange(0, 3).Draw(t, "deep") == 0 {
			return "**"
		}
		return strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "")
	})
	return strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "names"), "/")
}).Filter(func(g string) bool {
	for _, one := range expand(g) { // what the slow matcher reads in another way: ** that braces make, and names that are none
		if !validPath(one) || strings.Contains(strings.ReplaceAll("/"+one+"/", "/**/", "/"), "**") {
			return false
		}
	}
	return true
})

// TestOverlap compares the decision with a slow one that tries paths: a path that both cover is
// covered, and where there is said to be none, no short path is.
func TestOverlap(t *testing.T) {
	all := paths(6)
	found, none := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		one, two := globs.Draw(t, "one"), globs.Draw(t, "two")
		a, err := parseGlob(one)
		if err != nil {
			t.Fatal(err)
		}
		b, err := parseGlob(two)
		if err != nil {
			t.Fatal(err)
		}
		path, ok := common(a, b)
		back, okBack := common(b, a)
		if ok != okBack || len(path) != len(back) {
			t.Fatalf("%q %q: %q, but the other way round %q", one, two, path, back)
		}
		if ok && (!validPath(path) || !coversPath(one, path) || !coversPath(two, path)) {
			t.Fatalf("%q and %q do not both cover %q", one, two, path)
		}
		if ok {
			found++
			return
		}
		none++
		for _, p := range all {
			if coversPath(one, p) && coversPath(two, p) {
				t.Fatalf("%q and %q both cover %q", one, two, p)
			}
		}
	})
	if found == 0 || none == 0 {
		t.Errorf("%d pairs have a path in common and %d have none: the test saw too little", found, none)
	}
}

// TestOverlapCases: pairs by hand.
func TestOverlapCases(t *testing.T) {
	for _, c := range []struct {
		one, two, path string // "" for no overlap
	}{
		{"src/x/**", "src/**", "src/x/x"},
		{"src", "src/x/a.go", "src/x/a.go"},
		{"src/x", "src/xy", ""},
		{"src/*.go", "src/*.md", ""},
		{"src/*.go", "src/a*", "src/a.go"},
		{"**/a.go", "src/x", "src/x/a.go"},
		{"*", "docs/a.md", "docs/a.md"},
		{"[a-m]*/x", "[n-z]*/x", ""},
		{"[a-m]*/x", "[m-z]*/x", "m/x"},
		{"[!a]", "a", ""},
		{"{src,docs}/**", "docs/a.md", "docs/a.md"},
		{`a\*b`, "a?b", "a*b"},
		{`a\*b`, "axb", ""},
		{"a?b", "a/b", ""},
		{"ä*", "[ä-ö]x", "äx"},
		{".", "", "error"},
	} {
		a, err := parseGlob(c.one)
		b, bad := parseGlob(c.two)
		if err != nil || bad != nil {
			if c.path != "error" {
				t.Error(err, bad)
			}
			continue
		}
		if path, ok := common(a, b); path != c.path || ok != (c.path != "") {
			t.Errorf("%s and %s: %q %t, want %q", c.one, c.two, path, ok, c.path)
		}
	}
	for _, bad := range []string{"", "/", "a/", "a//b", "./a", "../a", "a/..", "[", "[]", "[b-a]", "[.-0]", "{a", "a}", `a\`, "{{{{{a}}}}}", strings.Repeat("a", 201), "a\xff"} {
		if _, err := parseGlob(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// FuzzGlob: what is compiled covers itself, if it covers anything, and nothing panics.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"src/**", "[!a-z]*", "{a,b/**}/x", `\*`, "**", "..."} {
		f.Add(seed, "a/**")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		a, err := parseGlob(one)
		b, bad := parseGlob(two)
		if err != nil || bad != nil {
			return
		}
		path, ok := common(a, b)
		if back, also := common(b, a); ok != also || len([]rune(path)) != len([]rune(back)) {
			t.Fatalf("%q %q: %q, but the other way round %q", one, two, path, back)
		}
		if !ok {
			return
		}
		exact, err := parseGlob(quoteGlob(path))
		if err != nil && (len(quoteGlob(path)) > maxGlob || strings.ContainsFunc(path, unicode.IsControl)) {
			return // a path that is longer than a glob may be, or has what none may name
		}
		if err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		for _, g := range []*glob{a, b} {
			if _, ok := common(exact, g); !ok {
				t.Fatalf("%q %q: %q is not covered", one, two, path)
			}
		}
	})
}

func quoteGlob(path string) string {
	return regexp.MustCompile(`[*?\[\]{},\\!^-]`).ReplaceAllString(path, `\$0`)
}
