package rules

import (
	"cmp"
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// deadReference flags a path to a missing file that a successor would open: in
// the references and the file worked on.
func deadReference(p *lint.Pass) {
	if p.Name.Archived() { // its paths date from another time
		return
	}
	var near excuses
	tries := 0
	eachPointer(p, func(ptr pointer) {
		name, ok := inWorkspace(ptr.path.Text)
		bare := strings.IndexByte(name, '/') < 0
		if !ok || bare && (!ptr.own || ptr.label.Value == "") || p.Look(name).Exists {
			return
		}
		if near.excuse(p, ptr) {
			return
		}
		if tries++; tries <= maxTries {
			exists, longer := ptr.inLonger(p)
			if exists || ptr.own && created(p, ptr.path.Text) {
				return
			}
			name = cmp.Or(longer, name)
		}
		if p.Since != nil {
			now, gone := p.Since(name)
			if now != "" {
				p.Note(ptr.finding(p, wholePath(name)+" is "+wholePath(now)+" now"))
			}
			if gone {
				return
			}
		}
		hint, like := "", ""
		if p.Like != nil {
			like = p.Like(name)
		}
		switch {
		case like != "":
			hint = ": did you mean " + wholePath(like) + "?"
		case ptr.own:
			hint = ": if the work creates it, write (new) after it"
		}
		ptr.report(p, wholePath(name)+" does not exist in the workspace"+hint)
	})
}

// longestName is the most words to each side of a path that may be part of it, and maxTries the
// most paths of a document for which that is tried: time must grow with the text only.
const (
	longestName = 4
	maxTries    = 20
)

// inLonger reports whether a path is part of a longer one with blanks, which exists: Docs/n.go
// in "My Docs/n.go". If only the folder of such a one does, that is what is meant and missing.
func (ptr pointer) inLonger(p *lint.Pass) (exists bool, missing string) {
	line := p.Doc.Line(ptr.line)
	p.Looked += len(line)
	froms, tos := []int{ptr.path.From}, []int{ptr.path.To}
	for i := ptr.path.From; i > 1 && line[i-1] == ' ' && len(froms) <= longestName; {
		i = strings.LastIndexByte(line[:i-1], ' ') + 1
		froms = append(froms, i)
	}
	for i := ptr.path.To; i < len(line) && line[i] == ' ' && len(tos) <= longestName; {
		end := strings.IndexByte(line[i+1:], ' ')
		if i += 1 + end; end < 0 {
			i = len(line)
		}
		tos = append(tos, i)
	}
	for _, from := range froms {
		for _, to := range tos {
			name := strings.Trim(line[from:to], " `\"'*,;:()")
			clean, ok := inWorkspace(name)
			if !ok || !strings.Contains(name, " ") {
				continue
			}
			if p.Look(clean).Exists {
				return true, ""
			}
			if folder := path.Dir(clean); missing == "" && to == ptr.path.To && strings.Contains(folder, " ") && p.Look(folder).Exists {
				missing = clean
			}
		}
	}
	return false, missing
}

// created reports whether the next action is to write a file.
func created(p *lint.Pass, name string) bool {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil {
		return false
	}
	text := p.Doc.Text(s.Lines)
	p.Looked += len(text)
	return strings.Contains(text, name) && (hasFold(text, "create", "creates", "write", "add", "new", "start") || words.In("create", text))
}

// pointer is a path that the document asks its successor to open.
type pointer struct {
	path  prose.Path
	line  int
	own   bool           // it is the file worked on
	item  *handoff.Item  // of a reference: the top-level item around it, or nil
	label *handoff.Label // of the file worked on
}

// eachPointer calls f for all paths that a successor would open.
func eachPointer(p *lint.Pass, f func(pointer)) {
	ownPointers(p.Doc, f)
	references(p, func(string) bool { return true }, f)
}

// ownPointers calls f for the paths in the labels that name the files worked on.
func ownPointers(doc *handoff.Document, f func(pointer)) {
	for l, in := range doc.WorkFiles {
		for n := in.First; n <= in.Last; n++ {
			for p := range prose.Paths(doc.Line(n)) {
				f(pointer{path: p, line: n, own: true, label: l})
			}
		}
	}
}

// references calls f for the paths in those lines of the references for which
// wanted is true.
func references(p *lint.Pass, wanted func(line string) bool, f func(pointer)) {
	s := p.Doc.Section(handoff.References)
	if s == nil {
		return
	}
	items := s.Items
	for n, line := range proseOf(p, s) {
		for len(items) > 0 && (items[0].Depth > 0 || items[0].Lines.Last < n) {
			items = items[1:]
			p.Looked++
		}
		if !wanted(line) {
			continue
		}
		var item *handoff.Item
		if len(items) > 0 && items[0].Lines.Has(n) {
			item = &items[0]
		}
		for path := range prose.Paths(line) {
			f(pointer{path: path, line: n, item: item})
		}
	}
}

// report reports a message at the path.
func (ptr pointer) report(p *lint.Pass, message string) { p.Report(ptr.finding(p, message)) }

func (ptr pointer) finding(p *lint.Pass, message string) lint.Finding {
	at := p.Doc.Offset(ptr.line)
	return findingAt(p, at+ptr.path.From, at+ptr.path.To, message)
}

// around is the text about the path: the label's value and the line, or the
// item. at are its lines, by which a caller recognizes it.
func (ptr pointer) around(doc *handoff.Document) (at handoff.Lines, text string) {
	switch line := (handoff.Lines{First: ptr.line, Last: ptr.line}); {
	case ptr.own && ptr.line == ptr.label.Lines.First:
		return line, ptr.label.Value
	case ptr.item != nil:
		return ptr.item.Lines, doc.Text(ptr.item.Lines)
	default:
		return line, doc.Line(ptr.line)
	}
}

// excuses caches whether the text around the last path says that the file does
// not exist, because one text may have many paths.
type excuses struct {
	at      handoff.Lines
	own, is bool
}

func (e *excuses) excuse(p *lint.Pass, ptr pointer) bool {
	if at, text := ptr.around(p.Doc); at != e.at || ptr.own != e.own {
		e.at, e.own, e.is = at, ptr.own, elsewhere(text)
		p.Looked += len(text)
	}
	return e.is
}

// inWorkspace cleans a path that Look can find: one from the workspace's root,
// or any absolute path.
func inWorkspace(name string) (string, bool) {
	if name == "" || name[0] == '~' || name[0] == '@' || strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
		return "", false
	}
	if strings.Contains(name, "/.") || strings.Contains(name, "//") || name[0] == '.' || name[len(name)-1] == '/' {
		name = path.Clean(name)
	}
	return name, true
}

// elsewhere reports whether a text places a file outside the workspace: in
// another repository, deleted, or not yet written.
func elsewhere(text string) bool {
	return hasFold(text, "repo", "repository", "upstream", "external", "deleted", "removed", "gone", "renamed", "moved",
		"create", "created", "new", "missing", "not yet", "does not exist", "doesn't exist", "to be written", "branch") ||
		words.In("elsewhere", text)
}
