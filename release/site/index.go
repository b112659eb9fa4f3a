package site

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
)

// section is an entry of the search index: the text below one heading.
type section struct {
	Page  int    `json:"p"` // index in the list of pages
	To    string `json:"a,omitempty"`
	Title string `json:"h,omitempty"`
	Text  string `json:"t"` // its beginning
	Words string `json:"w,omitempty"`
}

// excerpt is how many bytes of a section are shown; of the rest only words are searched, each once.
const excerpt = 160

// common are words that are in nearly every section: neither kept, nor looked for where something else is.
var common = strings.Fields("and another are but can does for from has have its not that the them there this was what which with")

// index adds search.json.
func (s *Site) index() error {
	var index struct {
		Pages    [][2]string `json:"pages"` // path, title
		Common   []string    `json:"common"`
		Sections []section   `json:"sections"`
	}
	index.Common = common
	for i, p := range s.pages {
		index.Pages = append(index.Pages, [2]string{p.path, p.title})
		now, text := section{Page: i}, ""
		end := func() {
			now.Text, now.Words = cut(text)
			index.Sections = append(index.Sections, now)
		}
		for j, n := range p.nodes {
			h, ok := n.(*ast.Heading)
			switch {
			case ok && j > 0:
				end()
				now, text = section{Page: i, To: anchor(h), Title: words(h, p.text)}, ""
			case !ok:
				text += words(n, p.text) + " "
			}
		}
		end()
	}
	data, err := json.Marshal(index)
	s.files["search.json"] = data
	return err
}

// cut returns the beginning of a text, and the other words of it, each once.
func cut(text string) (begin, rest string) {
	if len(text) <= excerpt {
		return strings.TrimSpace(text), ""
	}
	at := strings.LastIndexByte(text[:excerpt], ' ')
	if at < 0 {
		for at = excerpt; !utf8.RuneStart(text[at]); at-- {
		}
	}
	begin = text[:at]
	seen := map[string]bool{}
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(strings.ToLower(text[at:]), func(r rune) bool { return strings.ContainsRune(" \t`\"'()[]{}<>,;:|=…→", r) }) {
		word = strings.Trim(word, ".*!?$#")
		if len(word) > 2 && len(word) < 40 && strings.Trim(word, "0123456789-:./") != "" && !seen[word] && !slices.Contains(common, word) && !strings.Contains(strings.ToLower(begin), word) {
			seen[word] = true
			b.WriteString(word + " ")
		}
	}
	return strings.TrimSpace(begin), strings.TrimSpace(b.String())
}

// plain adds what language models read: llms.txt lists the pages, llms-full.txt has all of their text.
// Each page is also there as Markdown, in one piece.
func (s *Site) plain() error {
	var list, full strings.Builder
	fmt.Fprintf(&list, "# handoff\n\n> %s\n", s.Summary)
	last := ""
	for _, p := range s.pages {
		if p.part {
			continue
		}
		if p.group != last {
			fmt.Fprintf(&list, "\n## %s\n\n", p.group)
			last = p.group
		} else if p.source == homeSource {
			list.WriteByte('\n')
		}
		name, text := plainPath(p.path), s.markdown(p)
		s.files[name] = []byte(text)
		about := ""
		if p.about != "" {
			about = ": " + p.about
		}
		fmt.Fprintf(&list, "- [%s](%s/%s)%s\n", p.title, s.Address, name, about)
		fmt.Fprintf(&full, "<!-- %s/%s -->\n\n%s\n\n", s.Address, p.path, strings.TrimSpace(text))
	}
	s.files["llms.txt"], s.files["llms-full.txt"] = []byte(list.String()), []byte(full.String())
	return nil
}

func plainPath(page string) string { return strings.TrimSuffix(page, ".html") + ".md" }

// markdown is the text of a source with links to the Markdown of other pages.
func (s *Site) markdown(p *page) string {
	text := string(p.text)
	for _, to := range links(parse(p.text)) {
		found, err := s.target(p.source, to)
		if err != nil || strings.HasPrefix(to, "#") {
			continue // render reports it
		}
		if !strings.Contains(found, "://") {
			found = s.inPlain(p, to, found)
		}
		text = strings.ReplaceAll(text, "]("+to+")", "]("+found+")")
	}
	return text
}

// inPlain is a link to a page of the site in its Markdown, which is one file also if it is split.
func (s *Site) inPlain(p *page, to, found string) string {
	if !strings.Contains(found, ".html") {
		return p.relative(found)
	}
	for _, q := range s.pages {
		if path, _, _ := strings.Cut(found, "#"); q.path == path {
			_, anchor, _ := strings.Cut(to, "#")
			return p.relative(strings.TrimSuffix(plainPath(s.whole(q).path)+"#"+anchor, "#"))
		}
	}
	return p.relative(found)
}
