package reading

import (
	"bufio"
	"context"
	"strings"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// showOptions are the options of show.
type showOptions struct {
	path, json bool
	color      string
}

// Show is the command `handoff show`.
func Show(w *command.Process) *cli.Command {
	o := new(showOptions)
	return &cli.Command{
		Name:      "show",
		Usage:     "print a handoff, formatted on a terminal",
		UsageText: "handoff show REF [flags]\n\n" + command.RefHelp,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "path", Destination: &o.path, Usage: "print only its path"},
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON: the fields of ls --json, and the text as document"},
			command.ColourFlag(&o.color),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runShow(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runShow(ctx context.Context, w *command.Process, o *showOptions, ws *workspace.Workspace, args command.Arguments) error {
	ref, err := args.Only("show", command.WantsHandoff)
	if err != nil {
		return err
	}
	src, here, err := findHandoff(ctx, w, ws, ref)
	if err != nil {
		return err
	}
	if o.path {
		return w.Print(here + "\n")
	}
	if o.json {
		return command.WriteJSON(w.Stdout, struct {
			documents.Row
			Document string `json:"document"`
		}{rowOf(src), src.Doc.Source})
	}
	colour := w.Colour(o.color, w.Stdout)
	if !colour && !command.IsTerminal(w.Stdout) {
		return w.Print(src.Doc.Source)
	}
	p := page{doc: src.Doc, columns: min(command.Width(w.Stdout, 80), 100), colour: colour}
	out := bufio.NewWriter(command.Painted(w.Stdout)) // the page escapes the text of the document
	p.print(out)
	return out.Flush()
}

// page formats a document for a terminal: the text is unchanged, headings and
// code are coloured, and long lines are wrapped at their own indentation.
type page struct {
	doc     *handoff.Document
	columns int
	colour  bool
}

func (p page) print(out *bufio.Writer) {
	headings, verbatim := p.lines()
	for n := 1; n <= p.doc.NumLines(); n++ {
		line := command.Plain(p.doc.Line(n))
		switch {
		case headings[n] > 0:
			line = command.Styled(p.colour, command.Heading, strings.TrimLeft(line, "# "))
		case verbatim[n]:
			line = command.Styled(p.colour, command.Faint, line)
		default:
			rows := command.Wrap(line, p.columns)
			for i := range rows {
				rows[i] = p.spans(rows[i])
			}
			line = strings.Join(rows, "\n")
		}
		out.WriteString(line)
		out.WriteByte('\n')
	}
}

// lines finds the lines that are headings, with their level, and those that are
// code.
func (p page) lines() (headings map[int]int, verbatim map[int]bool) {
	headings, verbatim = map[int]int{}, map[int]bool{}
	mark := func(s *handoff.Section) {
		for n := s.Heading.Lines.First; n > 0 && n <= s.Heading.Lines.Last && s.Form != handoff.Bold; n++ {
			headings[n] = s.Heading.Level
		}
		for _, f := range s.Fences {
			for n := f.Lines.First; n <= f.Lines.Last; n++ {
				verbatim[n] = true
			}
		}
		for _, b := range s.Blocks {
			for n := b.Lines.First; n <= b.Lines.Last && b.Kind == handoff.Subheading; n++ {
				headings[n] = b.Level
			}
		}
	}
	for n := p.doc.Title.Lines.First; n > 0 && n <= p.doc.Title.Lines.Last; n++ {
		headings[n] = 1
	}
	mark(&p.doc.Preamble)
	for i := range p.doc.Sections {
		mark(&p.doc.Sections[i])
	}
	if p.doc.Front != nil {
		for n := p.doc.Front.Lines.First; n <= p.doc.Front.Lines.Last; n++ {
			verbatim[n] = true
		}
	}
	return headings, verbatim
}

// spans colours code spans and bold text that begin and end on the line.
func (p page) spans(line string) string {
	if !p.colour {
		return line
	}
	var b strings.Builder
	for line != "" {
		mark, look, at := "`", command.Code, strings.IndexByte(line, '`')
		if i := strings.Index(line, "**"); at < 0 || i >= 0 && i < at {
			mark, look, at = "**", command.Bold, i
		}
		if at < 0 {
			break
		}
		inner, rest, closed := strings.Cut(line[at+len(mark):], mark)
		if !closed {
			break
		}
		b.WriteString(line[:at] + command.Styled(p.colour, look, inner))
		line = rest
	}
	return b.String() + line
}
