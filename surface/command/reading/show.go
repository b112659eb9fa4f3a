package reading

import (
	"bufio"
	"strings"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
)

// showOptions are the options of show.
type showOptions struct {
	path  bool
	color string
}

// Show is the command `handoff show`.
func Show(w *command.Process) *cli.Command {
	o := new(showOptions)
	g := group(w, "print JSON: the fields of ls --json, and the text as document", func(_ *operations.Call, _ handoffops.Place, ref string) (string, error) { return ref, nil })
	g.Usage, g.Takes, g.Missing = command.RefHelp, "needs "+command.WantsHandoff, func(*ops.About) string { return command.WantsHandoff }
	g.Special = map[string]operations.Special[handoffops.Place]{handoffops.Show.Name: operations.Doing(handoffops.Show, o.do).
		WithFlags(func(of []cli.Flag) []cli.Flag {
			return command.Flags(of, &cli.BoolFlag{Name: "path", Destination: &o.path, Usage: "print only its path"}, command.ColourFlag(&o.color))
		})}
	return g.Of(handoffops.Show)
}

func (o *showOptions) do(k *operations.Call, p handoffops.Place, ref string, r ops.None) error {
	s, err := handoffops.Show.On(k, p, ref, r)
	w, here := k.W, s.Path
	if at, local := p.(handoffops.Here); local {
		here = w.Shown(at.Workspace, s.Path)
		sayDoubt(w, s.Doubt, here)
	} else if err == nil && (o.path || k.JSON) { // the server has sent only the text
		var d handoffops.HandoffDetail
		d, err = handoffops.Get.On(k, p, ref, r)
		s.Row, here = d.Row, d.Path
	}
	switch colour := w.Colour(o.color, w.Stdout); {
	case err != nil:
		return err
	case o.path:
		return w.Print(here + "\n")
	case k.JSON:
		return command.WriteJSON(w.Stdout, s)
	case s.Doc == nil, !colour && !command.IsTerminal(w.Stdout):
		return w.Print(s.Document)
	default:
		p := sheet{doc: s.Doc, columns: min(command.Width(w.Stdout, 80), 100), colour: colour}
		out := bufio.NewWriter(command.Painted(w.Stdout)) // the page escapes the text of the document
		p.print(out)
		return out.Flush()
	}
}

// sayDoubt says which of several documents that may be the newest is shown.
func sayDoubt(w *command.Process, doubt, shown string) {
	if doubt != "" {
		w.Say("%s: this is %s", command.Plain(doubt), command.Plain(shown))
	}
}

// sheet formats a document for a terminal: the text is unchanged, headings and
// code are coloured, and long lines are wrapped at their own indentation.
type sheet struct {
	doc     *handoff.Document
	columns int
	colour  bool
}

func (p sheet) print(out *bufio.Writer) {
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
func (p sheet) lines() (headings map[int]int, verbatim map[int]bool) {
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
func (p sheet) spans(line string) string {
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
