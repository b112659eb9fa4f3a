package task

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/parse"
)

func TestPresetsRead(t *testing.T) {
	for _, c := range []struct {
		preset, path string
		task         int
		slug, chain  string
		at           string // as handoff.Moment prints it
	}{
		{"single", "HANDOFF.md", 0, "", "single:.", ""},
		{"thoughts", "thoughts/shared/handoffs/ENG-1478/2025-01-08_13-55-22_ENG-1478_create.md", 1478, "ENG-1478_create", "thoughts:1478", "2025-01-08T13:55:22"},
		{"thoughts", "thoughts/shared/handoffs/general/2025-01-08_13-55-22_create.md", 0, "create", "thoughts:thoughts/shared/handoffs/general/create", "2025-01-08T13:55:22"},
		{"thoughts", "thoughts/shared/handoffs/2025-01-08_create.md", 0, "create", "thoughts:thoughts/shared/handoffs/create", "2025-01-08"},
		{"thoughts", "thoughts/shared/handoffs/2026-04-20-design-system.md", 0, "design-system", "thoughts:thoughts/shared/handoffs/design-system", "2026-04-20"},
		{"thoughts", "thoughts/shared/handoffs/one-page-live-2026-06-03.md", 0, "one-page-live", "thoughts:thoughts/shared/handoffs/one-page-live", "2026-06-03"},
		{"thoughts", "thoughts/shared/handoffs/project-pages/current.md", 0, "current", "thoughts:thoughts/shared/handoffs/project-pages/current", ""},
		{"thoughts", "thoughts/shared/handoffs/notes.md", 0, "notes", "thoughts:thoughts/shared/handoffs/notes", ""},
		{"thoughts", "thoughts/shared/handoffs/a/b/c/d.md", 0, "", "thoughts:thoughts/shared/handoffs/a/b/c/", ""},
		{"sessions", "docs/handoffs/2026-09-23-0415-owner.md", 0, "owner", "sessions:docs/handoffs", "2026-09-23T04:15"},
		{"sessions", "docs/handoffs/2026-01-07-prod-schema.md", 0, "prod-schema", "sessions:docs/handoffs", "2026-01-07"},
		{"sessions", "docs/handoffs/2026-01-07-2-things.md", 0, "2-things", "sessions:docs/handoffs", "2026-01-07"},
		{"sessions", "docs/handoffs/SESSION-HANDOFF-2026-07-13.md", 0, "", "sessions:docs/handoffs", "2026-07-13"},
		{"sessions", "docs/handoffs/session-handoff-20260424.md", 0, "", "sessions:docs/handoffs", "2026-04-24"},
		{"sessions", "docs/handoffs/20260424T101112Z-x.md", 0, "x", "sessions:docs/handoffs", "2026-04-24T10:11:12Z"},
		{"sessions", "docs/handoffs/session-08.md", 0, "", "sessions:docs/handoffs", ""},
		{"sessions", "docs/handoffs/2026-06/2026-06-08-findings.md", 0, "findings", "sessions:docs/handoffs/2026-06", "2026-06-08"},
	} {
		l, ok := Preset(c.preset)
		if !ok || !l.Holds(c.path) {
			t.Fatalf("%s does not hold %s", c.preset, c.path)
		}
		n, at := l.Read(c.path), ""
		if m, ok := n.Moment(); ok {
			at = m.String()
		}
		if n.Task != c.task || n.Slug != c.slug || n.Chain != c.chain || at != c.at || n.Dir != "" || n.Layout != c.preset {
			t.Errorf("%s: %+v at %q", c.path, n, at)
		}
	}
	l, _ := Preset("sessions")
	if n := l.Read("docs/handoffs/SESSION-012.md"); n.Phase != 12 || n.PhaseText != "012" {
		t.Errorf("session 12 is %d (%q)", n.Phase, n.PhaseText)
	}
}

