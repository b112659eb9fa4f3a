package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/text/nearest"
	"handoff/internal/text/strictyaml"
	"handoff/lint"
)

// layout is an entry of the key documents: a preset with changes, or a layout of the
// user's own.
type layout struct {
	Preset   string              `yaml:"preset"`
	Name     string              `yaml:"name"`
	Files    []string            `yaml:"files"`
	Names    []string            `yaml:"names"`
	Chain    string              `yaml:"chain"`
	Title    string              `yaml:"title"`
	Headings map[string][]string `yaml:"headings"`
	Front    struct {
		Known []string `yaml:"known"`
		New   []string `yaml:"new"`
	} `yaml:"frontmatter"`
	Rules map[string]string `yaml:"rules"`
}

// maxLayouts is the most entries of the key documents. Each costs a walk.
const maxLayouts = 16

// documents reads the key documents.
func documents(r *strictyaml.Reading, given []layout, c *Config, rules []string) {
	if len(given) > maxLayouts {
		r.Complain("/documents", "want at most %d layouts", maxLayouts)
		return
	}
	for i, g := range given {
		at := fmt.Sprintf("/documents/%d", i)
		l := g.layout(r, at)
		if l == nil {
			continue
		}
		if slices.ContainsFunc(c.Documents, func(o *task.Layout) bool { return o.Name == l.Name }) {
			r.Complain(at, "a second layout with the name %q: give one of them another name", l.Name)
			continue
		}
		if l.Name == task.Default { // it has no files, and the rules of all task folders
			c.Settings.Next = l.Heading(handoff.NextAction)
			c.Documents = append(c.Documents, l)
			continue
		}
		c.add(l, severitiesAt(r, at+"/rules/", g.Rules, rules))
		if i == 0 && len(l.Names) > 0 {
			c.New = l
		}
	}
}

// add adds a layout, whose rules come after those of the project and before some severities.
func (c *Config) add(l *task.Layout, own map[string]lint.Severity) {
	set := c.Settings
	set.Next = l.Heading(handoff.NextAction)
	set.Severity = map[string]lint.Severity{}
	for name, word := range l.Rules {
		set.Severity[name], _ = lint.ParseSeverity(word)
	}
	maps.Copy(set.Severity, c.Settings.Severity)
	maps.Copy(set.Severity, own)
	c.choose(l.Name, own)
	if c.layouts == nil {
		c.layouts = map[string]*lint.Settings{}
	}
	c.layouts[l.Name] = &set
	c.Documents = append(c.Documents, l)
}

// Use adds the known places that a tree without a configuration has. If it is unclear which of
// several counts, they are read by their paths, and new documents go to none of them. Beside
// several plans, those of a task go to its plan, and others where a plan has a place for them.
func (c *Config) Use(found []task.Detected) {
	c.Found = found
	for _, d := range found {
		c.add(d.Layout, nil)
	}
	if task.Unclear(found) {
		return
	}
	for _, d := range found {
		if len(d.Names) > 0 && (len(found) == 1 || !d.Plan.Needs) {
			c.New = d.Layout
			return
		}
	}
}

// layout is the layout of an entry; nil for that of task folders, which is always in use, unless it has
// words for their headings, and for one that is not valid.
func (g *layout) layout(r *strictyaml.Reading, at string) *task.Layout {
	l := task.Custom()
	if g.Preset == task.Default {
		if g.Name != "" || g.Files != nil || g.Names != nil || g.Rules != nil {
			r.Complain(at, "the preset %s has no other key than headings: its documents are those of task folders", task.Default)
		}
		if len(g.Headings) == 0 {
			return nil
		}
		own := &task.Layout{Name: task.Default}
		g.sections(r, at, own)
		return own
	}
	if g.Preset != "" {
		var ok bool
		if l, ok = task.Preset(g.Preset); !ok {
			r.Complain(at+"/preset", "unknown preset %q%s", g.Preset, nearest.Hint(g.Preset, task.PresetNames()))
			return nil
		}
	}
	if g.Name != "" {
		l.Name = g.Name
	}
	if l.Name == "" || len(g.Files) == 0 && g.Preset == "" {
		r.Complain(at, "want a preset (%s), or a name and files", strings.Join(task.PresetNames(), ", "))
		return nil
	}
	g.files(r, at, l)
	g.sections(r, at, l)
	if g.Title != "" {
		l.Title = g.Title
	}
	if g.Front.Known != nil {
		l.Keys = g.Front.Known
	}
	if g.Front.New != nil {
		l.Front = g.Front.New
	}
	switch g.Chain {
	case "":
	case "task":
		l.Chain = task.ByTask
	case "folder":
		l.Chain = task.ByFolder
	case "layout":
		l.Chain = task.ByLayout
	default:
		r.Complain(at+"/chain", "unknown value %q (task, folder, layout)", g.Chain)
	}
	return l
}

