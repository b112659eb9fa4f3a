package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"handoff"
	"handoff/lint"
)

var update = flag.Bool("update", false, "write the golden files")

// file is a checked file of the samples.
type file struct {
	path     string
	source   string
	findings []lint.Finding
}

func (f file) line(n int) string {
	lines := strings.Split(f.source, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

func lines(first, last int) handoff.Lines { return handoff.Lines{First: first, Last: last} }

// samples are files as nasty as a pull request may bring them.
func samples() []file {
	list := []file{
		{"specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md", "# fine\n", nil},
		{"specs/2_b c/ä %41,x:y.md", "# Phase 2\n\n- 😀 éx `simp`, then\n\tsecond\n", []lint.Finding{
			{Rule: "malformed-name", Severity: lint.Error, Message: "the file name has \"two\" <names> & 100% more", Rename: "phase-2-handoff-20260101T000000Z.md"},
			{Rule: "vague-next-action", Severity: lint.Warning, Lines: lines(3, 3), Col: 12, EndCol: 18, Message: "names `simp`"},
			{Rule: "list-as-next-action", Severity: lint.Error, Lines: lines(3, 4), Col: 1, EndCol: 8, Message: "next action is a list of 2 steps"},
			{Rule: "bare-heading", Severity: lint.Note, Lines: lines(1, 1), Message: "no time",
				Edits: []lint.Edit{{Lines: lines(1, 1), Text: "# Phase <2>\n"}, {Lines: lines(5, 4), Text: "end\n"}, {Lines: lines(2, 2)}}},
			{Rule: "unheard-of", Severity: lint.Note, Lines: lines(4, 4), Col: 2, EndCol: 8, Message: "after a tab"},
		}},
		{"::error::\x1b[2J\nnew]]>\xff\u202e.md", "\x1b]0;x\x07 ]]> <b>\n" + strings.Repeat("長い", 100) + "x" + strings.Repeat("y", 90) + "\n", []lint.Finding{
			{Rule: "hidden-character", Severity: lint.Error, Lines: lines(1, 1), Col: 1, EndCol: 2, Message: "hides \x1b[31m and \r\n::warning::\u202e"},
			{Rule: "long-line", Severity: lint.Warning, Lines: lines(2, 2), Col: 601, EndCol: 692, Message: "long"},
			{Rule: "long-line", Severity: lint.Warning, Lines: lines(2, 2), Col: 601, EndCol: 602, Message: "long, once more"},
		}},
		{"/abs/a b.md", "x", []lint.Finding{{Rule: "long-line", Severity: lint.Note, Lines: lines(1, 1), Col: 1, EndCol: 2, Message: "m"}}},
		{"C:/win/a.md", "x", []lint.Finding{{Rule: "long-line", Severity: lint.Note, Lines: lines(9, 9), Col: 5, EndCol: 9, Message: "behind the end"}}},
		{"a:b.md", "x", []lint.Finding{{Rule: "long-line", Severity: lint.Note, Lines: lines(1, 1), Col: 2, EndCol: 2, Message: "at the end"}}},
	}
	return list
}

func options() Options {
	return Options{
		Reason:  func(rule string) string { return "because " + rule },
		Version: "v1.2.3",
		Rules: []Rule{
			{"list-as-next-action", lint.Error, "One step.", "# One step\n\n```\nfenced <b>\n```\n"},
			{"bare-heading", lint.Note, "", ""},
			{"vague-next-action", lint.Warning, "s", "d"},
			{"malformed-name", lint.Off, "s", "d"},
		},
	}
}

// write reports files in a format; the count comes last.
func write(t *testing.T, format string, opt Options, files []file) string {
	t.Helper()
	var out bytes.Buffer
	opt.Summary = &out
	r, err := New(format, &out, opt)
	if err != nil {
		t.Fatal(err)
	}
	var sum Summary
	for _, f := range files {
		sum.Count(f.findings)
		if err := r.File(f.path, f.line, f.findings); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(sum); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	for _, name := range append(Formats(), "color") {
		opt, format := options(), name
		if name == "color" {
			format, opt.Color = "text", true
			opt.Link = func(rule string) string { return "https://example.org/" + rule }
		}
		for suffix, files := range map[string][]file{"": samples(), ".none": nil, ".clean": samples()[:1]} {
			got := strings.ReplaceAll(write(t, format, opt, files), "\x1b", "␛")
			golden := filepath.Join("testdata", "golden", name+suffix)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", golden, got, want)
			}
		}
	}
}

func TestUnknownFormat(t *testing.T) {
	_, err := New("jsn", io.Discard, Options{})
	if err == nil || err.Error() != `unknown format "jsn" (text, json, sarif, github, junit)` {
		t.Errorf("got %v", err)
	}
}

// No format may let a file's name or words command the terminal or the log.
func TestNothingEscapes(t *testing.T) {
	for _, format := range []string{"text", "github", "junit"} {
		out := write(t, format, options(), samples())
		if strings.ContainsAny(out, "\x1b\x07\r\u202e") {
			t.Errorf("%s lets control characters through:\n%q", format, out)
		}
	}
	text := write(t, "text", Options{}, samples())
	if n := strings.Count(text, "\n"); n != 12 { // eleven findings and the count
		t.Errorf("text has %d lines:\n%s", n, text)
	}
}

func TestQuiet(t *testing.T) {
	got := write(t, "text", Options{Quiet: true}, samples())
	if strings.Contains(got, "explains") || strings.Count(got, "\n") != 11 {
		t.Errorf("got\n%s", got)
	}
	if got := write(t, "text", Options{Quiet: true}, nil); got != "" {
		t.Errorf("got %q", got)
	}
}

// A program that reads the JSON gets back what was found.
func TestJSONReadsBack(t *testing.T) {
	var got struct {
		Version  int
		Findings []jsonFinding
		Summary  jsonSummary
	}
	d := json.NewDecoder(strings.NewReader(write(t, "json", options(), samples())))
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	i := 0
	for _, s := range samples() {
		for _, f := range s.findings {
			g := got.Findings[i]
			path := strings.ToValidUTF8(s.path, "\ufffd")
			if g.Path != path || g.Message != f.Message || g.Line != f.Lines.First || g.Col != f.Col || g.EndCol != f.EndCol ||
				g.Severity != f.Severity.String() || g.Rename != f.Rename || g.Reason != "because "+f.Rule {
				t.Errorf("got %+v, want %+v", g, f)
			}
			if (g.Fix != nil) != (f.Edits != nil) {
				t.Errorf("got fix %+v, want %+v", g.Fix, f.Edits)
			}
			i++
		}
	}
	want := jsonSummary{Files: 6, Findings: 11, Errors: 3, Warnings: 3, Notes: 5, Fixable: 2}
	if got.Version != 1 || len(got.Findings) != i || got.Summary != want {
		t.Errorf("got version %d, %d findings, %+v", got.Version, len(got.Findings), got.Summary)
	}
}

// GitHub undoes its escapes and finds the path and the message.
func TestGitHubReadsBack(t *testing.T) {
	undo := func(s string) string {
		return strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace(s)
	}
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(write(t, "github", Options{}, samples())), "\n") {
		if !strings.HasPrefix(line, "::") {
			continue // the count of the text format does not come here
		}
		head, message, _ := strings.Cut(line[2:], "::")
		_, props, _ := strings.Cut(head, " ")
		for _, p := range strings.Split(props, ",") {
			key, value, _ := strings.Cut(p, "=")
			if key == "file" {
				got = append(got, undo(value)+"|"+undo(message))
			}
		}
	}
	if len(got) != 11 {
		t.Fatalf("%d annotations: %q", len(got), got)
	}
	if want := `specs/2_b c/ä %41,x:y.md|the file name has "two" <names> & 100% more`; got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
	if want := "::error::\\x1b[2J\nnew]]>\\xff\\u202e.md|hides \\x1b[31m and \r\n::warning::\\u202e"; got[5] != want {
		t.Errorf("got %q, want %q", got[5], want)
	}
}

func TestGitHubSaysTheRest(t *testing.T) {
	many := func(s lint.Severity, n int) []lint.Finding {
		return repeat(lint.Finding{Rule: "r", Severity: s, Message: "m"}, n)
	}
	for _, c := range []struct {
		findings []lint.Finding
		want     string
	}{
		{many(lint.Error, 10), ""},
		{many(lint.Error, 12), "::notice title=handoff::2 more errors in the log of this step: GitHub shows 10 of a kind"},
		{append(many(lint.Error, 11), many(lint.Note, 30)...), "::warning title=handoff::1 more error, 20 more notes in the log of this step: GitHub shows 10 of a kind"},
	} {
		out := write(t, "github", Options{}, []file{{"a.md", "", c.findings}})
		all := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		rest := strings.Join(all[len(c.findings):], "\n")
		if rest != c.want {
			t.Errorf("got %q, want %q", rest, c.want)
		}
	}
}

func repeat(f lint.Finding, n int) []lint.Finding {
	list := make([]lint.Finding, n)
	for i := range list {
		list[i] = f
	}
	return list
}

func TestJUnitReadsBack(t *testing.T) {
	var got struct {
		Suite struct {
			Cases []struct {
				Name     string `xml:"name,attr"`
				Failures []struct {
					Message string `xml:"message,attr"`
					Text    string `xml:",chardata"`
				} `xml:"failure"`
				Out string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(write(t, "junit", Options{}, samples())), &got); err != nil {
		t.Fatal(err)
	}
	var failures []int
	for _, c := range got.Suite.Cases {
		failures = append(failures, len(c.Failures))
	}
	if want := []int{0, 2, 1, 0, 0, 0}; !reflect.DeepEqual(failures, want) {
		t.Errorf("got %v failures, want %v", failures, want)
	}
	if want := `hides \x1b[31m and \r\n::warning::\u202e`; got.Suite.Cases[2].Failures[0].Message != want {
		t.Errorf("got %q, want %q", got.Suite.Cases[2].Failures[0].Message, want)
	}
	if name := got.Suite.Cases[2].Name; name != `::error::\x1b[2J\nnew]]>\xff\u202e.md` {
		t.Errorf("got name %q", name)
	}
	if strings.Count(got.Suite.Cases[1].Out, "\n") != 3 {
		t.Errorf("got output %q", got.Suite.Cases[1].Out)
	}
}

// A report's memory does not grow with the number of files.
func TestStreams(t *testing.T) {
	f := samples()[1]
	for _, format := range Formats() {
		n := 0
		counting := writerFunc(func(p []byte) (int, error) { n += len(p); return len(p), nil })
		opt := options()
		opt.Summary = io.Discard
		r, err := New(format, counting, opt)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range 20000 {
			if err := r.File(strconv.Itoa(i)+f.path, f.line, f.findings); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
			t.Errorf("%s: keeps %d bytes of 20000 files", format, grown)
		}
		if n < 20000*len(f.path) {
			t.Errorf("%s: only %d bytes before the end", format, n)
		}
		r.Close(Summary{})
	}
}

type writerFunc func([]byte) (int, error)

func (w writerFunc) Write(p []byte) (int, error) { return w(p) }

// A closed pipe must end the check, not be found at the end of it.
func TestWriteErrors(t *testing.T) {
	gone := errors.New("gone")
	f := samples()[1]
	for _, format := range Formats() {
		r, err := New(format, writerFunc(func([]byte) (int, error) { return 0, gone }), options())
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; err == nil && i < 1000; i++ {
			err = r.File(f.path, f.line, f.findings)
		}
		if err != gone {
			t.Errorf("%s: File gives %v", format, err)
		}
		if err := r.Close(Summary{}); err != gone {
			t.Errorf("%s: Close gives %v", format, err)
		}
	}
}

func TestWithoutSource(t *testing.T) {
	for _, format := range Formats() {
		var out bytes.Buffer
		r, err := New(format, &out, Options{Color: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.File("a.md", nil, samples()[1].findings); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(Summary{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), "vague-next-action") {
			t.Errorf("%s: got %s", format, out.String())
		}
	}
}

func TestSummaryLine(t *testing.T) {
	for want, s := range map[string]Summary{
		"":                             {Files: 3},
		"0 files checked":              {},
		"1 error in 1 of 1 handoff":    {Files: 1, Affected: 1, Errors: 1},
		"2 notes in 1 of 128 handoffs": {Files: 128, Affected: 1, Notes: 2},
		"4 errors, 1 warning in 1 of 128 handoffs; `handoff rules list-as-next-action` explains, `--fix` can mend 2": {
			Files: 128, Affected: 1, Errors: 4, Warnings: 1, Fixable: 2, Rule: "list-as-next-action"},
	} {
		if got := s.Line(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var s Summary
	s.Count(nil)
	s.Count([]lint.Finding{{Rule: "w", Severity: lint.Warning}, {Rule: "e", Severity: lint.Error, Rename: "x"}, {Rule: "f", Severity: lint.Error}})
	if got, want := s.Line(), "2 errors, 1 warning in 1 of 2 handoffs; `handoff rules e` explains, `--fix` can mend 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestStatistics(t *testing.T) {
	counts := Counts{}
	for _, f := range samples() {
		counts.Add(f.findings)
	}
	counts.Add(repeat(lint.Finding{Rule: "too-many-items", Severity: lint.Error}, 12))
	var out bytes.Buffer
	if err := Statistics(&out, counts); err != nil {
		t.Fatal(err)
	}
	want := `12  error    too-many-items
 5  warning  long-line
 1  note     bare-heading         1 fixable
 1  error    hidden-character
 1  error    list-as-next-action
 1  error    malformed-name       1 fixable
 1  note     unheard-of
 1  warning  vague-next-action
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		line        string
		col, end    int
		shown, mark string
	}{
		{"abc def", 5, 8, "abc def", "    ^~~"},
		{"abc", 0, 0, "abc", "^~~"},
		{"abc", 4, 4, "abc", "   ^"},
		{"abc", 9, 12, "abc", "   ^"},
		{"長い x", 8, 9, "長い x", "     ^"},
		{"e\u0301 x", 5, 6, "e\u0301 x", "  ^"},
		{"\tab", 2, 3, " ab", " ^"},
		{"a\x1bb", 3, 4, `a\x1bb`, "     ^"},
		{strings.Repeat("a", 300), 150, 152, "…" + strings.Repeat("a", 100) + "…", strings.Repeat(" ", 51) + "^~"},
		{strings.Repeat("a", 300), 1, 301, strings.Repeat("a", 100) + "…", "^" + strings.Repeat("~", 99)},
	} {
		f := lint.Finding{Lines: lines(1, 1), Col: c.col, EndCol: c.end}
		shown, mark := excerpt(c.line, &f)
		if shown != c.shown || mark != c.mark {
			t.Errorf("%q %d-%d: got\n%q\n%q\nwant\n%q\n%q", c.line, c.col, c.end, shown, mark, c.shown, c.mark)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add("a\tb\xff長", 2, 4)
	f.Fuzz(func(t *testing.T, line string, col, end int) {
		if strings.ContainsAny(line, "\n") {
			return
		}
		finding := lint.Finding{Rule: "r", Severity: lint.Note, Lines: lines(1, 1), Col: col, EndCol: end, Message: line}
		for _, format := range Formats() {
			r, err := New(format, io.Discard, Options{Color: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.File(line, func(int) string { return line }, []lint.Finding{finding}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