func TestLayoutHolds(t *testing.T) {
	ls := Presets()
	for p, want := range map[string]bool{
		"HANDOFF.md": true, "docs/HANDOFF.md": false, "docs/handoffs/x.md": true, "docs/handoffs/x.txt": false, "docs/handoffs/.x.md": false,
		"docs/handoffs/README.md": false, "docs/handoffs/node_modules/x.md": false, "docs/handoffs/.git/x.md": false, "README.md": false, "../HANDOFF.md": false, "": false,
		"specs/1_a/handoffs/x.md": false, "thoughts/shared/handoffs/x.md": true, "thoughts/shared/plans/x.md": false,
	} {
		if got := ls.Of(p) != nil; got != want {
			t.Errorf("%s is a document of a layout: %v", p, got)
		}
	}
	if !ls.IsDocument("specs/1_a/handoffs/x.md") || Layouts(nil).IsDocument("HANDOFF.md") {
		t.Error("task folders hold documents without a layout, and nothing else does")
	}
	if n := ls.NameOf("specs/1_a/handoffs/phase-3-handoff-20260212T143022Z.md"); n != handoff.ParseName("specs/1_a/handoffs/phase-3-handoff-20260212T143022Z.md") {
		t.Errorf("a layout reads a name of a task folder: %+v", n)
	}
}

func TestHeadings(t *testing.T) {
	l, _ := Preset("thoughts")
	for heading, want := range map[string]handoff.Kind{
		"Action Items & Next Steps": handoff.NextAction, "action items and next steps:": handoff.NextAction, "4. Next steps": handoff.NextAction,
		"🎯 Next Steps": handoff.NextAction, "**Next Steps**": handoff.NextAction, "What’s next": handoff.NextAction, "Next Steps (in order)": handoff.NextAction,
		"Task(s)": handoff.CurrentState, "What Didn't Work": handoff.DeadEnds, "What didn’t work": handoff.DeadEnds, "Learnings": handoff.Context,
		"Other Notes": handoff.Other, "Next quarter": handoff.Other, "": handoff.Other, "(x)": handoff.Other,
	} {
		if got := l.kindOf(heading); got != want {
			t.Errorf("%q is %v, want %v", heading, got, want)
		}
	}
}

func TestAdapt(t *testing.T) {
	doc := parse.Document([]byte("---\ndate: x\ntask: ENG-1\nbad: [\n---\n# T\n## Learnings\n- a\n## key decisions\n- b\n"))
	all := len(doc.Problems)
	l, _ := Preset("thoughts")
	l.Keys = []string{"task"}
	l.Adapt(doc)
	if doc.Sections[0].Kind != handoff.Context || doc.Sections[0].Spelling != handoff.Exact || doc.Sections[1].Kind != handoff.Decisions {
		t.Errorf("sections %+v", doc.Sections)
	}
	for _, p := range doc.Problems {
		if p.Key == "task" {
			t.Errorf("a known key is a problem: %v", p)
		}
	}
	good := parse.Document([]byte("---\ndate: x\ntask: ENG-1\nphase: [1]\n---\n# T\n"))
	if l.Adapt(good); len(good.Problems) != 2 { // date and phase are not known
		t.Errorf("%d of %d problems are left: %v", len(good.Problems), all, good.Problems)
	}
	l.Keys = []string{"*"}
	if l.Adapt(good); len(good.Problems) != 0 {
		t.Errorf("any key is known: %v", good.Problems)
	}
}

