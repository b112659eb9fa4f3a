package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// missingFile flags a current state that does not name the file worked on.
func missingFile(p *lint.Pass) {
	s := p.Doc.Section(handoff.CurrentState)
	if s == nil {
		return
	}
	for l, in := range p.Doc.WorkFiles {
		if l.Value != "" || in.Count() > 1 {
			return
		}
	}
	if !holdsText(p, s) || isLabel(p, s) {
		return
	}
	at, name := 0, ""
	for n, line := range proseOf(p, s) {
		word := notLooked
		for path := range prose.Paths(line) {
			if namedAsFile(line, path, &word) {
				return
			}
			if at == 0 && !strings.HasPrefix(path.Text, handoff.Root+"/") {
				at, name = n, path.Text
			}
		}
	}
	if at > 0 {
		p.At(handoff.Lines{First: at, Last: at}, "current state names %s, but not as the file worked on: write \"- **File**: \" before it", wholePath(name))
		return
	}
	p.At(s.Heading.Lines, "current state names no file: write \"- **File**: path/of/the/file\"")
}

// namedAsFile reports whether a line is about its path: it begins with the
// path, as an item or a row of a table does, or has "File" before it. lineWord
// caches the offset of the word "line".
func namedAsFile(line string, path prose.Path, lineWord *int) bool {
	if strings.HasPrefix(path.Text, handoff.Root+"/") {
		return false // a plan
	}
	before := prose.TrimRight(line[:path.From], " `*[:(")
	if plain(prose.TrimLeft(before, "|# ")) == "" {
		return true
	}
	word := before[strings.LastIndexAny(before, " #|>(*")+1:]
	switch {
	case strings.EqualFold(word, "file"), strings.EqualFold(word, "files"):
		return true
	case strings.EqualFold(word, "of"), strings.EqualFold(word, "in"):
		if *lineWord == notLooked {
			*lineWord = lineWordIn(line)
		}
		return *lineWord < len(before) // "line 1030 of Theories/Lindenbaum.lean"
	}
	return words.Is("file", word)
}

const notLooked = -1

// lineWordIn is the offset of the first "line" or "lines" in a line; its length
// if there is none.
func lineWordIn(line string) int {
	at := len(line)
	for _, w := range [...]string{"line", "lines"} {
		if i := findFold(line, w); i >= 0 {
			at = min(at, i)
		}
	}
	return at
}

// isLabel reports whether the section is bold text among the facts above all
// sections: "**Current State**: partial".
func isLabel(p *lint.Pass, s *handoff.Section) bool {
	o := outlineOf(p)
	for i := range p.Doc.Sections {
		if &p.Doc.Sections[i] == s {
			return o.isLoose(i)
		}
	}
	return false
}

// holdsText reports whether a section has more than its heading.
func holdsText(p *lint.Pass, s *handoff.Section) bool {
	if len(s.Fences) > 0 {
		return true
	}
	_, text := opening(p, s)
	return text != ""
}