func (g *layout) files(r *strictyaml.Reading, at string, l *task.Layout) {
	files := expandGlobs(r, at+"/files", g.Files, func(glob string) string {
		if !validGlob(glob) || !isBelow(glob) {
			return fmt.Sprintf("invalid glob %q: want one relative to this file's workspace, such as docs/handoffs/*.md", glob)
		}
		return ""
	}, unchanged)
	for i, form := range g.Names {
		if err := task.Form(form).Check(); err != nil {
			r.Complain(fmt.Sprintf("%s/names/%d", at, i), "%v", err)
		} else if !isBelow(form) || !strings.HasSuffix(form, ".md") && !strings.HasSuffix(form, ".txt") {
			r.Complain(fmt.Sprintf("%s/names/%d", at, i), "want the form of a path of a .md or .txt file, relative to the workspace: docs/handoffs/{time}-{slug}.md")
		}
	}
	if g.Files != nil {
		l.Move(files)
	}
	if g.Names != nil {
		l.Plan = nil
		l.Names = g.Names // an empty list: no new documents
		l.Replaces = len(l.Names) > 0 && !strings.ContainsAny(l.Names[0], "{*")
	}
}

func isBelow(path string) bool {
	return path != "" && path[0] != '/' && !slices.Contains(strings.Split(path, "/"), "..")
}

// sections adds the words of an entry in front of those of its preset.
func (g *layout) sections(r *strictyaml.Reading, at string, l *task.Layout) {
	var known []string
	for _, spec := range handoff.Sections {
		known = append(known, spec.Key)
	}
	var unknown []string
	for _, key := range slices.Sorted(maps.Keys(g.Headings)) {
		if !slices.Contains(known, key) {
			unknown = append(unknown, key)
		}
	}
	r.ComplainUnknown(at+"/headings/", "section", strings.Join(known, ", "), unknown, known)
	for _, spec := range handoff.Sections {
		words := g.Headings[spec.Key]
		if len(words) == 0 {
			continue
		}
		i := slices.IndexFunc(l.Headings, func(h task.Heading) bool { return h.Kind == spec.Kind })
		if i < 0 {
			l.Headings, i = append(l.Headings, task.Heading{Kind: spec.Kind}), len(l.Headings)
		}
		l.Headings[i].Words = slices.Concat(words, l.Headings[i].Words)
	}
}

// Override changes the settings of all documents.
func (c *Config) Override(change func(*lint.Settings)) {
	change(&c.Settings)
	for _, set := range c.layouts {
		change(set)
	}
}

// written are rules that a new document may not break, whatever the form: a successor could
// do nothing with it, or would read hidden text. The presets are lenient about them in
// what other tools have written. hidden-text is a warning elsewhere, because old documents
// may have some.
var written = [...]string{"vague-next-action", "missing-next-step", "secret", "hidden-character", "hidden-text"}

// WriterSettingsOf are the settings of the rules for a document that is being written: those
// of written are errors, unless the user chose another severity.
func (c *Config) WriterSettingsOf(layout string) *lint.Settings {
	set := *c.SettingsOf(layout)
	set.Severity = maps.Clone(set.Severity)
	if set.Severity == nil {
		set.Severity = map[string]lint.Severity{}
	}
	for _, name := range written {
		if !c.chosen[layout][name] && !c.chosen[""][name] {
			set.Severity[name] = lint.Error
		}
	}
	return &set
}

// choose remembers the rules whose severity the user chose for a layout, "" for all documents.
func (c *Config) choose(layout string, severity map[string]lint.Severity) {
	for name := range severity {
		if c.chosen == nil {
			c.chosen = map[string]map[string]bool{}
		}
		if c.chosen[layout] == nil {
			c.chosen[layout] = map[string]bool{}
		}
		c.chosen[layout][name] = true
	}
}

// SettingsOf are the settings of the rules for a document, whose path is relative to the
// workspace.
func (c *Config) SettingsOf(layout string) *lint.Settings {
	if set := c.layouts[layout]; set != nil {
		return set
	}
	return &c.Settings
}
