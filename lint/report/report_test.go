package report_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/parse"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/golden anew")

// checked is a file as a driver hands it to a report.
type checked struct {
	path     string
	doc      *handoff.Document
	findings []lint.Finding
	unread   string // why it could not be checked; "" when it was
}

var rules = []report.Rule{
	{Name: "long-document", Severity: lint.Error, Summary: "A handoff fits on one screen.", Doc: "A handoff fits on one screen.\n\nMore is a <report>.\n"},
	{Name: "vague-next-action", Severity: lint.Warning, Summary: "The next action names what to act on."},
	{Name: "malformed-name", Severity: lint.Note},
	{Name: "never-run", Severity: lint.Off},
}

// awkward has in paths, messages and sources all that some format must escape.
func awkward() []checked {
	spans := func(l, last, col, end int) lint.Finding {
		return lint.Finding{Lines: handoff.Lines{First: l, Last: last}, Col: col, EndCol: end}
	}
	as := func(f lint.Finding, rule string, s lint.Severity, msg string) lint.Finding {
		f.Rule, f.Severity, f.Message = rule, s, msg
		return f
	}
	edit := func(first, last int, text string) []lint.Edit {
		return []lint.Edit{{Lines: handoff.Lines{First: first, Last: last}, Text: text}}
	}
	fixed := as(spans(2, 3, 1, 5), "long-document", lint.Error, "2 lines, at most 1")
	fixed.Edits = edit(2, 3, "one\n")
	inserted := as(spans(1, 1, 1, 2), "vague-next-action", lint.Warning, "nothing above")
	inserted.Edits = edit(1, 0, "first\n")
	appended := as(spans(1, 1, 0, 0), "vague-next-action", lint.Warning, "nothing below")
	appended.Edits = edit(2, 1, "last\n")
	named := as(lint.Finding{}, "malformed-name", lint.Note, "file name has a date without a time")
	named.Rename = "phase-1-handoff-20260223T000000Z.md"
	return []checked{
		{"specs/1_clean/a.md", handoff.NewDocument("# Fine\n"), nil, ""},
		{"specs/2 é/100%,a:b.md", handoff.NewDocument("x\none\ntwo\nzß水🍌 end\n\n"), []lint.Finding{
			named, fixed,
			as(spans(4, 4, 11, 15), "vague-next-action", lint.Warning, `"<a & b>" says 'nothing' ]]> 50% :: no`),
			as(spans(4, 4, 11, 15), "vague-next-action", lint.Note, "the same line\r\nagain"),
			as(spans(5, 5, 1, 1), "unknown-rule", lint.Error, "an empty line"),
		}, ""},
		{"/repo/specs/3\x1b[31m\n\u202e.md", handoff.NewDocument("a\r\nb\x1b]0;t\a\t水 c"), []lint.Finding{
			as(spans(2, 2, 9, 12), "long-document", lint.Error, "\x1b]8;;http://x\a\xff\u202eevil\U000e0041"),
			appended, inserted,
		}, ""},
		{"/elsewhere/4.md", nil, []lint.Finding{as(spans(7, 7, 3, 9), "long-document", lint.Error, "no document at hand")}, ""},
		{"5.md", handoff.NewDocument(strings.Repeat("word ", 60) + "here and more and more of it all until it is clipped, twice over and again\n"), []lint.Finding{
			as(spans(1, 1, 301, 305), "vague-next-action", lint.Warning, "far to the right"),
			as(spans(1, 1, 1, 375), "vague-next-action", lint.Warning, "all of it"),
		}, ""},
		{"/repo/specs/6 <,\x1b>.md", nil, nil, "permission \x1b denied & \u202e so on"},
		{"", nil, nil, "broken off:\nconfiguration"},
	}
}

func options() report.Options {
	return report.Options{
		Rules: rules, Version: "v1.2.3", Root: "/repo",
		Link:   func(rule string) string { return "https://example.org/r ü/" + rule },
		Reason: func(rule string) string { return "because " + rule },

		Unchecked: true,
	}
}

