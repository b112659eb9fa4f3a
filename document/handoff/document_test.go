package handoff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		lines handoff.Lines
		count int
		has   []int // of 0 to 6
	}{
		{handoff.Lines{}, 0, nil},
		{handoff.Lines{First: 2, Last: 2}, 1, []int{2}},
		{handoff.Lines{First: 2, Last: 4}, 3, []int{2, 3, 4}},
		{handoff.Lines{First: 3, Last: 2}, 0, nil},
	} {
		var has []int
		for n := range 7 {
			if c.lines.Has(n) {
				has = append(has, n)
			}
		}
		if c.lines.Count() != c.count || !slices.Equal(has, c.has) {
			t.Errorf("%v has %d lines, %v", c.lines, c.lines.Count(), has)
		}
	}
}

// TestText: Text returns nothing for no lines, and no line end after the last
// one.
func TestText(t *testing.T) {
	d := handoff.NewDocument("one\r\ntwo\n\nfour")
	for lines, want := range map[handoff.Lines]string{
		{First: 1, Last: 1}: "one", {First: 1, Last: 2}: "one\r\ntwo", {First: 2, Last: 3}: "two\n", {First: 4, Last: 4}: "four", {First: 1, Last: 4}: "one\r\ntwo\n\nfour",
		{}: "", {First: 0, Last: 2}: "", {First: 3, Last: 2}: "", {First: 4, Last: 5}: "", {First: 5, Last: 5}: "",
	} {
		if got := d.Text(lines); got != want {
			t.Errorf("%v is %q, want %q", lines, got, want)
		}
	}
	for n, want := range map[int]string{-1: "", 0: "", 1: "one", 3: "", 4: "four", 5: ""} {
		if got := d.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
}

const parts = `# Title

words above

## Current State
- **Files**: a.go
  and b.go
- **Location**: line 1
  - nested

**File**:

- c.go
- d.go

**Profile**: e.go
**Files modified**:
f.go

## References
- g.go
`

func TestParts(t *testing.T) {
	d := parse.Document([]byte(parts))
	var names []string
	for s := range d.Parts {
		names = append(names, s.Heading.Text)
	}
	if want := []string{"", "Current State", "References"}; !slices.Equal(names, want) {
		t.Errorf("the parts are %q", names)
	}
	for first := range d.Parts { // must end with the loop
		if first != &d.Preamble {
			t.Errorf("the first part is %q", first.Heading.Text)
		}
		break
	}
	for s := range d.Parts {
		if s.Kind == handoff.CurrentState {
			break
		}
	}
	var top []string
	for i := range d.Section(handoff.CurrentState).Top {
		top = append(top, i.Text)
	}
	if want := "**Files**: a.go\n  and b.go|**Location**: line 1|c.go|d.go"; strings.Join(top, "|") != want {
		t.Errorf("its items are %q", strings.Join(top, "|"))
	}
	for range d.Section(handoff.CurrentState).Top {
		break
	}
	if d.Section(handoff.Decisions) != nil {
		t.Error("it has a section that is not there")
	}
}

// TestSectionAt looks up the section of each line, and of lines that do not exist.
func TestSectionAt(t *testing.T) {
	d := parse.Document([]byte(parts))
	for n := -1; n <= d.NumLines()+1; n++ {
		want := ""
		switch {
		case 5 <= n && n <= 19:
			want = "Current State"
		case 20 <= n && n <= 21:
			want = "References"
		}
		got := ""
		if s := d.SectionAt(n); s != nil {
			got = s.Heading.Text
		}
		if got != want {
			t.Errorf("line %d is in %q, want %q", n, got, want)
		}
	}
}

// TestWorkFiles: the labels of the files worked on come with the lines that name
// them, those of other labels do not.
func TestWorkFiles(t *testing.T) {
	d := parse.Document([]byte(parts))
	var got []string
	for l, in := range d.WorkFiles {
		got = append(got, fmt.Sprintf("%s %d-%d", l.Name, in.First, in.Last))
	}
	if want := []string{"Files 6-7", "File 11-14", "Files modified 17-18"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for l := range d.WorkFiles {
		if l.Name != "Files" {
			t.Errorf("the loop went on to %s", l.Name)
		}
		break
	}
	for range parse.Document([]byte("# T\n\n## References\n- **File**: a.go\n")).WorkFiles {
		t.Error("a file of the references is one worked on")
	}
}

func TestLabel(t *testing.T) {
	s := parse.Document([]byte(parts)).Section(handoff.CurrentState)
	for name, want := range map[string]string{"location": "line 1", "PROFILE": "e.go", "Files": "a.go\n  and b.go"} {
		if l := s.Label("none", name); l == nil || l.Value != want {
			t.Errorf("%s is %+v", name, l)
		}
	}
	if l := s.Label("Line"); l != nil {
		t.Errorf("part of a name finds %+v", l)
	}
}

func TestSlug(t *testing.T) {
	for slug, want := range map[string]bool{
		"a": true, "a_b": true, "0": true, "az09_zz": true, strings.Repeat("a", 64): true,
		"": false, "_": false, "_a": false, "a_": false, "a__b": false, "A": false, "aZ": false, "a-b": false, "a b": false, "a{": false, "a`": false,
		"a/": false, "a:": false, strings.Repeat("a", 65): false,
		"解析器_2": true, "引き継ぎ": true, "파서_작업": true, "разбор": true, "größe_ändern": true, "é": true, "การทดสอบ": true, "تحليل": true, strings.Repeat("解", 64): true,
		strings.Repeat("解", 65): false, "e\u0301": false, "É": false, "ａ": false, "１": false, "解　析": false, "解。": false, "a\u200db": false, "a\u202eb": false, "ก\u200b": false, "😀": false, "\xff": false, "ᄀ": false, "_\u0e31": false,
	} {
		if got := handoff.ValidSlug(slug); got != want {
			t.Errorf("%q is valid: %t", slug, got)
		}
	}
	for words, want := range map[string]string{"Second Task": "second_task", "Größe ändern": "größe_ändern", "解析　作業": "解析_作業", "ＡＢＣ１": "abc1", "Новый Разбор": "новый_разбор"} {
		if got := handoff.SlugOf(words); got != want {
			t.Errorf("%q becomes %q, want %q", words, got, want)
		}
	}
}

func TestTaskDir(t *testing.T) {
	for dir, width := range map[string]int{"specs/7_x": 1, "specs/007_x_y": 3, "specs/1234_x": 0} {
		task, digits, slug := handoff.ParseTask(strings.TrimPrefix(dir, "specs/"))
		if got := handoff.TaskDir(task, digits, slug); got != dir || width > 0 && digits != width {
			t.Errorf("%s is read as %d, %d digits, %q and written as %s", dir, task, digits, slug, got)
		}
	}
	for _, dir := range []string{"", "7", "7_", "x_7", "7-x", "_x", strings.Repeat("9", 40) + "_x"} {
		if task, digits, slug := handoff.ParseTask(dir); task != 0 || digits != 0 || slug != "" {
			t.Errorf("%q is read as %d, %d digits, %q", dir, task, digits, slug)
		}
	}
}

// TestWorkFilesWords: a label names files only if it begins with the whole word.
func TestWorkFilesWords(t *testing.T) {
	for label, want := range map[string]bool{
		"File": true, "Files": true, "files modified": true, "File (new)": true,
		"File2": false, "File_old": false, "Filename": false, "Fileé": false, "My file": false,
	} {
		doc := parse.Document([]byte("## Current State\n- **" + label + "**: a.go\n"))
		got := false
		doc.WorkFiles(func(*handoff.Label, handoff.Lines) bool { got = true; return true })
		if got != want {
			t.Errorf("label %q names files: %t, want %t", label, got, want)
		}
	}
}
