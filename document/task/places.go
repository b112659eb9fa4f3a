package task

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// KnownPlace is a known place of handoffs: where tools and habits leave them, and the preset
// whose words, rules and form they have. All that looks for handoffs without a
// configuration, and all that proposes one, asks [Places].
type KnownPlace struct {
	Preset string
	Files  []string // globs, the usual spelling first; nil: those of the preset
	Seen   int      // public repositories that have the first of them, a lower bound of 2026; 0: not counted
	Alone  bool     // half of its files are notes that nothing follows from: it counts only where no other place has documents
}

// oneFile are the names of a single file that each session replaces, and folders that have
// it: any of the names in any of the folders.
var (
	oneFile = [...]string{"HANDOFF.md", "HANDOVER.md", "SESSION_HANDOFF.md", "NEXT_SESSION.md", "AI_HANDOFF.md", "CONTINUITY.md"}
	folders = [...]string{"", "docs/", ".claude/", ".agent/", ".ai/", ".handoff/"}
)

// capitals are names that count in capitals only, with the folders that have them: in small letters they are also
// the names of pages about sessions, or about agents that pass on work.
var capitals = [...]struct {
	name    string
	folders []string
}{
	{"PROJECT_HANDOFF.md", []string{"", "docs/"}}, {"AGENT_HANDOFF.md", []string{"", "docs/"}}, {"CLAUDE_HANDOFF.md", []string{"", "docs/"}},
	{"SESSION_STATE.md", []string{"", ".claude/"}}, {"CONTINUE.md", []string{""}}, {sessionNotes, []string{""}},
}

// sessionNotes is written by as many agents for the next one as for the record.
const sessionNotes = "SESSION_NOTES.md"

// named are the names that a single file has in other languages, each a place of its own, at the root and in docs.
var named = [...]string{"交接文档.md", "交接.md", "引き継ぎ.md", "引継ぎ.md", "인수인계.md", "UEBERGABE.md", "ÜBERGABE.md", "PASSATION.md", "TRASPASO.md", "PASSAGGIO.md",
	"CONTINUIDADE.md", "PASSAGEM.md", "ПЕРЕДАЧА.md"}

// counted has how often a place was seen.
var counted = map[string]int{
	"HANDOFF.md": 2213, "docs/HANDOFF.md": 1284, ".claude/HANDOFF.md": 364, ".agent/HANDOFF.md": 190, ".ai/HANDOFF.md": 264, ".handoff/HANDOFF.md": 31,
	"HANDOVER.md": 2648, "docs/HANDOVER.md": 1932, "SESSION_HANDOFF.md": 1614, "docs/SESSION_HANDOFF.md": 939,
	"NEXT_SESSION.md": 1490, "AI_HANDOFF.md": 1440, "CONTINUITY.md": 729,
	"PROJECT_HANDOFF.md": 2594, "AGENT_HANDOFF.md": 1374, "CLAUDE_HANDOFF.md": 878, "SESSION_STATE.md": 918, "CONTINUE.md": 696, sessionNotes: 1893,
	"交接文档.md": 326, "docs/交接文档.md": 162, "交接.md": 56, "引き継ぎ.md": 37, "docs/引き継ぎ.md": 28, "引継ぎ.md": 10, "인수인계.md": 95, "docs/인수인계.md": 34,
	"UEBERGABE.md": 150, "docs/UEBERGABE.md": 54, "ÜBERGABE.md": 11, "PASSATION.md": 132, "docs/PASSATION.md": 57, "TRASPASO.md": 126, "docs/TRASPASO.md": 40,
	"PASSAGGIO.md": 8, "CONTINUIDADE.md": 87, "PASSAGEM.md": 3, "ПЕРЕДАЧА.md": 10,
}