func write(t *testing.T, format string, opt report.Options, files []checked) string {
	t.Helper()
	var b bytes.Buffer
	r, err := report.New(format, &b, opt)
	if err != nil {
		t.Fatal(err)
	}
	var sum report.Summary
	for _, f := range files {
		if f.unread != "" {
			if err := r.Unchecked(f.path, f.unread); err != nil {
				t.Fatal(err)
			}
			continue
		}
		sum.Count(f.findings)
		if err := r.File(f.path, f.doc, f.findings); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(sum); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = strings.NewReplacer("\x1b", "␛", "\a", "␇").Replace(got)
	file := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestGolden(t *testing.T) {
	for _, format := range report.Formats() {
		t.Run(format, func(t *testing.T) {
			golden(t, format, write(t, format, options(), awkward()))
			golden(t, format+".empty", write(t, format, report.Options{}, nil))
		})
	}
	t.Run("color", func(t *testing.T) {
		opt := options()
		opt.Color = true
		golden(t, "color", write(t, "text", opt, awkward()))
	})
}

// No text of a document or a path may move the cursor or end a line.
func TestTextIsSafe(t *testing.T) {
	for _, format := range []string{"text", "github", "junit"} {
		got := write(t, format, options(), awkward())
		if i := strings.IndexFunc(got, func(r rune) bool {
			return r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' || r == 0xe0041
		}); i >= 0 {
			t.Errorf("%s: control character at %d: %q", format, i, got[max(i-30, 0):i+10])
		}
		if strings.Contains(got, "\nagain") {
			t.Errorf("%s: a message broke its line", format)
		}
	}
}

// TestUncheckedIsAskedFor: text lists the files that could not be checked only
// on request.
func TestUncheckedIsAskedFor(t *testing.T) {
	files := []checked{{path: "a.md", unread: "denied"}, {unread: "broken off"}}
	for all, want := range map[bool]string{true: "a.md: error: denied\nerror: broken off\n", false: ""} {
		if got := write(t, "text", report.Options{Unchecked: all}, files); got != want {
			t.Errorf("asked for: %t: %q, want %q", all, got, want)
		}
	}
}

// TestReportsMask: no report repeats a secret or hidden text of a document,
// neither beside a finding nor in an edit.
func TestReportsMask(t *testing.T) {
	const secret, unseen = "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "<!-- unseen -->"
	src := "use " + secret + " " + unseen + "\nword\n"
	line := lint.Finding{Rule: "long-document", Severity: lint.Error, Lines: handoff.Lines{First: 1, Last: 1}, Col: 1, EndCol: len("use") + 1,
		Message: "says " + secret, Edits: []lint.Edit{{Lines: handoff.Lines{First: 1, Last: 1}, Text: "use " + secret + "\n"}}}
	other := lint.Finding{Rule: "long-document", Severity: lint.Error, Lines: handoff.Lines{First: 2, Last: 2}, Message: "harmless",
		Edits: []lint.Edit{{Lines: handoff.Lines{First: 2, Last: 2}, Text: "kept\n"}}}
	for _, format := range append(report.Formats(), "color") {
		opt := options()
		if format == "color" {
			format, opt.Color = "text", true
		}
		got := write(t, format, opt, []checked{{"a.md", parse.Document([]byte(src)), []lint.Finding{line, other}, ""}})
		if strings.Contains(got, secret) || strings.Contains(got, "unseen") {
			t.Errorf("%s repeats it: %s", format, got)
		}
		if !strings.Contains(got, "harmless") || (format == "json" || format == "sarif") && !strings.Contains(got, "kept") {
			t.Errorf("%s leaves out what is harmless: %s", format, got)
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := report.New("jsn", &bytes.Buffer{}, report.Options{})
	want := `unknown format "jsn" (text, json, sarif, github, junit)`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

var errFull = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// A reader that went away must end the check, not let it run on for nothing.
func TestWriteErrorEndsTheCheck(t *testing.T) {
	for _, format := range report.Formats() {
		r, err := report.New(format, fullDisk{}, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		for range 5000 {
			if failed = r.File("a.md", nil, awkward()[3].findings); failed != nil {
				break
			}
		}
		if !errors.Is(failed, errFull) {
			t.Errorf("%s: File never failed: %v", format, failed)
		}
		if err := r.Close(report.Summary{}); !errors.Is(err, errFull) {
			t.Errorf("%s: Close says %v", format, err)
		}
	}
}
