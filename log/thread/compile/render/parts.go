package render

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/internal/text/inert"
	"handoff/internal/text/prose"
	"handoff/internal/text/visible"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// Part is one item of a bundle as text, for any provider.
type Part struct {
	Item  int    // index in the bundle's items
	Role  string // one of [bundle.Roles]
	Label string // what it is; contains no line break
	Text  string
}

// Parts returns the bundle's items as text. Summaries, handoff bundles and
// references become messages of the role system, as RIP renders summaries. Items
// that are unknown or unusable are left out with a note; a missing artifact, or one
// of another kind, is an error. A model reads what people cannot see, so invisible
// characters are removed with a note, and control characters are escaped.
func Parts(c bundle.Context, o Options) ([]Part, []Note, error) {
	var parts []Part
	var notes []Note
	for i, item := range c.Items {
		p, err := partOf(item, o)
		if why := unusable(""); errors.As(err, &why) {
			notes = append(notes, Note{i, "left out: " + string(why)})
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("item %d (%s): %w", i, TypeOf(item), err)
		}
		p.Item = i
		clean, removed := visible.Model(p.Text)
		if p.Text = clean; removed > 0 {
			notes = append(notes, Note{i, "taken out: " + prose.Count(removed, "invisible character")})
		}
		parts = append(parts, p)
	}
	return parts, notes, nil
}

// TypeOf is the item's "type".
func TypeOf(item bundle.Item) string {
	switch item := item.(type) {
	case bundle.Message:
		return "message"
	case bundle.SummaryRef:
		return "summary_ref"
	case bundle.OtherItem:
		return item.Type
	}
	return ""
}

// unusable is why an item cannot be rendered, although no artifact is missing.
type unusable string

func (u unusable) Error() string { return string(u) }

func partOf(item bundle.Item, o Options) (Part, error) {
	switch item := item.(type) {
	case bundle.Message:
		return Part{Role: item.Role, Label: messageLabel(item), Text: item.Content + failure(item)}, nil
	case bundle.SummaryRef:
		return summaryPart(item, o)
	case bundle.OtherItem:
		switch item.Type {
		case "handoff_bundle_ref":
			return handoffPart(item, o)
		case "artifact_ref":
			return artifactPart(item, o)
		case "file_ref":
			return filePart(item)
		case "thread_ref":
			return threadPart(item)
		case "tool_side_effect_ref":
			return sideEffectPart(item)
		}
	}
	return Part{}, unusable(fmt.Sprintf("unknown item type %q", TypeOf(item)))
}

// FailedField is the field of a message with the reason for which the run of an answer failed. No version of the schema has it yet.
const FailedField = "run_failed"

// failure says after an answer that its run failed: what is there may be a part of it.
func failure(m bundle.Message) string {
	reason, _ := field[string](bundle.OtherItem{Fields: m.Extra}, FailedField)
	if reason == "" {
		return ""
	}
	kind := ""
	for _, known := range []string{"exit status ", "signal: "} { // else words of the bundle could speak here
		if rest, ok := strings.CutPrefix(reason, known); ok {
			kind, reason = known, strings.TrimSuffix(rest, " (core dumped)")
		}
	}
	return "\n[the run of this answer failed: " + kind + inert.Name(reason, "its reason is not shown") + "]"
}

// hiddenName is written instead of a name that could be read as a sentence of ours.
const hiddenName = "a name that is not shown"

func messageLabel(m bundle.Message) string {
	label := "message, role " + m.Role
	for _, extra := range []struct {
		name  string
		value *string
	}{{"actor", m.ActorID}, {"origin", m.Origin}} {
		if extra.value != nil {
			label += ", " + extra.name + " " + strconv.Quote(inert.Name(*extra.value, hiddenName))
		}
	}
	if m.ThreadSeq != nil {
		label += ", event " + strconv.FormatUint(*m.ThreadSeq, 10)
	}
	if thread := ThreadOf(m); thread != "" {
		label += " of thread " + strconv.Quote(inert.Name(thread, hiddenName))
	}
	return label
}

// ThreadOf is the thread of a message if it is not the bundle's: the field
// "thread_id", which no version of the schema has yet.
func ThreadOf(m bundle.Message) string {
	thread, _ := field[string](bundle.OtherItem{Fields: m.Extra}, "thread_id")
	return thread
}

// summaryPart renders a summary exactly as RIP does.
func summaryPart(s bundle.SummaryRef, o Options) (Part, error) {
	src, err := get(s.ArtifactID, o)
	if err != nil {
		return Part{}, err
	}
	summary, err := bundle.ParseSummary(src)
	if err != nil {
		return Part{}, fmt.Errorf("%s: not a %s: %w", s.ArtifactID, bundle.SummarySchema, err)
	}
	text := "Compaction summary (earlier context)\n"
	if s.Note != nil {
		text += *s.Note + "\n"
	}
	return Part{Role: "system", Label: "compaction summary", Text: text + summary.SummaryMarkdown}, nil
}

