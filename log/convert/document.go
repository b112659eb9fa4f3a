package convert

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/templates"
)

// FromDocument reads a document; b is its bundle.
func FromDocument(doc *handoff.Document, name handoff.Name, path string, b bundle.Handoff) Handoff {
	h := FromBundle(b)
	h.Form, h.Path, h.Time = Document, path, writtenAt(name)
	h.Task, h.Phase = name.Task, name.Phase
	if next, _ := nextOf(doc); next != "" && h.bundle != nil {
		h.Next = next // also under the headings that a layout defines
	}
	f := doc.Front
	if f == nil {
		return h
	}
	if h.Task == 0 {
		h.Task = f.Task
	}
	if n, err := strconv.Atoi(f.Phase); err == nil && h.Phase == 0 {
		h.Phase = n
	}
	if f.Profile != "handoff" { // the default
		h.Profile = f.Profile
	}
	var l losses
	for _, a := range f.Allow {
		l.of(true, "lint: "+a.Rule, "a document's constraints are in that document")
	}
	h.lost = l.list
	return h
}

// Document returns the values of a new document, and what is lost. Unknown tasks
// and phases are 0, unknown sections are missing, and its time is not set.
func (h *Handoff) Document() (v templates.Values, lost []Lost) {
	l := losses{list: slices.Clone(h.lost)}
	v = templates.Values{Task: h.Task, Phase: h.Phase, Profile: h.Profile, Bodies: map[handoff.Kind]string{}}
	if cut := h.cut(); cut != nil {
		v.Thread = cut.ThreadID
		if cut.Seq <= math.MaxInt64 {
			v.Seq = new(int64(cut.Seq))
		}
		l.of(cut.MessageID != nil, "refs.threads: message_id", "a document names the thread and the event")
	}
	title, preamble, sections := read(h.Markdown())
	h.fill(&v, sections, &l)
	if h.titled(title) {
		title = ""
	}
	h.before(&v, title, preamble)
	l.of(h.named(), "name", "a new document gets the title of its phase")
	h.refer(&v, &l)
	l.retold(h)
	l.handover(h)
	for _, f := range h.Fields {
		l.of(true, f.Name, "a document has no place for it")
	}
	l.asked(h)
	_, named := handoff.ParseName(h.Path).Moment()
	l.of(named || !h.Time.IsZero(), "time", "a new document gets the time at which it is written")
	return v, append(l.list, misread(v)...)
}

// DocumentWith is [Handoff.Document] with the values of over where it has some.
func (h *Handoff) DocumentWith(over templates.Values) (templates.Values, []Lost) {
	v, lost := h.Document()
	v.Task, v.Phase = cmp.Or(over.Task, v.Task), cmp.Or(over.Phase, v.Phase)
	v.NextAction = over.NextAction
	v.State.File, v.State.Location = over.State.File, over.State.Location
	if over.State.Goal != "" {
		if v.State.Goal != "" { // the handoff's own text is kept as the section's body
			v.Bodies[handoff.CurrentState] = v.State.Goal
		}
		v.State.Goal = over.State.Goal
	}
	v.Decisions, v.Deviations, v.DeadEnds, v.Context = over.Decisions, over.Deviations, over.DeadEnds, over.Context
	v.Understand, v.WaitingFor, v.Background = over.Understand, over.WaitingFor, over.Background
	if over.References != nil {
		v.References = over.References
	}
	if over.Thread != "" {
		v.Thread, v.Seq = over.Thread, over.Seq
	}
	v.Profile = cmp.Or(over.Profile, v.Profile)
	return v, lost
}

// titled reports whether a title is like the one that a new document gets.
func (h *Handoff) titled(title string) bool {
	rest, ok := strings.CutPrefix(title, "Phase ")
	phase, stamp, handedOff := strings.Cut(rest, " Handoff")
	if n, err := strconv.Atoi(phase); !ok || !handedOff || err != nil || h.Phase > 0 && n != h.Phase {
		return false
	}
	_, err := time.Parse(" - "+handoff.Stamp, stamp)
	return stamp == "" || err == nil
}

