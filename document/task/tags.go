package task

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"handoff/document/handoff"
)

// Parse reads a document of the layout at a path. parse reads Markdown. The source of a
// document in JSON is what it is in Markdown. Tags around a part, as in
//
//	<next_action>
//	Write the test.
//	</next_action>
//
// are headings of sections, and labels if a part is on one line; without that the part would be a block of HTML.
func (l *Layout) Parse(p string, src []byte, parse func([]byte) *handoff.Document) *handoff.Document {
	text := l.Markdown(p, src)
	doc := parse(text)
	if !IsJSON(p) && !bytes.Equal(text, src) {
		doc.Restore(string(src))
	}
	l.Adapt(doc)
	return doc
}

// Markdown is the source of a document in JSON as Markdown, and that of another one with headings instead of tags.
func (l *Layout) Markdown(p string, src []byte) []byte {
	if IsJSON(p) {
		return markdownOf(src, l.kindOf)
	}
	text, _ := headTags(src, l.kindOf)
	return text
}

// IsJSON reports whether a document is JSON, which is read and never written.
func IsJSON(p string) bool { return path.Ext(p) == ".json" }

// headTags returns a text in which tags around parts are headings, on the same lines. A tag
// counts if it is alone on its line and closed later, and if its words are those of a section,
// or several: other tags are HTML.
func headTags(src []byte, kindOf func(string) handoff.Kind) (text []byte, changed bool) {
	if !bytes.Contains(src, []byte("</")) {
		return src, false
	}
	lines := bytes.SplitAfter(src, []byte("\n"))
	closed := map[string]int{} // the last line that closes a tag
	for i, line := range lines {
		if name, ok := tag(line, "</"); ok {
			closed[name] = i
		}
	}
	fenced := false
	for i, line := range lines {
		if bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("```")) {
			fenced = !fenced
		}
		if fenced {
			continue
		}
		end := line[len(bytes.TrimRight(line, "\r\n")):]
		if name, ok := tag(line, "</"); ok && isPart(name, kindOf) {
			lines[i], changed = end, true
		} else if name, ok := tag(line, "<"); ok && closed[name] > i && isPart(name, kindOf) {
			lines[i], changed = slices.Concat([]byte("## "), []byte(spaced(name)), end), true
		} else if name, part, ok := onOneLine(line); ok && isPart(name, kindOf) {
			lines[i], changed = slices.Concat([]byte("**"+spaced(name)+":** "), part, end), true
		}
	}
	if !changed {
		return src, false
	}
	return bytes.Join(lines, nil), true
}

// tag returns the name of a tag that is alone on its line and begins so.
func tag(line []byte, open string) (name string, ok bool) {
	s, ok := strings.CutPrefix(strings.TrimRight(string(line[:min(len(line), 80)]), "\r\n "), open)
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(s, ">")
	return name, ok && isTag(name)
}

func isTag(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_-ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// onOneLine returns the name of the tags around all of a line, and what is between them.
func onOneLine(line []byte) (name string, part []byte, ok bool) {
	line = bytes.TrimRight(line, "\r\n ")
	if len(line) == 0 || line[0] != '<' {
		return "", nil, false
	}
	opened, rest, _ := bytes.Cut(line[1:], []byte(">"))
	name = string(opened[:min(len(opened), 80)])
	part, ok = bytes.CutSuffix(rest, []byte("</"+name+">"))
	return name, bytes.TrimSpace(part), ok && isTag(name)
}

// spaced is the name of a tag in words: next_action, nextAction.
func spaced(tag string) string {
	var b strings.Builder
	for i, r := range tag {
		switch {
		case r == '_' || r == '-':
			r = ' '
		case 'A' <= r && r <= 'Z' && i > 0 && 'a' <= tag[i-1] && tag[i-1] <= 'z':
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isPart(name string, kindOf func(string) handoff.Kind) bool {
	return name != "progress" && (!strings.Contains(name, "-") && strings.Contains(spaced(name), " ") || kindOf(spaced(name)) != handoff.Other)
}
