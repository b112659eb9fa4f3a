package handoff

import (
	"testing"
	"time"
)

func TestParseName(t *testing.T) {
	at := func(s string) time.Time {
		v, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	day := at("2026-02-12T00:00:00Z")
	tests := []struct {
		base   string
		class  Class
		phase  int
		text   string
		time   time.Time
		better string
	}{
		{"phase-3-handoff-20260212T143022Z.md", Canonical, 3, "3", at("2026-02-12T14:30:22Z"), ""},
		{"phase-3-handoff-20260212T143022.02Z.md", Canonical, 3, "3", at("2026-02-12T14:30:22Z"), ""},
		{"phase-3-handoff-20260212T143022.00Z.md", Suffixed, 3, "3", day, ""},
		{"phase-3-handoff-20260212T143022.2Z.md", Suffixed, 3, "3", day, ""},
		{"phase-3-handoff-20260212T143022.02.md", Suffixed, 3, "3", day, ""},
		{"phase-3-handoff-20260224T215519.md", NoZone, 3, "3", at("2026-02-24T21:55:19Z"), "phase-3-handoff-20260224T215519Z.md"},
		{"phase-1-handoff-20260317015115.md", Digits, 1, "1", at("2026-03-17T01:51:15Z"), "phase-1-handoff-20260317T015115Z.md"},
		{"phase-1-handoff-20260601-093032.md", Dashed, 1, "1", at("2026-06-01T09:30:32Z"), "phase-1-handoff-20260601T093032Z.md"},
		{"phase-1-handoff-20260601_093032.md", Dashed, 1, "1", at("2026-06-01T09:30:32Z"), "phase-1-handoff-20260601T093032Z.md"},
		{"phase-1-handoff-20260811T0800.md", Minutes, 1, "1", at("2026-08-11T08:00:00Z"), "phase-1-handoff-20260811T080000Z.md"},
		{"phase-4-handoff-20260310T1800Z.md", Minutes, 4, "4", at("2026-03-10T18:00:00Z"), "phase-4-handoff-20260310T180000Z.md"},
		{"phase-1-handoff-1785000005.md", Epoch, 1, "1", at("2026-07-25T17:20:05Z"), "phase-1-handoff-20260725T172005Z.md"},
		{"phase-2-handoff-20260212.md", DateOnly, 2, "2", day, ""},
		{"phase-1-handoff-20260212-v2.md", Suffixed, 1, "1", day, ""},
		{"phase-1-handoff-20260212b.md", Suffixed, 1, "1", day, ""},
		{"phase-3A-handoff-20260212.md", DateOnly, 3, "3A", day, ""},
		{"phase-6a-handoff-20260212T143022.md", NoZone, 6, "6a", at("2026-02-12T14:30:22Z"), ""},
		{"phase-B-handoff-20260212.md", DateOnly, 0, "B", day, ""},
		{"phase-2-3-handoff-20260807T003000Z.md", Canonical, 2, "2-3", at("2026-08-07T00:30:00Z"), ""},
		{"phase-03-handoff-20260807T003000.md", NoZone, 3, "03", at("2026-08-07T00:30:00Z"), ""},
		{"phase-prereq-handoff-20260212.md", PhaseLess, 0, "", day, ""},
		{"phase-5-completion-handoff-20260212T143022Z.md", Worded, 5, "5", at("2026-02-12T14:30:22Z"), ""},
		{"phase-2B-late-night-handoff-20260212T143022Z.md", Worded, 2, "2B", at("2026-02-12T14:30:22Z"), ""},
		{"phase-5-completion-handoff.md", Timeless, 5, "5", time.Time{}, ""},
		{"phase-6-handoff.md", Timeless, 6, "6", time.Time{}, ""},
		{"phase-1-handoff-v16-20260609T225727Z.md", Timeless, 1, "1", time.Time{}, ""},
		{"phase-1-handoff-20261399T000000Z.md", Timeless, 1, "1", time.Time{}, ""},
		{"01_phase3-partial.md", Ordinal, 0, "", time.Time{}, ""},
		{"phase-3-blocker-analysis-20260224.md", Foreign, 0, "", time.Time{}, ""},
		{"phase1-complete.md", Foreign, 0, "", time.Time{}, ""},
		{"phase-3-handoff-20260212T143022Z.txt", Foreign, 0, "", time.Time{}, ""},
		{"phase-99999999999999999999-handoff-20260212.md", PhaseLess, 0, "", day, ""},
		{"", Foreign, 0, "", time.Time{}, ""},
	}
	for _, tt := range tests {
		n := ParseName("specs/259_prove_completeness/handoffs/" + tt.base)
		if n.Class != tt.class || n.Phase != tt.phase || n.PhaseText != tt.text || !n.Time.Equal(tt.time) {
			t.Errorf("%s: class %d %q, phase %d %q, time %v", tt.base, n.Class, n.Class, n.Phase, n.PhaseText, n.Time)
		}
		if better, ok := n.Better(time.UTC); better != tt.better || ok != (tt.better != "") {
			t.Errorf("%s: better name %q, %v; want %q", tt.base, better, ok, tt.better)
		}
	}
}

// TestBetterZone reads a time without a zone in the given zone, and suggests
// nothing if the zone is unknown.
func TestBetterZone(t *testing.T) {
	east := time.FixedZone("", 2*60*60)
	for _, tt := range []struct {
		base string
		zone *time.Location
		want string
	}{
		{"phase-3-handoff-20260224T015519.md", east, "phase-3-handoff-20260223T235519Z.md"},
		{"phase-3-handoff-20260224T0155.md", east, "phase-3-handoff-20260223T235500Z.md"},
		{"phase-3-handoff-20260224T015519.md", nil, ""},
		{"phase-3-handoff-20260224T0155Z.md", east, "phase-3-handoff-20260224T015500Z.md"},
		{"phase-3-handoff-20260224T0155Z.md", nil, "phase-3-handoff-20260224T015500Z.md"},
		{"phase-1-handoff-1785000005.md", east, "phase-1-handoff-20260725T172005Z.md"},
		{"phase-1-handoff-1785000005.md", nil, "phase-1-handoff-20260725T172005Z.md"},
	} {
		if got, ok := ParseName(tt.base).Better(tt.zone); got != tt.want || ok != (tt.want != "") {
			t.Errorf("%s in %v: %q, %v; want %q", tt.base, tt.zone, got, ok, tt.want)
		}
	}
}

func TestParseNameFolder(t *testing.T) {
	tests := []struct {
		path  string
		dir   string
		task  int
		width int
		slug  string
	}{
		{"specs/259_prove_completeness/handoffs/x.md", "specs/259_prove_completeness", 259, 3, "prove_completeness"},
		{"a/specs/archive/042_b/handoffs/x.md", "a/specs/archive/042_b", 42, 3, "b"},
		{"handoffs/x.md", "", 0, 0, ""},
		{"specs/259_prove_completeness/x.md", "", 0, 0, ""},
		{"specs/prove/handoffs/x.md", "", 0, 0, ""},
		{"259_x/handoffs/x.md", "259_x", 259, 3, "x"},
		{"99999999999_x/handoffs/x.md", "", 0, 0, ""},
	}
	for _, tt := range tests {
		n := ParseName(tt.path)
		if n.Dir != tt.dir || n.Task != tt.task || n.Width != tt.width || n.Slug != tt.slug {
			t.Errorf("%s: %+v", tt.path, n)
		}
	}
}

func TestNameOrder(t *testing.T) {
	list := []string{ // oldest first
		"phase-6-handoff.md",
		"phase-2-handoff-20260212.md",
		"phase-2-handoff-20260212T100000Z.md",
		"phase-10-handoff-20260212T100000Z.md",
		"phase-3-handoff-20260212T100000.01Z.md",
		"phase-1-handoff-20260212T100000.10Z.md",
		"phase-1-handoff-20260212T100001Z.md",
		"phase-1-handoff-20260212T120000Z.md",
	}
	for i := range list {
		for j := range list {
			got := ParseName(list[i]).Compare(ParseName(list[j]))
			if (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("compare %s and %s: %d", list[i], list[j], got)
			}
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md")
	f.Add("specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022.02Z.md")
	f.Add("specs/001_x/handoffs/phase-2-3-handoff-1785000005.md")
	f.Add("phase-B-handoff-20260224-v2.md")
	f.Fuzz(func(t *testing.T, path string) {
		n := ParseName(path)
		if n.Class == Canonical && n.Plain() && n.Base != n.Slot().Base(n.Phase) {
			t.Errorf("%q is called canonical, the writer says %q", n.Base, n.Slot().Base(n.Phase))
		}
		if better, ok := n.Better(time.UTC); ok {
			again := ParseName(better)
			if again.Class != Canonical || again.Phase != n.Phase || !again.Time.Equal(n.Time) {
				t.Errorf("%q: better name %q reads as %+v", path, better, again)
			}
		}
		if n.Width > 0 && n.Slug == "" {
			t.Errorf("%q: a task folder without a slug: %+v", path, n)
		}
	})
}

func TestArchived(t *testing.T) {
	for dir, want := range map[string]bool{
		"specs/7_prove":                       false,
		"specs/archive/7_prove":               true,
		"specs/archived/7_prove":              true,
		"specs/done/vault/7_prove":            true,
		"specs/7_archive":                     false,
		"specs/archives/7_prove":              false,
		"/home/u/archive/proj/specs/7_prove":  false,
		"specs/archive/specs/7_prove":         false,
		"/home/u/archive/p/specs/vault/7_x":   true,
		"archive/7_prove":                     true, // relative to specs
		"specs/vault/7_prove/archive/8_prove": true,
	} {
		if got := ParseName(dir + "/handoffs/phase-1-handoff-20260212T143022Z.md").Archived(); got != want {
			t.Errorf("%s: archived %t, want %t", dir, got, want)
		}
	}
}

// A task without a name is named after what was asked.
func TestSlugFrom(t *testing.T) {
	for text, want := range map[string]string{
		"Finish phase 2.":                   "finish_phase_2",
		"Write a parser for numbers, in Go": "write_a_parser_for",
		"":                                  "",
		"解析":                                "",
		"Über-schnell":                      "ber_schnell",
		"  \n--- ":                          "",
	} {
		if got := SlugFrom(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
