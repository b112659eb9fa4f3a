package task

import (
	"slices"

	"handoff/document/handoff"
	"handoff/document/words"
)

// presets make the layouts that many repositories have, by their names. To make one takes time, and a search for known
// places asks for one after another.
var presets = [...]struct {
	name   string
	layout func() *Layout
}{{"single", single}, {"thoughts", thoughts}, {"sessions", sessions}, {"gsd", gsd}, {"openspec", openspec}, {"beads", beads}, {"backlog", backlog},
	{"memory-bank", memoryBank}, {"ledger", ledger}, {"progress", progress}}

// Presets are the layouts that many repositories have. Callers get new values, which they
// may change.
func Presets() (all Layouts) {
	for _, p := range presets {
		all = append(all, p.layout())
	}
	return all
}

// Default is the name of the layout of task folders, which needs no Layout.
const Default = "specs"

// Preset is the layout with a name.
func Preset(name string) (l *Layout, ok bool) {
	for _, p := range presets {
		if p.name == name {
			return p.layout(), true
		}
	}
	return nil, false
}

// PresetNames are the names that Preset accepts, and the name of the default.
func PresetNames() []string {
	names := []string{Default}
	for _, p := range presets {
		names = append(names, p.name)
	}
	return names
}

// single is one HANDOFF.md, which each agent replaces.
func single() *Layout {
	return &Layout{
		Name: "single", Files: []string{"HANDOFF.md", "handoff.md", "Handoff.md"}, Names: []string{"HANDOFF.md"}, Chain: ByFolder, Replaces: true,
		Headings: headings(
			Heading{handoff.CurrentState, []string{"Current State"}},
			Heading{handoff.Decisions, []string{"Key Decisions"}},
			Heading{handoff.Deviations, []string{"Deviations from Plan"}},
			Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
			Heading{handoff.Context, []string{"Important Context"}},
			Heading{handoff.References, []string{"References"}},
			Heading{handoff.NextAction, []string{"Next Steps"}},
		),
		Title: "Handoff - {stamp}", Keys: []string{"*"}, Rules: lenient(),
	}
}

// thoughts is the tree of HumanLayer's thoughts: a folder for each ticket.
func thoughts() *Layout {
	const dir = "thoughts/shared/handoffs/"
	return &Layout{
		Name: "thoughts", Files: []string{dir + "**/*.md"},
		Names: []string{dir + "{task}/{time}_{slug}.md", dir + "{task}/{time}.md", dir + "{time}_{slug}.md", dir + "{time}.md",
			dir + "{task}/{time}-{slug}.md", dir + "{time}-{slug}.md", dir + "{task}/{slug}-{time}.md", dir + "{slug}-{time}.md",
			dir + "{task}/{slug}.md", dir + "{slug}.md", dir + "{task}/*/{time}_{slug}.md", dir + "{task}/*/{slug}.md"},
		Headings: headings(
			Heading{handoff.CurrentState, []string{"Task(s)", "Tasks", "Task"}},
			Heading{handoff.References, []string{"Critical References"}},
			Heading{handoff.Decisions, []string{"Key Decisions"}},
			Heading{handoff.Deviations, []string{"Deviations from Plan"}},
			Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
			Heading{handoff.Context, []string{"Learnings"}},
			Heading{handoff.NextAction, []string{"Action Items & Next Steps"}},
		),
		Title: "Handoff: {slug}", Front: []string{"date: {date}", "topic: \"{slug}\"", "tags: [handoff]", "type: handoff"},
		Keys: []string{"*"}, Rules: lenient(),
	}
}

// sessions is a folder with a file for each session.
func sessions() *Layout {
	const dir = "docs/handoffs/"
	return &Layout{
		Name: "sessions", Files: []string{dir + "**/*.md"},
		Names: []string{dir + "{time}-{slug}.md", dir + "{time}_{slug}.md", dir + "{time}.md",
			dir + "session-{time}-{slug}.md", dir + "session-{time}.md", dir + "session-{number}-{slug}.md", dir + "session-{number}.md",
			dir + "session-handoff-{time}.md", dir + "handoff-{time}.md", dir + "handoff-{time}-{slug}.md", dir + "{slug}-{time}.md",
			dir + "*/{time}-{slug}.md", dir + "*/{time}.md", dir + "{slug}.md"},
		Chain: ByFolder,
		Headings: headings(
			Heading{handoff.CurrentState, []string{"Current State", "What Was Done", "What We Did"}},
			Heading{handoff.Decisions, []string{"Decisions"}},
			Heading{handoff.Deviations, []string{"Deviations from Plan"}},
			Heading{handoff.DeadEnds, []string{"What Didn't Work"}},
			Heading{handoff.Context, []string{"Gotchas"}},
			Heading{handoff.References, []string{"Key Files"}},
			Heading{handoff.NextAction, []string{"Next Steps"}},
		),
		Title: "Session Handoff: {slug}", Front: []string{"date: {date}"}, Keys: []string{"*"}, Rules: lenient(),
	}
}

// Custom is a layout of the user's own, before it gets its name and files: all common
// words for headings, any frontmatter, and the rules of the presets.
func Custom() *Layout {
	var own []Heading
	for _, spec := range handoff.Sections[1:] {
		if !spec.Free {
			own = append(own, Heading{spec.Kind, []string{spec.Name()}})
		}
	}
	own = append(own, Heading{handoff.NextAction, []string{handoff.NextAction.String()}})
	return &Layout{Headings: headings(own...), Title: "Handoff: {slug}", Keys: []string{"*"}, Rules: lenient()}
}

// headings are the sections of a layout in the order of a new document, with those that every document may have
// around the first, and with the words that handoffs everywhere have added.
func headings(own ...Heading) []Heading {
	own = slices.Concat([]Heading{{Kind: handoff.Understand}}, own[:1], []Heading{{Kind: handoff.WaitingFor}, {Kind: handoff.Background}}, own[1:])
	for i := range own {
		own[i].Words = append(own[i].Words, words.Layout(handoff.SpecOf(own[i].Kind).Key)...)
	}
	return own
}

// lenient are the severities for documents that other tools write: the rules about the
// form of our own documents and their names are off; the others check what is wrong in
// any form.
func lenient() map[string]string {
	rules := map[string]string{"malformed-frontmatter": "warning", "missing-next-step": "warning"}
	for _, name := range [...]string{"malformed-name", "letter-phase", "padded-task", "shared-timestamp", "malformed-title", "mismatched-title",
		"mismatched-frontmatter", "long-document", "missing-section", "misordered-section", "buried-next-action", "duplicate-section", "unknown-section",
		"misspelled-heading", "bare-heading", "bold-heading", "list-as-next-action", "long-next-action", "competing-next-step", "report-as-next-action",
		"missing-file", "missing-location", "missing-goal", "too-many-items", "unlisted-items", "missing-reason", "long-item", "large-fence", "dead-line", "not-a-handoff"} {
		rules[name] = "off"
	}
	for _, name := range [...]string{"dead-reference", "empty-section"} {
		rules[name] = "note"
	}
	rules["vague-next-action"] = "warning"
	return rules
}
