package site

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
)

// The first pages. The tables of the second one give the groups of all others, and their order.
const (
	homeSource   = "README.md"
	manualSource = "docs/README.md"
)

// order returns all pages, without their text. Each page of docs/ must be in it.
func (s *Site) order() ([]*page, error) {
	manual, err := os.ReadFile(filepath.Join(s.Source, filepath.FromSlash(manualSource)))
	if err != nil {
		return nil, err
	}
	list := []*page{{source: homeSource, about: s.Summary}, {source: manualSource, about: "all pages, and the names that commands take"}}
	add := func(p *page) {
		if !slices.ContainsFunc(list, func(q *page) bool { return q.source == p.source }) {
			list = append(list, p)
		}
	}
	for n := parse(manual).FirstChild(); n != nil; n = n.NextSibling() {
		if table, ok := n.(*extast.Table); ok {
			for _, p := range listed(table, manual) {
				add(p)
				for _, below := range s.folder(p) {
					add(below)
				}
			}
		}
	}
	for _, p := range list {
		p.path = placed(p.source)
	}
	return list, s.complete(list)
}

// listed returns the pages that a table names: its first heading is their group, each row has links
// and what they are about. A table without a first heading lists other things.
func listed(table *extast.Table, src []byte) (list []*page) {
	group := words(table.FirstChild().FirstChild(), src)
	if group == "" {
		return nil
	}
	for row := table.FirstChild().NextSibling(); row != nil; row = row.NextSibling() {
		about := words(row.FirstChild().NextSibling(), src)
		for _, to := range links(row.FirstChild()) {
			if strings.HasSuffix(to, ".md") {
				list = append(list, &page{source: path.Join(path.Dir(manualSource), to), about: about, group: group})
			}
		}
	}
	return list
}

// folder returns the other pages in the folder of a README, in the order of its links.
func (s *Site) folder(p *page) (list []*page) {
	dir := path.Dir(p.source)
	if path.Base(p.source) != "README.md" || dir == "docs" {
		return nil
	}
	src, err := os.ReadFile(filepath.Join(s.Source, filepath.FromSlash(p.source)))
	if err != nil {
		return nil // read reports it
	}
	for _, to := range links(parse(src)) {
		if strings.HasSuffix(to, ".md") && !strings.Contains(to, "/") {
			list = append(list, &page{source: path.Join(dir, to), group: p.group})
		}
	}
	return list
}

// links returns the destinations in a node.
func links(n ast.Node) (list []string) {
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			list = append(list, string(link.Destination))
		}
		return ast.WalkContinue, nil
	})
	return list
}

// complete returns an error for a page of docs/ that is not listed. Notes for the next release are no pages.
func (s *Site) complete(list []*page) error {
	root := filepath.Join(s.Source, "docs")
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "changelog.d":
			return fs.SkipDir
		case filepath.Ext(file) != ".md":
			return nil
		}
		name, err := filepath.Rel(s.Source, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if !slices.ContainsFunc(list, func(p *page) bool { return p.source == name }) {
			return fmt.Errorf("%s is in no table of %s: add it where a reader looks for it", name, manualSource)
		}
		return nil
	})
}
