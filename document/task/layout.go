package task

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"handoff/document/handoff"
	"handoff/document/words"
)

// Layout defines which files outside of task folders are handoffs, and how to read
// them: the form of their names, the meaning of their headings, and the keys of
// their frontmatter. Task folders below specs need none; they are always handoffs.
type Layout struct {
	Name  string
	Files []string // globs of the documents, relative to the workspace
	// Else are globs of files that are documents only if there are none of Files, and none
	// of those before: what a tool also writes when it hands off, or in between.
	Else []string
	// Names are the forms of their paths, see [Form]; the first that fits is used, and
	// the first of all is that of new documents.
	Names []string
	// Chain decides which documents continue each other: see [ByTask], [ByFolder] and [ByLayout].
	Chain    Chaining
	Headings []Heading // in the order of a new document
	Title    string    // of a new document; it may have the placeholders of a name
	Front    []string  // lines of the frontmatter of a new document; they may have placeholders
	Keys     []string  // known keys of the frontmatter; "*" is any
	// Rules are severities by the name of a lint rule: those of the preset. The user's
	// own, for the project and for the layout, come first.
	Rules map[string]string
	// Replaces reports that a new document replaces the last one, because the name has
	// no time: the last one is kept elsewhere.
	Replaces bool
	// Plan is that of another tool, beside which the documents are; nil for a layout without one.
	Plan *Plan

	folding sync.Once
	kinds   map[string]handoff.Kind // of the words of Headings, folded
}

// Heading is what a kind of section is called. A new document has the first word.
type Heading struct {
	Kind  handoff.Kind
	Words []string
}

// Chaining decides which documents of a layout continue each other.
type Chaining uint8

// The chainings.
const (
	ByTask   Chaining = iota // those of a task number or, without one, of a slug
	ByFolder                 // all of a folder: each session continues the last one
	ByLayout                 // all of the layout
)

// Holds reports whether a path below the workspace is a document of the layout. It
// does not check that there is such a file.
func (l *Layout) Holds(p string) bool { return l.precedence(p) >= 0 }

// precedence is 0 for a document that Files name, and more for one that Else names; the less
// comes first. It is negative for a path that is no document of the layout.
func (l *Layout) precedence(p string) int {
	base := path.Base(p)
	if hidden(p) {
		return -1
	}
	about := describesFolder(base)
	for i, glob := range l.globs() {
		if name := path.Base(glob); readable(base, name) && (!about || name == base) && doublestar.MatchUnvalidated(glob, p) {
			return max(0, i-len(l.Files)+1)
		}
	}
	return -1
}

func (l *Layout) globs() []string {
	if len(l.Else) == 0 {
		return l.Files
	}
	return slices.Concat(l.Files, l.Else)
}

// readable reports whether a glob for names can mean a file: Markdown that is not hidden.
// A leading dot and the extensions .txt and .json must be in the glob itself, so that **/*
// does not make documents of the files of programs.
func readable(name, glob string) bool {
	if name == "" || name[0] == '.' && glob[0] != '.' {
		return false
	}
	switch ext := path.Ext(name); ext {
	case ".md":
		return len(name) > len(ext)
	case ".txt", ".json":
		return path.Ext(glob) == ext
	}
	return false
}

// aboutFolder are the names of files that describe a folder of handoffs, and those in it
// that are no handoffs. They are documents only where a glob names them.
var aboutFolder = [...]string{"readme", "index", "agents", "claude", "contributing", "changelog", "lock", "locks", "baseline"}

// describesFolder reports whether a file is one of aboutFolder, a template, or what was
// measured before the work: *-baseline.md.
func describesFolder(base string) bool {
	stem := strings.ToLower(strings.TrimSuffix(base, path.Ext(base)))
	words := strings.FieldsFunc(stem, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' })
	return slices.Contains(aboutFolder[:], stem) || slices.Contains(words, "template") ||
		len(words) > 0 && (words[len(words)-1] == "baseline" || words[len(words)-1] == "lock")
}

// hidden reports whether a path is in a folder that no walk enters. The folders that a
// tool has for its own files may be named by a glob, so those with a dot are not hidden.
func hidden(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if part == "node_modules" || part == ".git" {
			return true
		}
	}
	return false
}

