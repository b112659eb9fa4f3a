package convert

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v4"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/json/jsontext"
	"handoff/parse"
)

// The forms of Get Shit Done, which it writes when work is paused: .continue-here.md, whose parts are in tags, and
// .planning/HANDOFF.json, which its programs read.
const (
	GSD      Form = "gsd"
	GSDState Form = "gsd-json"
)

// Headings under which a document keeps what it has no place for of these forms.
const (
	keptGSD   = "Frontmatter of GSD"
	keptState = "HANDOFF.json of GSD"
)

// gsdTags are the parts of a .continue-here.md that have a section of ours.
var gsdTags = map[handoff.Kind]string{handoff.CurrentState: "current_state", handoff.Decisions: "decisions_made", handoff.Context: "context", handoff.NextAction: "next_action"}

// ownText is the member of a HANDOFF.json with our whole text. Programs of GSD leave it alone.
const ownText = "handoff_markdown"

var nextActionTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?ms)^<(next_action|current_state|remaining_work)>[ \t]*$.*^</(next_action|current_state|remaining_work)>[ \t]*$`)
})

// gsdForm recognizes a text of Get Shit Done.
func gsdForm(text string) (Form, bool) {
	if front, body, ok := cutFront(text); ok && nextActionTag().MatchString(body) && (strings.Contains("\n"+front, "\nlast_updated:") || strings.Contains("\n"+front, "\nstatus:")) {
		return GSD, true
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		return "", false
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members["next_action"] == nil || members["timestamp"] == nil {
		return "", false
	}
	for _, key := range [...]string{"completed_tasks", "remaining_tasks", "total_tasks", ownText} {
		if members[key] != nil {
			return GSDState, true
		}
	}
	return "", false
}

// fromGSD reads a text that gsdForm recognizes.
func fromGSD(f Form, text string) Handoff {
	h := Handoff{Form: f, original: text}
	layout, _ := task.Preset("gsd")
	path := layout.Files[1]
	var kept section
	if f == GSD {
		front, _, _ := cutFront(text)
		h.Time, kept = gsdTime(front), section{heading: keptGSD, body: fenced(trimLines(front), "yaml")}
	} else {
		path = layout.Else[0]
		var state struct {
			Timestamp time.Time `json:"timestamp"`
			Text      string    `json:"handoff_markdown"`
			Next      string    `json:"next_action"`
		}
		_ = json.Unmarshal([]byte(text), &state) // a time of another form is unknown
		h.Time = state.Timestamp
		if own := parse.Document([]byte(state.Text)); state.Text != "" && actionOf(own) == plainLine(state.Next) {
			h.Text = state.Text
			h.cutTitle(own)
			return h
		}
		kept = section{heading: keptState, body: fenced(trimLines(text), "json")}
	}
	doc := parse.Document(layout.Markdown(path, []byte(text)))
	layout.Adapt(doc)
	h.Text = trimLines(Headed(doc)) + "\n\n" + kept.markdown() + "\n"
	h.cutTitle(doc)
	return h
}

// cutTitle takes the title out of the text, and reads what is kept there of our frontmatter.
func (h *Handoff) cutTitle(doc *handoff.Document) {
	if rest, ok := strings.CutPrefix(strings.TrimLeft(h.Text, "\n"), "# "+doc.Title.Text+"\n"); ok && doc.Title.Text != "" {
		h.Text, h.Title = strings.TrimLeft(rest, "\n"), doc.Title.Text
	}
	h.ownFacts()
}

// actionOf is the next action of a document on one line.
func actionOf(doc *handoff.Document) string {
	s := doc.Section(handoff.NextAction)
	if s == nil {
		return ""
	}
	return plainLine(s.Inline + "\n" + doc.Text(s.Body))
}

// gsdTime is the time in the frontmatter of a .continue-here.md.
func gsdTime(front string) (at time.Time) {
	var f struct {
		Updated string `yaml:"last_updated"`
	}
	if len(front) <= maxFront && yaml.Unmarshal([]byte(front), &f) == nil {
		at, _ = time.Parse(time.RFC3339, f.Updated)
	}
	return at
}

func (h *Handoff) written(now time.Time) string {
	if h.Time.IsZero() {
		return now.UTC().Format(time.RFC3339)
	}
	return h.Time.UTC().Format(time.RFC3339)
}

// gsdFront are the lines of the frontmatter of a new .continue-here.md. What only its plan knows (its tasks) is left out.
func (h *Handoff) gsdFront(now time.Time) (lines []string) {
	if h.Phase > 0 {
		lines = append(lines, fmt.Sprintf("phase: %q", strconv.Itoa(h.Phase)))
	}
	return append(lines, "status: paused", "last_updated: "+h.written(now))
}

// tagged puts the sections that GSD has in tags into them.
func tagged(text string) string {
	doc := parse.Document([]byte(text))
	var b strings.Builder
	at := 0
	seen := map[handoff.Kind]bool{}
	for i := range doc.Sections {
		s := &doc.Sections[i]
		tag := gsdTags[s.Kind]
		if tag == "" || seen[s.Kind] || s.Form != handoff.Hash {
			continue
		}
		seen[s.Kind] = true
		b.WriteString(text[at:doc.Offset(s.Lines.First)])
		body := trimLines(text[doc.Offset(s.Heading.Lines.Last+1):doc.Offset(s.Lines.Last+1)])
		fmt.Fprintf(&b, "<%s>\n%s\n</%s>\n", tag, body, tag)
		if at = doc.Offset(s.Lines.Last + 1); i+1 < len(doc.Sections) {
			b.WriteByte('\n')
		}
	}
	b.WriteString(text[at:])
	return b.String()
}

// gsdState writes a HANDOFF.json: the members of the one that the handoff was read from, else those of a new one, and in
// both our text.
func (h *Handoff) gsdState(text, kept, next string, now time.Time) (string, error) {
	if next == "" {
		return "", fmt.Errorf("%w: a %s needs a next action: add a section %q to the handoff", handoff.ErrInvalid, GSDState, handoff.NextAction)
	}
	doc := parse.Document([]byte(text))
	var phase *string
	if h.Phase > 0 {
		phase = new(strconv.Itoa(h.Phase))
	}
	notes := ""
	if s := doc.Section(handoff.Context); s != nil {
		notes = bodyOf(doc, s)
	}
	none, action, own := []any{}, [2]any{"next_action", next}, [2]any{ownText, text}
	state := [][2]any{{"version", "1.0"}, {"timestamp", h.written(now)}, {"phase", phase}, {"phase_name", title(h)}, {"status", "paused"},
		{"completed_tasks", none}, {"remaining_tasks", none}, {"blockers", none}, {"human_actions_pending", none}, {"decisions", decisions(doc)},
		{"uncommitted_files", none}, action, {"context_notes", notes}, own}
	if members, err := jsontext.Sound.Object(kept); err == nil && len(members) > 0 {
		state = nil
		for _, m := range members {
			if m.Name != "next_action" && m.Name != ownText {
				state = append(state, [2]any{m.Name, json.RawMessage(m.Value)})
			}
		}
		state = append(state, action, own)
	}
	var b strings.Builder
	for i, m := range state {
		value, isRaw := m[1].(json.RawMessage) // as it was written
		if !isRaw {
			var err error
			if value, err = jsontext.Marshal(m[1]); err != nil {
				return "", err
			}
		}
		if i > 0 {
			b.WriteString(",\n")
		}
		fmt.Fprintf(&b, "  %q: %s", m[0], value)
	}
	return "{\n" + b.String() + "\n}\n", nil
}

type gsdDecision struct {
	Decision  string `json:"decision"`
	Rationale string `json:"rationale"`
}

// decisions are the items of the section, each cut at its first colon.
func decisions(doc *handoff.Document) []gsdDecision {
	list := []gsdDecision{}
	if s := doc.Section(handoff.Decisions); s != nil {
		for _, it := range s.Items {
			what, why, _ := strings.Cut(plainLine(it.Text), ": ")
			list = append(list, gsdDecision{what, why})
		}
	}
	return list
}
