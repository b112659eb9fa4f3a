package report_test

import (
	"encoding/json"
	"encoding/xml"
	"io"
	"runtime"
	"strings"
	"testing"
	"unicode/utf16"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/lint/report"
)

// The JSON of a fix must be enough to apply it.
func TestJSONReadsBack(t *testing.T) {
	files := awkward()
	var got struct {
		Findings []struct {
			Path, Message string
			Fix           struct {
				Edits []struct {
					First, Last int
					Text        string
				}
			}
		}
		Summary map[string]int
	}
	if err := json.Unmarshal([]byte(write(t, "json", options(), files)), &got); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		for _, f := range file.findings {
			g := got.Findings[n]
			n++
			if g.Path != file.path || g.Message != strings.ToValidUTF8(f.Message, "\ufffd") || len(g.Fix.Edits) != len(f.Edits) {
				t.Errorf("finding %d is %+v, want %+v", n, g, f)
			}
			for i, e := range f.Edits {
				if back := (lint.Edit{Lines: handoff.Lines{First: g.Fix.Edits[i].First, Last: g.Fix.Edits[i].Last}, Text: g.Fix.Edits[i].Text}); back != e {
					t.Errorf("edit is %+v, want %+v", back, e)
				}
			}
		}
	}
	if n != len(got.Findings) || got.Summary["findings"] != n {
		t.Errorf("%d findings, %d written, summary %v", n, len(got.Findings), got.Summary)
	}
}

func TestJUnitIsXML(t *testing.T) {
	text := write(t, "junit", options(), awkward())
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	var suites struct {
		Suite []struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Case     []struct {
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
				Failure []struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &suites); err != nil {
		t.Fatal(err)
	}
	if len(suites.Suite) != len(awkward()) {
		t.Errorf("%d suites for %d files", len(suites.Suite), len(awkward()))
	}
	for i, s := range suites.Suite {
		failed, broken := 0, 0
		for _, c := range s.Case {
			if c.Error != nil {
				broken++
			}
			if len(c.Failure) > 0 {
				failed++
			}
		}
		if s.Tests != len(s.Case) || s.Failures != failed || s.Errors != broken {
			t.Errorf("suite %d says %d tests, %d failures, %d errors; has %d, %d, %d", i, s.Tests, s.Failures, s.Errors, len(s.Case), failed, broken)
		}
	}
}

// replacement is a SARIF replacement as a reader sees it.
type replacement struct {
	DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
	InsertedContent struct{ Text string }
}

// apply works as the standard specifies, on UTF-16, without using our edits.
func (r replacement) apply(t *testing.T, src string) string {
	t.Helper()
	units := utf16.Encode([]rune(src))
	offset := func(line, col int) int {
		at := 0
		for ; line > 1; line-- {
			for at < len(units) && units[at] != '\n' {
				at++
			}
			at++
		}
		if at+col-1 > len(units) {
			t.Fatalf("%+v reaches beyond the end of %q", r, src)
		}
		return at + col - 1
	}
	d := r.DeletedRegion
	start, end := offset(d.StartLine, d.StartColumn), offset(d.EndLine, d.EndColumn)
	return string(utf16.Decode(units[:start])) + r.InsertedContent.Text + string(utf16.Decode(units[end:]))
}

// A fix in SARIF makes of the document what lint.Apply makes of it.
func TestSARIFFixes(t *testing.T) {
	for _, src := range []string{"", "a", "a\n", "a\nb🍌c", "a\nb🍌c\n", "a\r\nb\r\nc", "a\r\nb\r\nc\r\n"} {
		doc := handoff.NewDocument(src)
		n := doc.NumLines()
		for first := 1; first <= n+1; first++ {
			for last := first - 1; last <= n; last++ {
				for _, text := range []string{"", "x\n", "x\ny\n", "x\r\ny\r\n"} {
					e := lint.Edit{Lines: handoff.Lines{First: first, Last: last}, Text: text}
					if first > last && text == "" {
						continue
					}
					checkFix(t, doc, e)
				}
			}
		}
	}
}

func checkFix(t *testing.T, doc *handoff.Document, e lint.Edit) {
	t.Helper()
	out := write(t, "sarif", report.Options{}, []checked{{"a.md", doc, []lint.Finding{
		{Rule: "r", Severity: lint.Error, Message: "m", Edits: []lint.Edit{e}}}, ""}})
	var log struct {
		Runs []struct {
			Results []struct {
				Fixes []struct {
					ArtifactChanges []struct{ Replacements []replacement }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil {
		t.Fatal(err)
	}
	got := log.Runs[0].Results[0].Fixes[0].ArtifactChanges[0].Replacements[0].apply(t, doc.Source)
	if want := lint.Apply(doc, []lint.Edit{e}); got != want {
		t.Errorf("%+v on %q: SARIF gives %q, Apply %q", e, doc.Source, got, want)
	}
}

// Many files must not cost memory: what a file brought is forgotten with it.
func TestReportsStream(t *testing.T) {
	files := awkward()
	for _, format := range report.Formats() {
		r, err := report.New(format, io.Discard, options())
		if err != nil {
			t.Fatal(err)
		}
		heap := func() uint64 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		before := heap()
		for range 1000 {
			for _, f := range files {
				if err := r.File(f.path, f.doc, f.findings); err != nil {
					t.Fatal(err)
				}
			}
		}
		if after := heap(); after > before+200<<10 {
			t.Errorf("%s: 5000 files keep %d KiB", format, (after-before)>>10)
		}
		if err := r.Close(report.Summary{}); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkFile(b *testing.B) {
	files := awkward()
	for _, format := range report.Formats() {
		for name, f := range map[string]checked{"clean": files[0], "five": files[1]} {
			b.Run(format+"/"+name, func(b *testing.B) {
				r, err := report.New(format, io.Discard, options())
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for b.Loop() {
					_ = r.File(f.path, f.doc, f.findings)
				}
			})
		}
	}
}