// Read is the name of a document of the layout.
func (l *Layout) Read(p string) handoff.Name {
	n := handoff.Name{Base: path.Base(p), Layout: l.Name, Class: handoff.Foreign, Known: isNamed(p)}
	var got Parts
	for _, form := range l.Names {
		var ok bool
		if got, ok = Form(form).Match(p); ok {
			break
		}
	}
	n.Slug, n.Time, n.Count, n.UTC, n.Class = got.Slug, got.Time, got.Count, got.UTC, got.class()
	if m, found := handoff.FindMoment(path.Dir(p)); found != "" && got.Unit == 0 {
		n.Filed = m.Time.Truncate(handoff.Day)
	}
	if n.Slug == "" {
		n.Slug = got.Task
	}
	if l.Plan != nil {
		n.ID = got.Task
		n.Task, n.Width = l.Plan.Number(got.Task)
	} else if number, width := numberIn(got.Task); width > 0 {
		n.Task, n.Width, n.Ticket = number, width, got.Task
	}
	if got.Number != "" {
		n.PhaseText = got.Number
		n.Phase, _ = strconv.Atoi(got.Number)
	}
	n.Loose = !l.Replaces && (l.Chain != ByTask || n.ID == "" && n.Width == 0)
	switch {
	case l.Chain == ByLayout:
		n.Chain = l.Name + ":"
	case l.Chain == ByFolder:
		n.Chain = l.Name + ":" + path.Dir(p)
	case n.ID != "":
		n.Chain = l.Name + ":" + n.ID
	case n.Width > 0:
		n.Chain = l.Name + ":" + strconv.Itoa(n.Task)
	default:
		n.Chain = l.Name + ":" + path.Dir(p) + "/" + n.Slug
	}
	return n
}

// numberIn is the first number in the name of a task: 1478 in ENG-1478.
func numberIn(task string) (number, width int) {
	start := strings.IndexAny(task, "0123456789")
	if start < 0 {
		return 0, 0
	}
	end := start
	for end < len(task) && '0' <= task[end] && task[end] <= '9' {
		end++
	}
	if n, err := strconv.Atoi(task[start:end]); err == nil && n > 0 && n <= handoff.MaxTask {
		return n, end - start
	}
	return 0, 0
}

// Adapt turns the headings of a document into sections of the kinds that the layout
// defines, and accepts the keys of its frontmatter.
func (l *Layout) Adapt(doc *handoff.Document) {
	for i := range doc.Sections {
		s := &doc.Sections[i]
		kind := l.kindOf(s.Heading.Text)
		if l.Name == Default { // the other headings keep the rules of task folders
			if kind != handoff.Other {
				s.Kind, s.Spelling = kind, handoff.Exact
			}
			continue
		}
		if kind == handoff.Other && s.Kind == handoff.Other {
			kind = handoff.Kind(words.OtherSection(s.Heading.Text, true))
		}
		if kind != handoff.Other {
			s.Kind, s.Spelling = kind, handoff.Exact
		} else if s.Kind != handoff.Other {
			s.Spelling = handoff.Exact // a word that is understood needs no other
		}
	}
	if l.Name == Default {
		return
	}
	preferNext(doc)
	doc.Problems = slices.DeleteFunc(doc.Problems, func(p handoff.Problem) bool {
		return p.Kind == handoff.BadFront && p.Key != "" && l.knows(p.Key)
	})
}

// preferNext makes a list of what is left an ordinary section if another section announces what comes next: such a list
// is the next action of a document that has no other one.
func preferNext(doc *handoff.Document) {
	lists := 0
	for i := range doc.Sections {
		if s := &doc.Sections[i]; s.Kind == handoff.NextAction && isLeft(s) {
			lists++
		}
	}
	if lists == 0 || !slices.ContainsFunc(doc.Sections, announces) {
		return
	}
	for i := range doc.Sections {
		if s := &doc.Sections[i]; s.Kind == handoff.NextAction && isLeft(s) {
			s.Kind = handoff.Other
		}
	}
}

