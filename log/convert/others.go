package convert

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/templates"
)

// Forms of other tools: the document of the compound-engineering plugin, whose
// frontmatter has its subject, and the packet of t3code in the answer of an agent.
const (
	CE Form = "ce-handoff/v1"
	T3 Form = "t3-handoff:1"
)

// The marks of a T3 packet.
const (
	openT3  = "<!-- t3-handoff:1 -->"
	closeT3 = "<!-- /t3-handoff -->"
)

// Headings under which a form keeps what it has no place for: the frontmatter of a CE
// document, the text around a T3 packet, and the frontmatter of ours.
const (
	keptFront  = "Frontmatter of ce-handoff/v1"
	keptAround = "Text around t3-handoff:1"
	keptOwn    = "Frontmatter of handoff"
)

// FormOf recognizes a Markdown text of another tool. ok is false for any other text.
func FormOf(text string) (f Form, ok bool) {
	if front, _, ok := cutFront(text); ok && ceFields(front).Contract == string(CE) {
		return CE, true
	}
	if _, rest, ok := strings.Cut(text, openT3); ok && strings.Contains(rest, closeT3) {
		return T3, true
	}
	return gsdForm(text)
}

// FromOther reads a text that FormOf recognizes.
func FromOther(f Form, text string) Handoff {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if f == GSD || f == GSDState {
		return fromGSD(f, text)
	}
	h := Handoff{Form: f, original: text}
	doc, words := (*handoff.Document)(nil), task.Custom()
	var kept section
	switch f {
	case CE:
		front, body, _ := cutFront(text)
		fields := ceFields(front)
		h.Time, _ = time.Parse(time.RFC3339, fields.Created)
		doc, kept = parse.Document([]byte(body)), section{heading: keptFront, body: fenced(trimLines(front), "yaml")}
		if words.Adapt(doc); doc.Section(handoff.NextAction) == nil {
			h.Next = trimLines(fields.Focus)
		}
		h.Title = fields.Title
	case T3:
		before, rest, _ := strings.Cut(text, openT3)
		packet, after, _ := strings.Cut(rest, closeT3)
		words.Headings = append([]task.Heading{{Kind: handoff.CurrentState, Words: []string{"Outcome"}}, {Kind: handoff.NextAction, Words: []string{"Next task"}}}, words.Headings...)
		doc = parse.Document([]byte(packet))
		words.Adapt(doc)
		if around := trimLines(trimLines(before) + "\n\n" + trimLines(after)); around != "" {
			kept = section{heading: keptAround, body: fenced(around, "markdown")}
		}
	}
	h.Text = Headed(doc)
	title := map[Form]string{CE: h.Title, T3: "Handoff"}[f] // kept in the frontmatter, or always the same
	if doc.Title.Text == title {
		h.Text = strings.TrimPrefix(strings.TrimLeft(h.Text, "\n"), "# "+title+"\n")
	}
	if kept.body != "" {
		h.Text = trimLines(h.Text) + "\n\n" + kept.markdown() + "\n"
	}
	h.ownFacts()
	return h
}

// ce are the fields of the frontmatter of a CE document that are read.
type ce struct {
	Contract string `yaml:"artifact_contract"`
	Created  string `yaml:"created_at"`
	Title    string `yaml:"title"`
	Focus    string `yaml:"resume_focus"`
}

func ceFields(front string) (f ce) {
	if len(front) > maxFront || yaml.Unmarshal([]byte(front), &f) != nil {
		return ce{}
	}
	return f
}

// maxFront is the most bytes of frontmatter that are read.
const maxFront = 64 << 10

