package site

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"
)

// built is the site of this checkout, by path.
func built(t *testing.T) map[string][]byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "site")
	if err := (Site{Source: "../..", Address: "https://docs.example.org/handoff/", Repository: "https://code.example.org/handoff", Summary: "passes work on"}).Build(out); err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	err := fs.WalkDir(os.DirFS(out), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[name], err = os.ReadFile(filepath.Join(out, name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestSite: the same bytes each time, small pages, and no broken link.
func TestSite(t *testing.T) {
	files := built(t)
	if again := built(t); !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("a second site differs")
	}
	pages, links := 0, 0
	for name, text := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		pages++
		if len(text) > PageLimit {
			t.Errorf("%s has %d bytes", name, len(text))
		}
		if bytes.Contains(text, []byte("raw HTML omitted")) {
			t.Errorf("%s: its source has HTML, which is left out", name)
		}
		links += checkPage(t, files, name)
	}
	if pages < 120 || links < 5000 {
		t.Errorf("only %d pages with %d links", pages, links)
	}
	for _, name := range []string{"rules/long-document.html", "spec/index.html", "spec/tapes.html", "contributing.html", "demo.svg", "openapi.json"} {
		if files[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
	if !bytes.Contains(files["configuration.html"], []byte(`href="rules/left-over.html"`)) {
		t.Error("a link to a section of a long page does not lead to its own page")
	}
}

// checkPage follows the links of a page.
func checkPage(t *testing.T, files map[string][]byte, name string) (links int) {
	heads := 0
	for n := range elements(t, files[name]) {
		if n.Data == "h1" {
			heads++
		}
		for _, a := range n.Attr {
			if a.Key != "href" && a.Key != "src" {
				continue
			}
			links++
			if strings.Contains(a.Val, "://") {
				if n.Data != "a" && attribute(n, "rel") != "canonical" {
					t.Errorf("%s loads %s", name, a.Val)
				}
				continue
			}
			to, anchor, _ := strings.Cut(a.Val, "#")
			switch rest, ok := strings.CutPrefix(to, "/handoff/"); {
			case to == "":
				to = name
			case ok:
				to = rest
			default:
				to = path.Join(path.Dir(name), to)
			}
			if files[to] == nil || anchor != "" && !has(t, files[to], anchor) {
				t.Errorf("%s: %s does not exist", name, a.Val)
			}
		}
	}
	if heads != 1 {
		t.Errorf("%s has %d titles", name, heads)
	}
	return links
}

var known = map[string]map[string]bool{} // anchors of pages, by their text

func has(t *testing.T, page []byte, anchor string) bool {
	ids := known[string(page)]
	if ids == nil {
		ids = map[string]bool{}
		for n := range elements(t, page) {
			ids[attribute(n, "id")] = true
		}
		known[string(page)] = ids
	}
	return ids[anchor]
}

func elements(t *testing.T, page []byte) map[*html.Node]bool {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	all := map[*html.Node]bool{}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode {
			all[n] = true
		}
	}
	return all
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// TestLists: llms.txt, the map of the site and the search index name what exists.
func TestLists(t *testing.T) {
	files := built(t)
	named := func(list, before, after string) (count int) {
		for _, part := range strings.Split(string(files[list]), before)[1:] {
			name, _, _ := strings.Cut(part, after)
			if count++; len(files[name]) == 0 {
				t.Errorf("%s names %s", list, name)
			}
		}
		return count
	}
	if n := named("llms.txt", "(https://docs.example.org/handoff/", ")"); n < 50 {
		t.Errorf("llms.txt has %d pages", n)
	}
	if n := named("sitemap.xml", "<loc>https://docs.example.org/handoff/", "<"); n < 120 {
		t.Errorf("sitemap.xml has %d pages", n)
	}
	if n := bytes.Count(files["llms-full.txt"], []byte("<!-- https://docs.example.org/handoff/")); n < 50 {
		t.Errorf("llms-full.txt has %d pages", n)
	}
	var index struct {
		Pages    [][2]string
		Sections []section
	}
	if err := json.Unmarshal(files["search.json"], &index); err != nil {
		t.Fatal(err)
	}
	for _, s := range index.Sections {
		page := files[index.Pages[s.Page][0]]
		if page == nil || s.To != "" && !has(t, page, s.To) {
			t.Errorf("the index leads to %s#%s", index.Pages[s.Page][0], s.To)
		}
	}
	if len(files["search.json"]) > 450_000 {
		t.Errorf("the index has %d bytes", len(files["search.json"]))
	}
}

// TestErrors: what would be wrong on the site is an error of the build, which names the file.
func TestErrors(t *testing.T) {
	const manual = "# Manual\n\n| all | |\n|---|---|\n| [a.md](a.md) | about a |\n"
	long := "# A\n\n" + strings.Repeat("word ", 11_000) // not split: it has no sections
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"whole":      {map[string]string{"docs/a.md": "# A\n\n[up](README.md#manual) [src](../main.go)\n", "main.go": ""}, nil},
		"no file":    {map[string]string{"docs/a.md": "# A\n\n[b](b.md) ![c](c.png)\n"}, []string{"2 broken links", "docs/a.md: b.md: there is no docs/b.md", "docs/c.png"}},
		"no heading": {map[string]string{"docs/a.md": "# A\n\n[b](#b)\n"}, []string{"docs/a.md: #b: there is no heading"}},
		"outside":    {map[string]string{"docs/a.md": "# A\n\n[b](../../b)\n"}, []string{"../../b"}},
		"no group":   {map[string]string{"docs/a.md": "# A\n", "docs/deep/b.md": "# B\n"}, []string{"docs/deep/b.md is in no table of docs/README.md"}},
		"no page":    {map[string]string{}, []string{"docs/a.md"}},
		"large":      {map[string]string{"docs/a.md": long + long}, []string{"a.html has 1", "at most 60000"}},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			c.files["README.md"], c.files["docs/README.md"] = "# R\n", manual
			for name, text := range c.files {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			out := filepath.Join(root, "out")
			err := Site{Source: root, Address: "https://docs.example.org"}.Build(out)
			if (err == nil) != (c.want == nil) {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v does not contain %q", err, want)
				}
			}
			if _, err := os.Stat(out); c.want != nil && err == nil {
				t.Error("there is a site nevertheless")
			}
		})
	}
}

// TestAnchors: headings have the names that GitHub gives them.
func TestAnchors(t *testing.T) {
	var got []string
	for n := parse([]byte("# What is `--json`?\n# Ü x_y 1.2\n# Two\n# Two\n")).FirstChild(); n != nil; n = n.NextSibling() {
		got = append(got, anchor(n.(*ast.Heading)))
	}
	if want := []string{"what-is---json", "ü-x_y-12", "two", "two-1"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
