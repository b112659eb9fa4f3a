package report

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"strings"

	"handoff/lint"
)

// junit writes one suite with a test case for each file: errors are failures,
// warnings and notes its output. The suite carries no counts, which stand
// before what they count: readers count themselves.
type junit struct{ out *bufio.Writer }

func newJUnit(out *bufio.Writer, _ Options) format {
	out.WriteString(xml.Header + "<testsuites>\n<testsuite name=\"handoff\">\n")
	return &junit{out}
}

func (j *junit) file(path string, src func(int) string, findings []lint.Finding) {
	fmt.Fprintf(j.out, "<testcase classname=\"handoff\" name=\"%s\" file=\"%s\"", xmlText(path), xmlText(path))
	if len(findings) == 0 {
		j.out.WriteString("/>\n")
		return
	}
	j.out.WriteString(">\n")
	talk := false
	for i := range findings {
		f := &findings[i]
		if f.Severity != lint.Error {
			talk = true
			continue
		}
		fmt.Fprintf(j.out, "<failure type=\"%s\" message=\"%s\">%s</failure>\n",
			xmlText(f.Rule), xmlText(f.Message), xmlText(plain(path, src, f)))
	}
	if talk {
		j.talk(path, src, findings)
	}
	j.out.WriteString("</testcase>\n")
}

func (j *junit) talk(path string, src func(int) string, findings []lint.Finding) {
	j.out.WriteString("<system-out>")
	for i := range findings {
		if f := &findings[i]; f.Severity != lint.Error {
			j.out.WriteString(xmlText(plain(path, src, f)) + "\n")
		}
	}
	j.out.WriteString("</system-out>\n")
}

// plain is the finding as text shows it.
func plain(path string, src func(int) string, f *lint.Finding) string {
	line := ""
	if f.Lines.First > 0 {
		line = src(f.Lines.First)
	}
	return fmt.Sprintf("%s: %s: %s (%s)", place(path, line, f), f.Severity, f.Message, f.Rule)
}

func (j *junit) close(Summary) { j.out.WriteString("</testsuite>\n</testsuites>\n") }

// xmlText escapes for text and attributes. XML cannot hold control characters,
// escaped or not: they are made visible first.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(visible(s)))
	return b.String()
}