// cutFront separates the frontmatter of a text, without its fences.
func cutFront(text string) (front, body string, ok bool) {
	rest, ok := strings.CutPrefix(strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n"), "---\n")
	if !ok {
		return "", text, false
	}
	front, body, ok = strings.Cut(rest, "\n---\n")
	if !ok {
		front, ok = strings.CutSuffix(rest, "\n---")
	}
	return front, body, ok
}

// Headed is the text of a document without its frontmatter, in which each first section
// of a kind has the heading of our own template.
func Headed(doc *handoff.Document) string {
	var b strings.Builder
	at := 1
	if doc.Front != nil {
		at = doc.Front.Lines.Last + 1
	}
	seen := map[handoff.Kind]bool{}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		b.WriteString(doc.Source[doc.Offset(at):doc.Offset(s.Lines.First)])
		at = s.Lines.First
		if s.Kind == handoff.Other || seen[s.Kind] || s.Spelling == handoff.Exact && s.Form == handoff.Hash && handoff.SpecOf(s.Kind).Heading == s.Heading.Text {
			continue
		}
		seen[s.Kind] = true
		b.WriteString("## " + ownHeading(s) + "\n")
		if s.Inline != "" {
			b.WriteString(s.Inline + "\n")
		}
		at = s.Heading.Lines.Last + 1
	}
	b.WriteString(doc.Source[doc.Offset(at):])
	return b.String()
}

// ownHeading is the template's heading, with the remark in parentheses of the author's.
func ownHeading(s *handoff.Section) string {
	spec := handoff.SpecOf(s.Kind)
	if kind, _ := handoff.KindOf(s.Heading.Text); kind == s.Kind && strings.HasSuffix(s.Heading.Text, ")") {
		return strings.ReplaceAll(s.Heading.Text, "\n", " ")
	}
	return spec.Heading
}

// own are the fields of our frontmatter that other forms have no place for.
type own struct {
	Task    int    `yaml:"task,omitempty"`
	Phase   int    `yaml:"phase,omitempty"`
	Thread  string `yaml:"thread,omitempty"`
	Seq     *int64 `yaml:"seq,omitempty"`
	Profile string `yaml:"profile,omitempty"`
}

// ownFacts reads the section in which another form kept our frontmatter.
func (h *Handoff) ownFacts() {
	text, body, ok := cutKept(h.Text, keptOwn)
	if !ok {
		return
	}
	var f own
	if yaml.Unmarshal([]byte(body), &f) != nil || f.Task < 0 || f.Task > handoff.MaxTask || f.Phase < 0 || f.Phase > handoff.MaxPhase {
		return // changed by hand: the section stays
	}
	h.Text, h.Task, h.Phase = text, f.Task, f.Phase
	h.Profile = f.Profile
	if f.Thread != "" {
		h.Cut = &bundle.ThreadRef{ThreadID: f.Thread}
		if f.Seq != nil && *f.Seq >= 0 {
			h.Cut.Seq = uint64(*f.Seq)
		}
	}
}

// cutKept removes a section with a heading and returns the text between its fences.
func cutKept(text, heading string) (rest, body string, ok bool) {
	doc := parse.Document([]byte(text))
	for i := range doc.Sections {
		s := &doc.Sections[i]
		if s.Heading.Text != heading || len(s.Fences) != 1 || !s.Fences[0].Closed {
			continue
		}
		rest = trimLines(text[:doc.Offset(s.Lines.First)])
		if after := trimLines(text[doc.Offset(s.Lines.Last+1):]); after != "" {
			rest = trimLines(rest + "\n\n" + after)
		}
		return rest + "\n", doc.Text(s.Fences[0].Body), true
	}
	return text, "", false
}