// Places are the known places. Callers get new values.
func Places() []KnownPlace {
	list := []KnownPlace{
		{Preset: "thoughts"},
		{Preset: "sessions", Seen: 698},
		{Preset: "sessions", Files: []string{"handoffs/**/*.md"}, Seen: 295},
		{Preset: "sessions", Files: []string{".claude/handoffs/**/*.md"}, Seen: 32},
		{Preset: "sessions", Files: []string{".agent/handoffs/**/*.md"}},
		{Preset: "sessions", Files: []string{".claude/sessions/**/*.md"}},
		{Preset: "sessions", Files: []string{"reports/handoff/**/*.md"}},
		{Preset: "gsd", Seen: 1562},
		{Preset: "openspec"},
		{Preset: "beads"},
		{Preset: "backlog"},
		{Preset: "memory-bank", Seen: 2865},
		{Preset: "ledger"},
		{Preset: "progress", Seen: 300},
	}
	for i, folder := range folders {
		for _, name := range oneFile {
			list = append(list, KnownPlace{Preset: "single", Files: spellings(folder, name), Seen: counted[folder+name]})
		}
		if i > 1 {
			continue
		}
		for _, name := range named {
			list = append(list, KnownPlace{Preset: "single", Files: spellings(folder, name), Seen: counted[folder+name]})
		}
	}
	for _, c := range capitals {
		for _, folder := range c.folders {
			files := []string{folder + c.name, folder + strings.ReplaceAll(c.name, "_", "-")}
			list = append(list, KnownPlace{Preset: "single", Files: slices.Compact(files), Seen: counted[folder+c.name], Alone: c.name == sessionNotes})
		}
	}
	slices.SortStableFunc(list, func(a, b KnownPlace) int { return cmp.Compare(b.Seen, a.Seen) })
	return list
}

