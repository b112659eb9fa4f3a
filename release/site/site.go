// Package site makes the web site of the documentation from a checkout: each Markdown page of
// docs/ as HTML, a search index, and the same text for language models (llms.txt). The same
// checkout gives the same bytes. A broken link, a page in no group and a page that is
// too large are errors.
package site

import (
	"bytes"
	"embed"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// PageLimit is the most bytes that a page may have. A source of more than SplitAt bytes becomes
// one page for each of its sections.
const (
	PageLimit = 60_000
	SplitAt   = 50_000
)

// Site says what a site is made from, and where it will be.
type Site struct {
	Source     string // root of the checkout
	Address    string // of the site: https://example.org/handoff
	Repository string // address of the repository on the web; files that are not part of the site are there
	Summary    string // what the product does, in one line

	pages  []*page
	places map[string]map[string]string // path in the site of each anchor ("" is the page) of each source
	files  map[string][]byte            // the site, by path
}

//go:embed assets
var assets embed.FS

// Build writes the site to a folder that does not exist yet.
func (s Site) Build(out string) error {
	s.Address = strings.TrimSuffix(s.Address, "/")
	s.files = map[string][]byte{}
	if err := s.read(); err != nil {
		return err
	}
	for _, step := range []func() error{s.render, s.index, s.plain, s.extras} {
		if err := step(); err != nil {
			return err
		}
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, s.files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}

// render adds each page. It reports all broken links, not only the first.
func (s *Site) render() error {
	var broken []string
	for i, p := range s.pages {
		body, bad := s.body(p)
		broken = append(broken, bad...)
		html, err := s.frame(i, body)
		if err != nil {
			return fmt.Errorf("%s: %w", p.source, err)
		}
		if len(html) > PageLimit {
			return fmt.Errorf("%s: %s has %d bytes, at most %d: split it, or see SplitAt", p.source, p.path, len(html), PageLimit)
		}
		s.files[p.path] = html
	}
	if len(broken) > 0 {
		return fmt.Errorf("%d broken links:\n%s", len(broken), strings.Join(broken, "\n"))
	}
	return nil
}

// extras adds the page for unknown addresses, the map of the site and the files of assets.
func (s *Site) extras() error {
	missing, err := s.notFound()
	if err != nil {
		return err
	}
	s.files["404.html"] = missing
	var all bytes.Buffer
	all.WriteString("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n")
	for _, p := range s.pages {
		fmt.Fprintf(&all, "<url><loc>%s</loc></url>\n", s.Address+"/"+p.path)
	}
	all.WriteString("</urlset>\n")
	s.files["sitemap.xml"] = all.Bytes()
	s.files["robots.txt"] = []byte("User-agent: *\nAllow: /\nSitemap: " + s.Address + "/sitemap.xml\n")
	s.files[".nojekyll"] = nil // GitHub Pages: serve the files as they are
	for _, name := range []string{"style.css", "site.js", "icon.svg"} {
		if s.files[name], err = assets.ReadFile("assets/" + name); err != nil {
			return err
		}
	}
	return nil
}