func TestForm(t *testing.T) {
	at := time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)
	for _, form := range []string{"{time}.md", "x/{task}/{time}_{slug}.md", "{number}-{slug}.md", "{slug}-{time}.md"} {
		want := Parts{Task: "ENG-7", Slug: "a_b-c", Number: "12", Time: at}
		path := Form(form).Fill(want)
		got, ok := Form(form).Match(path)
		if !ok || Form(form).Check() != nil || Form(form).Fill(Parts{Task: got.Task, Slug: got.Slug, Number: got.Number, Time: got.Time}) != path {
			t.Errorf("%s: %s is read as %+v", form, path, got)
		}
	}
	for _, form := range []string{"{when}.md", "a}.md", "{slug", "*{slug}*{slug}*{slug}*.md"} {
		if Form(form).Check() == nil {
			t.Errorf("%s is valid", form)
		}
	}
	for _, path := range []string{"x/a/b.md", "x/.md", "", "x/2026-02-30.md"} {
		if got, ok := Form("x/{time}.md").Match(path); ok {
			t.Errorf("%q has the form: %+v", path, got)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("x/{task}/{time}_{slug}.md", "x/1/2026-02-12_10-11-12_a.md")
	f.Fuzz(func(t *testing.T, form, path string) {
		if Form(form).Check() != nil {
			t.Skip()
		}
		got, ok := Form(form).Match(path)
		if ok && (len(got.Task)+len(got.Slug)+len(got.Number) > len(path) || slices.Contains([]string{got.Task, got.Slug}, "/")) {
			t.Errorf("%q in %q is %+v", form, path, got)
		}
	})
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	for _, p := range []string{"HANDOFF.md", "docs/handoffs/b.md", "docs/handoffs/a/c.md", "docs/handoffs/node_modules/d.md", "docs/handoffs/x.txt",
		"docs/x.md", "thoughts/shared/handoffs/1/e.md", "specs/1_a/handoffs/f.md", "deep/a/b/g.md", "deep/h.md"} {
		full := filepath.Join(root, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ls := append(Presets(), &Layout{Name: "deep", Files: []string{"deep/*.md", "**/f.md"}})
	fail := func(path string, err error) error { return err }
	got, err := ls.Find(context.Background(), root, fail)
	if want := []string{"HANDOFF.md", "deep/h.md", "docs/handoffs/a/c.md", "docs/handoffs/b.md", "thoughts/shared/handoffs/1/e.md"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("found %q, want %q (%v)", got, want, err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(root, "docs", "handoffs", "link")); err != nil {
		t.Skip(err)
	}
	var links []string
	_, err = ls.Find(context.Background(), root, func(path string, err error) error { links = append(links, path); return nil })
	if err != nil || !slices.Equal(links, []string{"docs/handoffs/link"}) {
		t.Errorf("links %q (%v)", links, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ls.Find(ctx, root, fail); err == nil {
		t.Error("a walk that was cancelled succeeds")
	}
}

// TestEnters: the folders that Find lists and those on the way to them are entered, and
// no others.
func TestEnters(t *testing.T) {
	for _, c := range []struct{ glob, in, out string }{
		{"HANDOFF.md", "", "docs"},
		{"docs/handoffs/*.md", " docs docs/handoffs", "doc docs/other docs/handoffs/a docs/handoffs2"},
		{"docs/handoffs/**/*.md", " docs docs/handoffs docs/handoffs/a docs/handoffs/a/b", "docs/handoffs/.git docs/handoffs/a/node_modules"},
		{"docs/*/x/*.md", " docs docs/a docs/a/x", "src docs/a/x/b"},
		{"*/HANDOFF.md", " docs", "docs/a"},
		{"**/*.md", " docs docs/a/b", ".git a/.git/b"},
		{"{a,b}/handoffs/*.md", " a b a/handoffs", "a/handoffs/c"},
	} {
		ls := Layouts{{Name: "x", Files: []string{c.glob}}}
		for want, dirs := range map[bool]string{true: c.in, false: c.out} {
			for _, dir := range strings.Split(dirs, " ") {
				if ls.Enters(dir) != want {
					t.Errorf("%s: enters %q: %t", c.glob, dir, !want)
				}
			}
		}
		if got := ls.Enters(""); !got {
			t.Errorf("%s does not enter the root", c.glob)
		}
	}
	if (Layouts{}).Enters("") {
		t.Error("no layout enters the root")
	}
}

// TestAdaptLanguages: a configured heading may be of any script, and the words of other languages need no configuration.
func TestAdaptLanguages(t *testing.T) {
	l := Custom()
	for i := range l.Headings {
		if l.Headings[i].Kind == handoff.NextAction {
			l.Headings[i].Words = append(l.Headings[i].Words, "引き継ぎ先の宿題", "งานถัดไป", "المهمة التالية", "🚀")
		}
	}
	for heading, want := range map[string]handoff.Kind{
		"引き継ぎ先の宿題": handoff.NextAction, "3. 引き継ぎ先の宿題:": handoff.NextAction, "🎯 งานถัดไป": handoff.NextAction, "المهمة التالية": handoff.NextAction, "🚀": handoff.NextAction,
		"残作業": handoff.NextAction, "남은 작업": handoff.NextAction, "待办事项": handoff.NextAction, "Offene Punkte": handoff.NextAction, "Reste à faire": handoff.NextAction,
		"Pendiente": handoff.NextAction, "Cosa resta da fare": handoff.NextAction, "Pendências": handoff.NextAction, "Что осталось": handoff.NextAction,
		"注意事項": handoff.Context, "关键文件": handoff.References, "진행 상황": handoff.CurrentState, "Stolperfallen": handoff.Context, "まとめ": handoff.Other, "🎉": handoff.Other,
	} {
		doc := parse.Document([]byte("## " + heading + "\n- a\n"))
		if l.Adapt(doc); doc.Sections[0].Kind != want {
			t.Errorf("%q is %v, want %v", heading, doc.Sections[0].Kind, want)
		}
	}
}