// isLeft reports whether a section is by its heading about what is left: "Remaining Work", 残作業.
func isLeft(s *handoff.Section) bool { return words.Step(s.Heading.Text) == words.Hints }

func announces(s handoff.Section) bool {
	return s.Kind == handoff.NextAction && !isLeft(&s) || s.Kind == handoff.Other && words.Step(s.Heading.Text) == words.Announces
}

func (l *Layout) knows(key string) bool {
	return slices.Contains(l.Keys, "*") || slices.Contains(l.Keys, key)
}

func (l *Layout) kindOf(heading string) handoff.Kind {
	word := fold(heading)
	if word == "" {
		return handoff.Other
	}
	for _, bare := range [...]bool{false, true} { // "Task(s)" before "Context (read first)"
		if bare {
			open := strings.LastIndexByte(word, '(')
			if open <= 0 || !strings.HasSuffix(word, ")") {
				break
			}
			word = strings.TrimSpace(word[:open])
		}
		if kind, known := l.folded()[word]; known {
			return kind
		}
	}
	return handoff.Other
}

// folded are the kinds of the headings by their folded words. A word that two of them have is of the first.
func (l *Layout) folded() map[string]handoff.Kind {
	l.folding.Do(func() {
		l.kinds = map[string]handoff.Kind{}
		for _, h := range slices.Backward(l.Headings) {
			for _, word := range h.Words {
				l.kinds[fold(word)] = h.Kind
			}
		}
	})
	return l.kinds
}

// fold normalizes what authors vary in a heading: case, accents, wide signs, a leading number, sign or emoji, a
// trailing colon, and the form of apostrophe and "and". A heading without letters is its own.
func fold(heading string) string {
	s := words.Fold(folder.Replace(heading))
	if rest := strings.TrimLeftFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }); rest != "" {
		s = rest
	}
	return strings.Join(strings.Fields(strings.TrimRight(s, ": .。")), " ")
}

var folder = strings.NewReplacer("&", "and", "**", "")

// Heading is what a new document calls a section, "" for the template's own heading.
func (l *Layout) Heading(k handoff.Kind) string {
	for _, h := range l.Headings {
		if h.Kind == k && len(h.Words) > 0 {
			return h.Words[0]
		}
	}
	return ""
}

// Layouts are the layouts of a workspace. The first one that holds a path decides.
type Layouts []*Layout

// Of is the layout of a path below the workspace; nil for none. A document of a task
// folder has none.
func (ls Layouts) Of(p string) *Layout {
	if len(ls) == 0 || Root.At(path.Dir(p)).HoldsDocuments() {
		return nil
	}
	for _, l := range ls {
		if l.Holds(p) {
			return l
		}
	}
	return nil
}

// NameOf is the parsed path of a document.
func (ls Layouts) NameOf(p string) handoff.Name {
	if l := ls.Of(p); l != nil {
		return l.Read(p)
	}
	return handoff.ParseName(p)
}

// Own is the layout with the project's words for the headings of documents in task folders; nil
// for none. It has no files: [Layouts.Of] never returns it.
func (ls Layouts) Own() *Layout {
	for _, l := range ls {
		if l.Name == Default {
			return l
		}
	}
	return nil
}

// Parse is [Layout.Parse] for the layout of the path. Without one it is parse, with the
// project's words for headings in a task folder.
func (ls Layouts) Parse(p string, src []byte, parse func([]byte) *handoff.Document) *handoff.Document {
	if l := ls.Of(p); l != nil {
		return l.Parse(p, src, parse)
	}
	doc := parse(src)
	if l := ls.Own(); l != nil && Root.At(path.Dir(p)).HoldsDocuments() {
		l.Adapt(doc)
	}
	return doc
}

// IsDocument reports whether a path below the workspace is that of a document: of a
// task folder, or of a layout.
func (ls Layouts) IsDocument(p string) bool {
	return Root.At(path.Dir(p)).HoldsDocuments() && IsDocument(path.Base(p)) || ls.Of(p) != nil
}