// fill sets the bodies of the sections. If a section occurs twice, both bodies are
// kept, except those that a next action from outside the text replaces.
func (h *Handoff) fill(v *templates.Values, sections []section, l *losses) {
	next := h.separateNext()
	v.Headings = headings(sections)
	for _, s := range sections {
		switch {
		case s.kind == handoff.Other:
			v.More = append(v.More, templates.Section{Heading: s.heading, Body: s.body})
		case s.kind == handoff.NextAction && next != "" && s.body != next:
			l.of(s.body != "", "the next action of the text", "a separate one is given as well")
		default:
			v.Bodies[s.kind] = trimLines(v.Bodies[s.kind] + "\n\n" + s.body)
		}
	}
	if next == "" && v.Bodies[handoff.NextAction] == "" {
		next = trimLines(h.Next) // of a label or a line, which stays where it is
	}
	if next != "" {
		v.Bodies[handoff.NextAction] = next
	}
}

// headings are those with an author's remark in parentheses: "Current State (as of
// noon)".
func headings(sections []section) map[handoff.Kind]string {
	said := map[handoff.Kind][]string{}
	for _, s := range sections {
		open := strings.LastIndexByte(s.heading, '(')
		if s.kind == handoff.Other || open <= 0 || !strings.HasSuffix(s.heading, ")") {
			continue
		}
		words, known := s.heading[open+1:len(s.heading)-1], strings.ToLower(handoff.SpecOf(s.kind).Heading)
		if !strings.Contains(known, "("+strings.ToLower(words)+")") && strings.TrimSpace(words) != "" {
			said[s.kind] = append(said[s.kind], words)
		}
	}
	list := map[handoff.Kind]string{}
	for kind, words := range said {
		list[kind] = handoff.SpecOf(kind).Name() + " (" + strings.Join(words, "; ") + ")"
	}
	return list
}

// before adds the title and the text before the sections to the current state.
func (h *Handoff) before(v *templates.Values, title, preamble string) {
	state := v.Bodies[handoff.CurrentState]
	if title == "" && state == "" && !strings.Contains(preamble, "\n") {
		v.State.Goal = preamble
		return
	}
	parts := slices.DeleteFunc([]string{paragraph(title), preamble, state}, func(s string) bool { return s == "" })
	v.Bodies[handoff.CurrentState] = strings.Join(parts, "\n\n")
}

// paragraph escapes the text of a heading that would begin a heading, code or HTML
// if it were a line of its own: "# ## Other".
func paragraph(heading string) string {
	for _, opens := range []string{"#", "```", "~~~", "<"} {
		if strings.HasPrefix(heading, opens) {
			return `\` + heading
		}
	}
	return heading
}

// refer writes the section of references, if the text has none.
func (h *Handoff) refer(v *templates.Values, l *losses) {
	has := v.Bodies[handoff.References] != ""
	why := "a document refers only to what its text mentions"
	for i, t := range h.Refs.Threads {
		l.of(!hasNote(t.Note, sourceCut), fmt.Sprintf("refs.threads[%d]", i), "a document names one thread, that of its source cut")
	}
	add := func(field, what string, n *string) {
		if strings.Contains(h.Text, what) {
			return
		}
		if has {
			l.of(true, field, why)
			return
		}
		if n != nil && *n != "" {
			what += " (" + *n + ")"
		}
		v.References = append(v.References, what)
	}
	for i, f := range h.Refs.Files {
		if hasNote(f.Note, documentNote) && f.Path == h.Path && h.Path != "" {
			continue
		}
		add(fmt.Sprintf("refs.files[%d]", i), f.Path, f.Note)
	}
	for i, a := range h.Refs.Artifacts {
		add(fmt.Sprintf("refs.artifacts[%d]", i), "artifact "+a.ID.String(), a.Note)
	}
}

// misread reports sections that would not be parsed as intended: unclosed code
// swallows what comes after it.
func misread(v templates.Values) []Lost {
	src, err := templates.Render(v, "", false)
	if err != nil {
		return []Lost{{"text", err.Error(), ""}}
	}
	var l losses
	doc := parse.Document(src)
	for _, spec := range handoff.Sections {
		want, given := v.Bodies[spec.Kind]
		if s := doc.Section(spec.Kind); given && want != "" && (s == nil || !strings.HasSuffix(bodyOf(doc, s), want)) {
			l.of(true, "the section "+spec.Name(), "it would not be parsed as written")
		}
	}
	return l.list
}
