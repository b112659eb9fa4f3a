package dashboard

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/visible"
	"handoff/lint"
	"handoff/parse/hidden"
	"handoff/workspace"
	"handoff/workspace/check"
)

// document is a document line by line, as its author wrote it. It is not rendered as
// Markdown, so that nothing in it is interpreted as HTML or hidden.
type document struct {
	Path     string
	Problem  string // why it cannot be shown
	Lines    []line
	Findings []finding // about the whole file
	Count    int       // of all findings
	First    string    // where the first of them is
	Before   string    // path of the handoff before; "" for none
	Diff     []hunk
	Same     bool // as the one before
	Apart    bool // too long to be compared
}

type line struct {
	ID       string
	Number   int
	Kind     string // a class: h1, h2, h3, item, code, comment, front, text
	Pieces   []piece
	Findings []finding
}

// piece is a part of a line that looks the same.
type piece struct {
	Kind string // a class: code, bold, hid, or "" for plain text
	Text string
	Name string // what an invisible character is
}

type finding struct{ Severity, Message, Rule, Why string }

func lineID(n int) string { return strconv.Itoa(n) }

// document reads a document, checks it, and compares it with the one before.
func (d *Dashboard) document(ctx context.Context, ws *workspace.Workspace, path, before string) *document {
	v := &document{Path: path, Before: before}
	doc, err := read(ctx, ws, path)
	if err != nil {
		v.Problem = workspace.Reason(err).Error()
		return v
	}
	v.Lines = linesOf(doc)
	b := check.Buffer{Path: ws.Full(path), Text: []byte(doc.Source)}
	if r, err := b.Check(ctx, ws.Options); err == nil {
		d.place(v, r.Findings)
	} else {
		v.Findings = append(v.Findings, finding{"error", workspace.Reason(err).Error(), "", ""})
	}
	if before == "" {
		return v
	}
	if old, err := read(ctx, ws, before); err == nil {
		v.Diff, v.Apart = diff(splitLines(old), splitLines(doc))
		v.Same = len(v.Diff) == 0 && !v.Apart
	}
	return v
}

func (d *Dashboard) finding(f lint.Finding) finding {
	one := finding{f.Severity.String(), visible.Line(f.Message), f.Rule, ""}
	if d.Reason != nil {
		one.Why = d.Reason(f.Rule)
	}
	return one
}

// place puts findings beside their lines.
func (d *Dashboard) place(v *document, list []lint.Finding) {
	v.First = "doc"
	for _, f := range lint.Limit(list) {
		one := d.finding(f)
		n := f.Lines.First
		if v.Count == 0 && n > 0 {
			v.First = "L" + lineID(n)
		}
		v.Count += 1 + f.More
		if n >= 1 && n <= len(v.Lines) {
			v.Lines[n-1].Findings = append(v.Lines[n-1].Findings, one)
		} else {
			v.Findings = append(v.Findings, one)
		}
	}
}

func splitLines(doc *handoff.Document) []string {
	list := make([]string, doc.NumLines())
	for i := range list {
		list[i] = doc.Line(i + 1)
	}
	for len(list) > 0 && strings.TrimSpace(list[len(list)-1]) == "" {
		list = list[:len(list)-1]
	}
	return list
}

// linesOf are the lines of a document, with what each is.
func linesOf(doc *handoff.Document) []line {
	kinds := kindsOf(doc)
	unseen := hidden.Text(doc)
	var list []line
	for i, text := range splitLines(doc) {
		at := doc.Offset(i + 1)
		l := line{ID: lineID(i + 1), Number: i + 1, Kind: kinds[i+1]}
		l.Pieces = piecesOf(text, l.Kind, func(n int) bool {
			return slices.ContainsFunc(unseen, func(p hidden.Piece) bool { return p.From <= at+n && at+n < p.To })
		})
		list = append(list, l)
	}
	return list
}

// kindsOf is what the lines of a document are, by number.
func kindsOf(doc *handoff.Document) []string {
	kinds := make([]string, doc.NumLines()+2)
	set := func(in handoff.Lines, kind string) {
		for n := max(in.First, 1); n <= in.Last && n < len(kinds); n++ {
			kinds[n] = kind
		}
	}
	for s := range doc.Parts {
		for _, item := range s.Items {
			set(item.Lines, "item")
		}
		for _, b := range s.Blocks {
			if b.Kind == handoff.Subheading {
				set(b.Lines, "h3")
			}
		}
		for _, f := range s.Fences {
			set(f.Lines, "code")
		}
		if s.Heading.Level > 0 {
			set(s.Heading.Lines, "h2")
		}
	}
	if doc.Front != nil {
		set(doc.Front.Lines, "front")
	}
	set(doc.Title.Lines, "h1")
	for _, c := range doc.Comments {
		if c.Alone {
			set(c.Lines, "comment")
		}
	}
	return kinds
}

// piecesOf splits a line where its look changes. hid reports whether a byte is part of
// what Markdown would not show.
func piecesOf(text, kind string, hid func(int) bool) (list []piece) {
	inCode, inBold := false, false
	add := func(kind, part, name string) {
		if n := len(list); n > 0 && list[n-1].Kind == kind && name == "" && list[n-1].Name == "" {
			list[n-1].Text += part
			return
		}
		list = append(list, piece{kind, part, name})
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		part, look := text[i:i+size], ""
		if kind != "code" && r == '`' {
			inCode = !inCode
		}
		if kind != "code" && !inCode && strings.HasPrefix(text[i:], "**") {
			inBold = !inBold
			part, size = "**", 2
		}
		switch {
		case inCode || r == '`' && kind != "code":
			look = "code"
		case inBold || part == "**" && size == 2:
			look = "bold"
		}
		switch shown := visible.Line(part); {
		case shown != part || visible.Name(r) != "" && !visible.Innocent(text, i, r, size):
			if shown == part {
				shown = fmt.Sprintf(`\u%04x`, r)
			}
			add("hid", shown, nameOf(r))
		case hid(i):
			add("hid", part, "")
		default:
			add(look, part, "")
		}
		i += size
	}
	return list
}

func nameOf(r rune) string {
	if name := visible.Name(r); name != "" {
		return name
	}
	return fmt.Sprintf("U+%04X", r)
}
