package lsp

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/workspace/check"
)

// cursor is where a client asks for completions.
type cursor struct {
	*buffer
	*checked
	at     int    // byte in the source
	number int    // line, from 1, as documents count
	before string // the line up to the cursor
}

// completion offers what fits at a position: headings of sections that the document does
// not have, keys of the frontmatter, rules to allow, files of the workspace.
func (s *server) completion(ctx context.Context, p positionParams) (any, error) {
	list := completionList{Items: []completionItem{}}
	b, c, err := s.document(ctx, p.Document)
	if b == nil {
		return list, err
	}
	at := b.offset(p.Position)
	number := c.doc.LineAt(at)
	if number == 0 || at > c.doc.Offset(number)+len(c.doc.Line(number)) {
		number++ // in the empty line after the last line end
	}
	here := cursor{b, c, at, number, b.src[c.doc.Offset(number):at]}
	switch directive := strings.LastIndex(here.before, lint.Directive+" allow "); {
	case here.inFront():
		list.Items = s.frontItems(here)
	case directive >= 0 && !strings.Contains(here.before[directive:], "-->"):
		list.Items = s.ruleItems(here)
	case strings.HasPrefix(here.before, "#"):
		list.Items = headingItems(here)
	default:
		list = pathItems(here)
	}
	return list, nil
}

// item replaces the last bytes before the cursor by a text.
func (c cursor) item(kind, bytes int, text, detail string) completionItem {
	return completionItem{Label: text, Kind: kind, Detail: detail, Filter: text, Edit: textEdit{c.span(c.at-bytes, c.at), text}}
}

// word is what follows the last of some characters before the cursor.
func (c cursor) word(after string) string {
	return c.before[strings.LastIndexAny(c.before, after)+1:]
}

// inFront reports whether the cursor is between the two lines of the frontmatter, of
// which the second may be missing while it is written.
func (c cursor) inFront() bool {
	for n := 1; n < c.number; n++ {
		if fence := strings.TrimSpace(c.doc.Line(n)) == "---"; fence != (n == 1) {
			return false
		}
	}
	return c.number > 1
}

// frontKeys are the keys of the frontmatter.
var frontKeys = [][2]string{{"task", "task number"}, {"phase", "phase of the plan"}, {"thread", "id of the thread"},
	{"seq", "last frame of the thread that the handoff covers"}, {"profile", "handoff or completion"},
	{"lint", "rules that the document may break, with reasons"}}

func (s *server) frontItems(c cursor) (items []completionItem) {
	items = []completionItem{}
	switch key, value, colon := strings.Cut(c.before, ":"); {
	case colon && key == "profile":
		for _, word := range []string{lint.Handoff.String(), lint.Completion.String()} {
			items = append(items, c.item(kindKeyword, len(strings.TrimLeft(value, " ")), word, ""))
		}
	case !colon && strings.HasPrefix(key, " "):
		return s.ruleItems(c)
	case !colon:
		for _, k := range frontKeys {
			if !c.hasKey(k[0]) {
				items = append(items, c.item(kindProperty, len(key), k[0]+": ", k[1]))
			}
		}
	}
	return items
}

// hasKey reports whether another line of the frontmatter has the key.
func (c cursor) hasKey(key string) bool {
	for n := 2; n <= c.doc.NumLines(); n++ {
		line := c.doc.Line(n)
		if line == "---" {
			break
		}
		if n != c.number && strings.HasPrefix(line, key+":") {
			return true
		}
	}
	return false
}

// ruleItems are the rules, to allow what one of them flags.
func (s *server) ruleItems(c cursor) []completionItem {
	items := []completionItem{}
	for _, r := range s.Workspace.Rules {
		items = append(items, c.item(kindKeyword, len(c.word(" ")), r.Name, s.Docs.Summary(r.Name)))
	}
	return items
}

// headingItems are the sections that the document does not have, in the order of the
// template.
func headingItems(c cursor) []completionItem {
	items := []completionItem{}
	for i, spec := range handoff.Sections {
		if slices.ContainsFunc(c.doc.Sections, func(s handoff.Section) bool {
			return s.Kind == spec.Kind && !s.Heading.Lines.Has(c.number) // the heading that is being written does not count
		}) {
			continue
		}
		detail := "optional section"
		if spec.Required {
			detail = "required section"
		}
		item := c.item(kindKeyword, len(c.before), "## "+spec.Heading, detail)
		item.SortText = fmt.Sprintf("%02d", i)
		items = append(items, item)
	}
	return items
}

// mostEntries is how many files of a folder are offered at once.
const mostEntries = 500

// pathItems are the entries of the folder that the path before the cursor names. A word
// without a slash is a path only where a document names files.
func pathItems(c cursor) completionList {
	list := completionList{Items: []completionItem{}}
	path := c.word(" \t`\"'()[]<>")
	section := c.doc.SectionAt(c.number)
	names := section != nil && (section.Kind == handoff.References || section.Kind == handoff.CurrentState)
	if c.Root == "" || !names && !strings.Contains(path, "/") || path == "-" || path == "*" {
		return list
	}
	folder, begin := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		folder, begin = path[:i+1], path[i+1:]
	}
	at := check.Point(c.Root, strings.TrimSuffix("./"+folder, "/"))
	if strings.HasPrefix(path, "/") {
		at = check.Point(c.Root, strings.TrimSuffix(folder, "/"))
	}
	if !at.Folder {
		return list
	}
	entries, _ := os.ReadDir(at.Path) // what can be read is offered
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, begin) || name[0] == '.' && begin == "" || strings.ContainsAny(name, " \t\n`") {
			continue
		}
		if list.Incomplete = len(list.Items) == mostEntries; list.Incomplete {
			break
		}
		if e.IsDir() {
			list.Items = append(list.Items, c.item(kindFolder, len(begin), name+"/", ""))
		} else {
			list.Items = append(list.Items, c.item(kindFile, len(begin), name, ""))
		}
	}
	return list
}
