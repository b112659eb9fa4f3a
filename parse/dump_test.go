package parse

import (
	"fmt"
	"strings"

	"handoff/document/handoff"
)

var kindNames = [...]string{"paragraph", "list", "fence", "indented", "quote", "html", "heading", "break"}
var formNames = [...]string{"hash", "underline", "bold"}
var spellingNames = [...]string{"exact", "bare", "misspelled", "translated", "unknown"}
var problemNames = [...]string{"front", "encoding", "deep", "unclosed"}

// dump prints everything parsed from a document, one fact a line, for goldens.
func dump(d *handoff.Document) string {
	var b strings.Builder
	if f := d.Front; f != nil {
		fmt.Fprintf(&b, "front %s task=%d phase=%q thread=%q profile=%q", span(f.Lines), f.Task, f.Phase, f.Thread, f.Profile)
		if f.Seq != nil {
			fmt.Fprintf(&b, " seq=%d", *f.Seq)
		}
		b.WriteString("\n")
		for _, a := range f.Allow {
			fmt.Fprintf(&b, "  allow %d %q: %q\n", a.Line, a.Rule, a.Reason)
		}
	}
	if d.Title.Level > 0 {
		fmt.Fprintf(&b, "title %s %q\n", span(d.Title.Lines), d.Title.Text)
	}
	if d.Preamble.Lines.First > 0 {
		fmt.Fprintf(&b, "preamble %s\n", span(d.Preamble.Lines))
		dumpParts(&b, &d.Preamble)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		fmt.Fprintf(&b, "section %s %q %s %s %s heading %s body %s", span(s.Lines), s.Heading.Text, s.Kind,
			spellingNames[s.Spelling], formNames[s.Form], span(s.Heading.Lines), span(s.Body))
		if s.Inline != "" {
			fmt.Fprintf(&b, " inline %q", s.Inline)
		}
		b.WriteString("\n")
		dumpParts(&b, s)
	}
	for _, c := range d.Comments {
		fmt.Fprintf(&b, "comment %s col %d alone=%t %q\n", span(c.Lines), c.Col, c.Alone, c.Text)
	}
	for _, p := range d.Problems {
		fmt.Fprintf(&b, "problem %s %d:%d %s\n", problemNames[p.Kind], p.Line, p.Col, p.Text)
	}
	return b.String()
}

func dumpParts(b *strings.Builder, s *handoff.Section) {
	for _, k := range s.Blocks {
		level := ""
		if k.Level > 0 {
			level = fmt.Sprint(" ", k.Level)
		}
		fmt.Fprintf(b, "  %s%s %s\n", kindNames[k.Kind], level, span(k.Lines))
	}
	for _, it := range s.Items {
		number := ""
		if it.Marker == '.' || it.Marker == ')' {
			number = fmt.Sprint(it.Number)
		}
		fmt.Fprintf(b, "  item %s depth %d %s%c head %s %q\n", span(it.Lines), it.Depth, number, it.Marker, span(it.Head), it.Text)
	}
	for _, l := range s.Labels {
		fmt.Fprintf(b, "  label %s %q = %q\n", span(l.Lines), l.Name, l.Value)
	}
	for _, f := range s.Fences {
		fmt.Fprintf(b, "  fence %s body %s depth %d closed=%t %q\n", span(f.Lines), span(f.Body), f.Depth, f.Closed, f.Info)
	}
}

func span(l handoff.Lines) string {
	if l.First == 0 && l.Last == 0 {
		return "-"
	}
	return fmt.Sprintf("%d-%d", l.First, l.Last)
}
