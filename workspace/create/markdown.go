package create

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/parse"
)

// IsMarkdown reports whether the input of `handoff new --from` is a document
// and not its values. The extension of the name decides; without one, a text
// that opens with a heading or with frontmatter is a document.
func IsMarkdown(name string, src []byte) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return true
	case ".yaml", ".yml", ".json":
		return false
	}
	text := strings.TrimLeft(strings.TrimPrefix(string(src), "\ufeff"), " \t\r\n")
	switch {
	case strings.HasPrefix(text, "---"):
		doc := parse.Document([]byte(text))
		return doc.Front != nil && strings.TrimSpace(text[doc.Offset(doc.Front.Lines.Last+1):]) != ""
	case strings.HasPrefix(text, "#"):
		return !openValues(text)
	}
	return false
}

// openValues reports whether the first line that is neither blank nor a YAML comment
// has a key of the values.
func openValues(text string) bool {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, _, ok := strings.Cut(line, ":")
		return line[0] == '{' || line == "---" || ok && slices.Contains(draftKeys(), strings.Trim(key, `"'`))
	}
	return false
}

// draftKeys are the keys of what `handoff new --from` reads.
func draftKeys() []string {
	keys := []string{"task", "phase", "slug", "thread", "seq", "profile"}
	for _, spec := range handoff.Sections {
		keys = append(keys, spec.Key)
	}
	return keys
}

// MarkdownDraft is a document that was written by hand. Its task and phase come
// from its frontmatter, else from its title and its file name.
func MarkdownDraft(name string, src []byte) *Draft {
	d := &Draft{Markdown: src, markdownName: name}
	doc, n := parse.Document(src), handoff.ParseName(strings.ReplaceAll(name, `\`, "/"))
	d.Task, d.Phase = n.Task, n.Phase
	if phase := phaseOfTitle(doc.Title.Text); phase > 0 {
		d.Phase = phase
	}
	if f := doc.Front; f != nil {
		if f.Task > 0 {
			d.Task = f.Task
		}
		if phase, err := strconv.Atoi(f.Phase); err == nil {
			d.Phase = phase
		}
	}
	return d
}

// markdownPlace is the position in the input of a line of the stamped document. The two
// differ if a title was added.
func (d *Draft) markdownPlace(doc *handoff.Document, l handoff.Lines) string {
	if l.First == 0 {
		return d.markdownName
	}
	return fmt.Sprintf("%s:%d", d.markdownName, max(d.Line(doc, l.First), 1))
}

// Line returns the line of the Markdown input that became a line of the document. It is
// less than 1 for a title that was added.
func (d *Draft) Line(doc *handoff.Document, line int) int {
	if doc.Front == nil || line > doc.Front.Lines.Last {
		line -= doc.NumLines() - handoff.NewDocument(string(d.Markdown)).NumLines()
	}
	return line
}

// stamped returns a document with the template's title for that phase and time. A title
// with more than phase and time in it is the author's, and is kept. No other byte is
// changed.
func stamped(src []byte, phase int, at time.Time) []byte {
	doc := parse.Document(src)
	title := fmt.Sprintf("Phase %d Handoff - %s", phase, at.UTC().Format(handoff.Stamp))
	lines := doc.Title.Lines
	if lines.First > 0 {
		start, end := doc.Offset(lines.First), doc.Offset(lines.First+1)
		if !isStampable(doc.Title.Text) || !strings.Contains(doc.Source[start:end], doc.Title.Text) {
			return src
		}
		line := strings.Replace(doc.Source[start:end], doc.Title.Text, title, 1)
		return slices.Concat(src[:start], []byte(line), src[end:])
	}
	if bytes.HasPrefix(src, []byte("\ufeff")) || doc.Front != nil && doc.Front.Profile == "completion" || titledBelow(doc) {
		return src
	}
	start, end := 0, "\n"
	if doc.Front != nil {
		start = doc.Offset(doc.Front.Lines.Last + 1)
	}
	if bytes.Contains(src, []byte("\r\n")) {
		end = "\r\n"
	}
	return slices.Concat(src[:start], []byte("# "+title+end+end), src[start:])
}

// unfenced is the mark of a document that was written with [Request.Unfenced].
const unfenced = "> Unfenced: the store did not answer when this was written, so it is unknown whether its author still held the claim. Look for a newer handoff first."

// marked returns a document with the mark below its title.
func marked(src []byte) []byte {
	doc := parse.Document(src)
	at := 0
	switch {
	case doc.Title.Lines.First > 0:
		at = doc.Offset(doc.Title.Lines.Last + 1)
	case doc.Front != nil:
		at = doc.Offset(doc.Front.Lines.Last + 1)
	}
	return slices.Concat(src[:at], []byte("\n"+unfenced+"\n"), src[at:])
}

// titledBelow reports whether a first-level heading comes after the first section.
func titledBelow(doc *handoff.Document) bool {
	for i := range doc.Sections {
		for _, b := range doc.Sections[i].Blocks {
			if b.Kind == handoff.Subheading && b.Level == 1 {
				return true
			}
		}
	}
	return false
}

// isStampable reports whether a title contains only "phase", its number, "handoff" and
// a time, or placeholders for them.
func isStampable(title string) bool {
	words := strings.FieldsFunc(withoutPlaceholders(title), func(r rune) bool { return strings.ContainsRune(" \t:-–—,;()[]|/", r) })
	if len(words) < 3 || !strings.EqualFold(words[0], "phase") || !strings.EqualFold(words[2], "handoff") {
		return false
	}
	return !slices.ContainsFunc(slices.Concat(words[1:2], words[3:]), func(word string) bool {
		return strings.Trim(word, "0123456789TZ.+") != "" && word != "UTC"
	})
}

// withoutPlaceholders replaces each {placeholder} with 0.
func withoutPlaceholders(title string) string {
	for {
		before, rest, ok := strings.Cut(title, "{")
		_, after, closed := strings.Cut(rest, "}")
		if !ok || !closed {
			return title
		}
		title = before + "0" + after
	}
}

// phaseOfTitle is the phase that a title begins with, such as "Phase 3 Handoff"; 0 if
// there is no number, or a letter follows it.
func phaseOfTitle(title string) int {
	const word = "phase "
	if len(title) < len(word) || !strings.EqualFold(title[:len(word)], word) {
		return 0
	}
	digits := title[len(word):]
	end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		if r, _ := utf8.DecodeRuneInString(digits[end:]); r == '_' || unicode.IsLetter(r) {
			return 0
		}
		digits = digits[:end]
	}
	n, _ := strconv.Atoi(digits)
	return n
}
