package site

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark/ast"
)

// relink points the links of a page to where things are in the site, and returns the broken ones.
func (s *Site) relink(p *page) (broken []string) {
	for _, n := range p.nodes {
		_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			var to *[]byte
			switch n := n.(type) {
			case *ast.Link:
				to = &n.Destination
			case *ast.Image:
				to = &n.Destination
			}
			if to == nil || !entering {
				return ast.WalkContinue, nil
			}
			found, err := s.target(p.source, string(*to))
			if err != nil {
				broken = append(broken, fmt.Sprintf("%s: %s: %v", p.source, *to, err))
			} else if !strings.Contains(found, "://") {
				s.name(n, p, string(*to))
				found = p.relative(found)
			}
			*to = []byte(found)
			return ast.WalkContinue, nil
		})
	}
	return broken
}

// name makes the title of a page the text of a link whose text is the name of its file.
func (s *Site) name(n ast.Node, p *page, to string) {
	if file, _, _ := strings.Cut(to, "#"); words(n, p.text) != file {
		return
	}
	for _, q := range s.pages {
		if q.source == path.Join(path.Dir(p.source), strings.SplitN(to, "#", 2)[0]) {
			n.RemoveChildren(n)
			n.AppendChild(n, ast.NewString([]byte(q.title)))
			return
		}
	}
}

// relative returns a path of the site as a link of this page.
func (p *page) relative(to string) string {
	if same, ok := strings.CutPrefix(to, p.path+"#"); ok {
		return "#" + same
	}
	return strings.Repeat("../", strings.Count(p.path, "/")) + to
}

// target returns where a link of a source leads: a path in the site, or an address.
func (s *Site) target(source, link string) (string, error) {
	if strings.Contains(link, "://") {
		return link, nil
	}
	name, anchor, _ := strings.Cut(link, "#")
	file := source
	if name != "" {
		file = path.Join(path.Dir(source), name)
	}
	if places, ok := s.places[file]; ok {
		place, ok := places[anchor]
		if !ok {
			return "", fmt.Errorf("there is no heading #%s", anchor)
		}
		return place, nil
	}
	info, err := os.Stat(filepath.Join(s.Source, filepath.FromSlash(file)))
	switch {
	case err != nil || strings.HasPrefix(file, ".."):
		return "", fmt.Errorf("there is no %s", file)
	case info.IsDir():
		return s.Repository + "/tree/main/" + file, nil
	case path.Ext(file) == ".md" || !strings.HasPrefix(file, "docs/"):
		return s.Repository + "/blob/main/" + strings.TrimSuffix(file+"#"+anchor, "#"), nil
	}
	own := strings.TrimPrefix(file, "docs/")
	if s.files[own], err = os.ReadFile(filepath.Join(s.Source, filepath.FromSlash(file))); err != nil {
		return "", err
	}
	return own, nil
}
