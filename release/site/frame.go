package site

import (
	"bytes"
	"html/template"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"
)

var frames = template.Must(template.ParseFS(assets, "assets/page.html"))

// view is what the template gets.
type view struct {
	Root           string // before each path of the site
	Title, About   string
	Body           template.HTML
	Groups         []group
	Contents       []entry
	Up, Prev, Next *entry
	Edit, Project  string
	Canonical      string
}

type group struct {
	Name  string
	Pages []entry
}

type entry struct {
	Path, Title string
	Current     bool
	Level       int
}

// frame puts the list of pages, its contents and its neighbours around the body of a page.
func (s *Site) frame(i int, body string) ([]byte, error) {
	p := s.pages[i]
	v := view{Root: p.relative(""), Title: p.title + " · handoff", About: p.about, Body: template.HTML(body), Groups: s.groups(p), Contents: p.contents(),
		Edit: s.Repository + "/blob/main/" + p.source, Project: s.Repository, Canonical: s.Address + "/" + p.path}
	if p.source == homeSource {
		v.Title = "handoff: " + s.Summary
	}
	if p.part {
		up := s.whole(p)
		v.Up, v.About = &entry{Path: up.path, Title: up.title}, up.title
	}
	if i > 0 {
		v.Prev = &entry{Path: s.pages[i-1].path, Title: s.pages[i-1].title}
	}
	if i+1 < len(s.pages) {
		v.Next = &entry{Path: s.pages[i+1].path, Title: s.pages[i+1].title}
	}
	return execute(v)
}

func execute(v view) ([]byte, error) {
	var b bytes.Buffer
	err := frames.Execute(&b, v)
	return b.Bytes(), err
}

// whole is the page that a section was taken from.
func (s *Site) whole(part *page) *page {
	for _, p := range s.pages {
		if p.source == part.source {
			return p
		}
	}
	return part
}

// groups is the list of pages for the margin. Sections of a long page are not in it: the page lists them.
func (s *Site) groups(current *page) (list []group) {
	for _, p := range s.pages {
		if p.part {
			continue
		}
		if len(list) == 0 || list[len(list)-1].Name != p.group {
			list = append(list, group{Name: p.group})
		}
		last := &list[len(list)-1]
		last.Pages = append(last.Pages, entry{Path: p.path, Title: p.title, Current: current != nil && p.source == current.source})
	}
	return list
}

// contents lists the headings of a page, if it has at least two.
func (p *page) contents() (list []entry) {
	for _, n := range p.nodes {
		if h, ok := n.(*ast.Heading); ok && (h.Level == 2 || h.Level == 3) {
			list = append(list, entry{Path: "#" + anchor(h), Title: words(h, p.text), Level: h.Level})
		}
	}
	if len(list) < 2 {
		return nil
	}
	return list
}

// notFound is the page for unknown addresses. It is shown below any of them, so its links are absolute.
func (s *Site) notFound() ([]byte, error) {
	address, err := url.Parse(s.Address)
	if err != nil {
		return nil, err
	}
	const body = `<h1>There is no such page</h1><p>Search above, or choose one from the list of pages.</p>`
	return execute(view{Root: strings.TrimSuffix(address.Path, "/") + "/", Title: "No such page", Body: body, Groups: s.groups(nil), Project: s.Repository})
}