// Other writes the handoff in the form of another tool. now is the time of writing, for a
// handoff that has none. The error is handoff.ErrInvalid if the form cannot have it.
func (h *Handoff) Other(f Form, now time.Time) (text string, lost []Lost, err error) {
	if h.Form == f && h.original != "" {
		return h.original, nil, nil
	}
	from := *h
	heading := map[Form]string{CE: keptFront, T3: keptAround, GSD: keptGSD, GSDState: keptState}[f]
	rest, kept, isKept := cutKept(from.Text, heading)
	from.Text = rest
	if f == GSD || f == GSDState {
		from.cutTitle(parse.Document([]byte(rest))) // it has its own place
		from.Title = ""
	}
	v, lost := from.Document()
	facts := own{Task: h.Task, Phase: h.Phase, Thread: v.Thread, Seq: v.Seq, Profile: v.Profile}
	if facts != (own{}) {
		if src, err := yaml.Marshal(facts); err == nil {
			v.More = append(v.More, templates.Section{Heading: keptOwn, Body: fenced(trimLines(string(src)), "yaml")})
		}
	}
	v.Thread, v.Seq, v.Profile = "", nil, ""
	names := map[handoff.Kind]string{}
	for _, spec := range handoff.Sections {
		names[spec.Kind] = spec.Name()
	}
	if v.Headings != nil {
		for kind, name := range v.Headings {
			names[kind] = name
		}
	}
	v.Headings = names
	lost = without(lost, "time", f != T3 && !h.Time.IsZero())
	next := plainLine(strings.TrimSpace(v.Bodies[handoff.NextAction] + v.NextAction))
	switch f {
	case CE:
		if v.Title = plainLine(ceFields(kept).Title); v.Title == "" {
			v.Title = title(h)
		}
		v.Front = strings.Split(kept, "\n")
		if !isKept {
			v.Front = h.ceFront(v.Title, next, now)
		}
	case T3:
		if next == "" {
			return "", nil, fmt.Errorf("%w: a %s needs a next task: add a section %q to the handoff", handoff.ErrInvalid, T3, handoff.NextAction)
		}
		v.Title, v.Order = "Handoff", []handoff.Kind{handoff.CurrentState, handoff.NextAction}
		names[handoff.CurrentState], names[handoff.NextAction] = "Outcome", "Next task"
	case GSDState:
		v.Title = title(h)
	case GSD:
		v.Title = title(h)
		if v.Front = strings.Split(kept, "\n"); !isKept {
			v.Front = h.gsdFront(now)
		}
	}
	src, err := templates.Render(v, "", false)
	if err != nil {
		return "", nil, err
	}
	text = string(src)
	switch f {
	case GSD:
		text = tagged(text)
	case GSDState:
		text, err = h.gsdState(text, kept, next, now)
		return text, lost, err
	}
	if f == T3 {
		if strings.Contains(text, openT3) || strings.Contains(text, closeT3) {
			return "", nil, fmt.Errorf("%w: the text contains the mark of a %s, which would end it", handoff.ErrInvalid, T3)
		}
		text = openT3 + "\n" + text + closeT3 + "\n"
		if isKept {
			text = text + "\n" + kept + "\n"
		}
	}
	return text, lost, nil
}

func title(h *Handoff) string {
	title, _, _ := read(h.Text)
	switch {
	case h.Title != "":
		return plainLine(h.Title)
	case title != "" && !h.titled(title):
		return plainLine(title)
	case h.Task > 0 && h.Phase > 0:
		return fmt.Sprintf("Handoff of task %d, phase %d", h.Task, h.Phase)
	}
	return "Handoff"
}

// ceFront are the lines of the frontmatter of a new CE document. What only the
// repository knows (branch, commits) is left out.
func (h *Handoff) ceFront(title, next string, now time.Time) []string {
	at := h.Time
	if at.IsZero() {
		at = now
	}
	keywords := `["handoff"`
	if h.Task > 0 {
		keywords += fmt.Sprintf(`, "task-%d"`, h.Task)
	}
	lines := []string{`artifact_contract: "ce-handoff/v1"`, "created_at: " + strconv.Quote(at.UTC().Format(time.RFC3339)), "title: " + quoted(title),
		"summary: " + quoted(next), "keywords: " + keywords + "]"}
	if next != "" {
		lines = append(lines, "resume_focus: "+quoted(next))
	}
	return lines
}

// quoted is a text in double quotes, as JSON and YAML have it.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", " ").Replace(s) + `"`
}

// plainLine is a text on one line, without control characters.
func plainLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f || r == 0xfeff || 0x80 <= r && r < 0xa0 {
			return -1
		}
		return r
	}, strings.Join(strings.Fields(s), " "))
}

func without(lost []Lost, field string, drop bool) []Lost {
	if !drop {
		return lost
	}
	var rest []Lost
	for _, l := range lost {
		if l.Field != field {
			rest = append(rest, l)
		}
	}
	return rest
}

// fenced puts text between fences that are longer than any run of backticks in it.
func fenced(text, info string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + text + "\n" + fence
}