// spellings are the paths of a file whose name authors write in capitals or not, with a
// dash or an underscore.
func spellings(folder, name string) (paths []string) {
	stem := strings.TrimSuffix(name, ".md")
	_, first := utf8.DecodeRuneInString(stem)
	for _, s := range [...]string{stem, strings.ToLower(stem), stem[:first] + strings.ToLower(stem[first:])} {
		for _, dash := range [...]string{"_", "-"} {
			if p := folder + strings.ReplaceAll(s, "_", dash) + ".md"; !slices.Contains(paths, p) {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// layout is the layout of the place, or of some of its files.
func (p KnownPlace) layout(files []string) *Layout {
	l, _ := Preset(p.Preset)
	if p.Files == nil || slices.Equal(files, l.Files[:1]) {
		return l
	}
	l.Move(files)
	l.Name = files[0]
	return l
}

// Detected is a known place that has documents in a tree.
type Detected struct {
	*Layout
	Preset string
	Found  []string // its documents, below the root, sorted; empty only if Shown is set
	Shown  string   // what shows that the plan of its tool is there, if it has no documents
}

// At is a path that the place has: its first document, else what shows its plan.
func (d Detected) At() string {
	if len(d.Found) > 0 {
		return d.Found[0]
	}
	return d.Shown
}

// Line is the entry of the key documents that selects the place.
func (d Detected) Line() string {
	if d.Name == d.Preset {
		return "{preset: " + d.Preset + "}"
	}
	return "{preset: " + d.Preset + ", files: [\"" + strings.Join(d.Files, `", "`) + "\"]}"
}

// Detect finds the known places that have documents in the tree at root, the one with most
// of them first. It looks only where places are, and lists each folder once.
func Detect(ctx context.Context, root string) (found []Detected) {
	f := newFinder(ctx, root, func(string, error) error { return nil })
	var alone []Detected
	for _, p := range Places() {
		l := p.layout(p.Files)
		paths, err := f.find(Layouts{l})
		if err != nil || len(paths) == 0 {
			continue
		}
		if l.Replaces && p.Files != nil { // the spelling that is there
			dated, globs := f.dated(paths[0])
			l, paths = p.layout(append(paths, globs...)), append(paths, dated...)
			slices.Sort(paths)
		}
		d := Detected{Layout: l, Preset: p.Preset, Found: paths}
		if p.Alone {
			alone = append(alone, d)
			continue
		}
		found = append(found, d)
	}
	if len(found) == 0 {
		return alone
	}
	slices.SortStableFunc(found, func(a, b Detected) int { return len(b.Found) - len(a.Found) })
	return found
}

// dated are the files beside the only file of a place that have its name and a date, and globs for them: authors
// who date some of their handoffs leave the newest one there.
func (f *finder) dated(p string) (found, globs []string) {
	forms, dir := datedForms(p), path.Dir(p)
	if dir == "." {
		dir = ""
	}
	entries, err := f.list(dir)
	if err != nil {
		return nil, nil
	}
	stem := len(strings.TrimSuffix(path.Base(p), path.Ext(p)))
	for _, e := range entries {
		sibling := path.Join(dir, e.Name())
		if e.IsDir() || !slices.ContainsFunc(forms, func(form string) bool { _, ok := Form(form).Match(sibling); return ok }) {
			continue
		}
		found = append(found, sibling)
		if glob := path.Join(dir, e.Name()[:stem+1]+"20*.md"); !slices.Contains(globs, glob) {
			globs = append(globs, glob)
		}
	}
	return found, globs
}

// datedForms are the forms of the names that a file gets with a date: HANDOFF-2026-07-19.md.
func datedForms(p string) (forms []string) {
	ext := path.Ext(p)
	if ext != ".md" {
		return nil
	}
	for _, sep := range [...]string{"-", "_"} {
		dated := strings.TrimSuffix(p, ext) + sep + "{time}"
		forms = append(forms, dated+ext, dated+"-{slug}"+ext, dated+"_{slug}"+ext)
	}
	return forms
}

// WithPlans adds the places beside the plans of other tools that a tree has, also while they have
// no documents. They are left out if handoffs are in a place of another kind: there its
// authors want them.
func WithPlans(root string, found []Detected) []Detected {
	if slices.ContainsFunc(found, func(d Detected) bool { return d.Plan == nil }) {
		return found
	}
	for _, l := range Presets() {
		if l.Plan == nil || slices.ContainsFunc(found, func(d Detected) bool { return d.Name == l.Name }) {
			continue
		}
		if shown := l.Plan.shown(root); shown != "" {
			found = append(found, Detected{Layout: l, Preset: l.Name, Shown: shown})
		}
	}
	return found
}

// Unclear reports whether only a person knows which of several places count. Each document beside
// a plan belongs to a task of that plan, so several plans exclude each other no more than tasks do.
func Unclear(found []Detected) bool {
	return len(found) > 1 && slices.ContainsFunc(found, func(d Detected) bool { return d.Plan == nil })
}

// IsPlace reports whether a path is that of a document of a known place.
func IsPlace(p string) bool {
	_, _, ok := PlaceOf(p)
	return ok
}

// isNamed reports whether a path is that of a known place in another script than Latin, letter
// by letter. All others can be shown as they are.
func isNamed(p string) bool {
	if strings.IndexFunc(p, func(r rune) bool { return r >= 0x80 }) < 0 {
		return false
	}
	return slices.ContainsFunc(Places(), func(k KnownPlace) bool { return slices.Contains(k.Files, p) })
}

// PlaceOf returns the layout of the known place that has a document at a path, or whose
// first glob is that, and its preset.
func PlaceOf(p string) (l *Layout, preset string, ok bool) {
	for _, known := range Places() {
		l := known.layout(known.Files)
		switch {
		case l.Files[0] == p:
		case !l.Holds(p):
			continue
		}
		if l.Replaces && known.Files != nil {
			l = known.layout([]string{p})
		}
		return l, known.Preset, true
	}
	return nil, "", false
}

// Move gives a layout other files. Its names follow them: the only file of a layout that
// replaces it is its name, and the others keep their form in the new folder.
func (l *Layout) Move(files []string) {
	if l.Plan != nil {
		l.Plan = nil // those files are not beside it
	}
	if len(files) == 0 || len(l.Names) == 0 {
		l.Files, l.Else = files, nil
		return
	}
	if l.Replaces {
		if !strings.ContainsAny(files[0], "*?[{") {
			l.Names = append([]string{files[0]}, datedForms(files[0])...)
		}
		l.Files, l.Else = files, nil
		return
	}
	from, _ := reach(l.Files[0])
	to, _ := reach(files[0])
	for i, form := range l.Names {
		if rest, ok := strings.CutPrefix(form, from+"/"); ok {
			l.Names[i] = path.Join(to, rest)
		}
	}
	l.Files, l.Else = files, nil
}