func handoffPart(i bundle.OtherItem, o Options) (Part, error) {
	id, err := idField(i)
	if err != nil {
		return Part{}, err
	}
	src, err := get(id, o)
	if err != nil {
		return Part{}, err
	}
	h, err := bundle.ParseHandoff(src)
	if err != nil {
		return Part{}, fmt.Errorf("%s: not a %s: %w", id, bundle.HandoffSchema, err)
	}
	return Part{Role: "system", Label: "handoff summary", Text: HandoffText(h.SummaryMarkdown)}, nil
}

// HandoffText is the summary of a handoff with a heading: a report to check, because
// its author can no longer be asked.
func HandoffText(summaryMarkdown string) string {
	return "Handoff summary (report from an earlier thread)\n" + summaryMarkdown
}

func artifactPart(i bundle.OtherItem, o Options) (Part, error) {
	id, err := idField(i)
	if err != nil {
		return Part{}, err
	}
	text, err := withContent("Artifact reference", i, "artifact_id", "mime", "note")
	if err != nil || o.InlineBytes <= 0 || i.Has("content") {
		return Part{Role: "system", Label: "artifact reference", Text: text}, err
	}
	content, err := get(id, o)
	if err != nil {
		return Part{}, err
	}
	switch {
	case len(content) > o.InlineBytes:
		text += fmt.Sprintf("\ncontent: %d bytes, more than the %d that are shown", len(content), o.InlineBytes)
	case !utf8.Valid(content):
		text += fmt.Sprintf("\ncontent: %d bytes, not text", len(content))
	default:
		text += contentText(string(content))
	}
	return Part{Role: "system", Label: "artifact reference", Text: text}, nil
}

// contentText is a text in a reference, as data.
func contentText(content string) string {
	mark := markFor(content)
	return fmt.Sprintf("\ncontent: %d bytes of data between the two lines with %s\n%s", len(content), mark, fenced(mark, "content", content))
}

// withContent are lines, and the text that the context includes, or why it does not.
func withContent(heading string, i bundle.OtherItem, names ...string) (string, error) {
	text, err := lines(heading, i, names...)
	if err != nil {
		return "", err
	}
	missing, err := field[string](i, "content_missing")
	if missing != "" {
		text += "\ncontent: not included: " + readable(missing)
	}
	content, contentErr := field[string](i, "content")
	if content != "" {
		text += contentText(content)
	}
	return text, cmp.Or(err, contentErr)
}

// threadPart refers to another thread, whose context up to the cut is the content.
func threadPart(i bundle.OtherItem) (Part, error) {
	text, err := withContent("Thread reference (another conversation)", i, "thread_id", "message_id", "note")
	for _, f := range i.Fields {
		if f.Name == "seq" && err == nil {
			text = strings.Replace(text, "\n", "\nup to event: "+readable(string(f.Value))+"\n", 1)
		}
	}
	return Part{Role: "system", Label: "thread reference", Text: text}, err
}

func filePart(i bundle.OtherItem) (Part, error) {
	path, err := field[string](i, "path")
	if err != nil {
		return Part{}, err
	}
	if !bundle.ValidPath(path) {
		return Part{}, unusable(fmt.Sprintf("%s is not a path in the workspace", readable(path)))
	}
	text, err := withContent("File reference", i, "path", "checkpoint_id", "note")
	return Part{Role: "system", Label: "file reference", Text: text}, err
}

func sideEffectPart(i bundle.OtherItem) (Part, error) {
	text, err := lines("Side effects of a tool", i, "run_session_id", "tool_id", "checkpoint_id")
	if err != nil {
		return Part{}, err
	}
	paths, err := field[[]string](i, "affected_paths")
	if err != nil {
		return Part{}, err
	}
	for _, p := range paths {
		text += "\nchanged: " + readable(p)
	}
	return Part{Role: "system", Label: "side effects of a tool", Text: text}, nil
}

// lines is a heading and a line for each of the named fields that is set.
func lines(heading string, i bundle.OtherItem, names ...string) (string, error) {
	text := heading
	for _, name := range names {
		v, err := field[string](i, name)
		if err != nil {
			return "", err
		}
		if v != "" {
			text += "\n" + name + ": " + readable(v)
		}
	}
	return text, nil
}

// field is the field's value; the zero value if it is missing or null.
func field[T string | []string](i bundle.OtherItem, name string) (v T, err error) {
	for _, f := range i.Fields {
		if f.Name == name && json.Unmarshal(f.Value, &v) != nil {
			return v, unusable(fmt.Sprintf("%s is not of type %T", name, v))
		}
	}
	return v, nil
}

func idField(i bundle.OtherItem) (artifact.ID, error) {
	text, err := field[string](i, "artifact_id")
	if err != nil {
		return artifact.ID{}, err
	}
	id, err := artifact.ParseID(text)
	if err != nil {
		return id, unusable("artifact_id: " + err.Error())
	}
	return id, nil
}

func get(id artifact.ID, o Options) ([]byte, error) {
	if o.Artifact == nil {
		return nil, fmt.Errorf("artifact %s: no store to read it from", id)
	}
	src, err := o.Artifact(id)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", id, err)
	}
	return src, nil
}

// readable is a name or a text of somebody else on one line: quoted with escapes, unless it
// cannot be read as a sentence.
func readable(s string) string {
	if inert.Safe(s) {
		return s
	}
	return strconv.Quote(s)
}
