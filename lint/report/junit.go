package report

import (
	"bufio"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/visible"
	"handoff/lint"
)

// junit writes one suite with one test case for each file. So the counts of a
// suite, which some readers require, are known when it is written. The counts
// of the whole report, which no reader requires, are left out.
type junit struct{ out *bufio.Writer }

// xmlHeader is xml.Header. What encoding/xml prepares at the start of each process
// costs more than a hook has to spare.
const xmlHeader = `<?xml version="1.0" encoding="UTF-8"?>` + "\n"

func newJUnit(out *bufio.Writer, _ Options) format {
	out.WriteString(xmlHeader + "<testsuites name=\"handoff\">\n")
	return junit{out}
}

func (j junit) file(path string, doc *handoff.Document, findings []lint.Finding) {
	var failures, rest strings.Builder
	for i := range findings {
		f := &findings[i]
		plain := place(path, doc, f) + ": " + says(f)
		if f.Severity != lint.Error {
			rest.WriteString(plain + "\n")
			continue
		}
		fmt.Fprintf(&failures, "   <failure type=\"%s\" message=\"%s\">%s</failure>\n",
			markup(f.Rule), markup(visible.Text(f.Message)), markup(plain))
	}
	failed := 0
	if failures.Len() > 0 {
		failed = 1
	}
	name := markup(visible.Text(path))
	fmt.Fprintf(j.out, " <testsuite name=\"%s\" tests=\"1\" failures=\"%d\" errors=\"0\">\n", name, failed)
	fmt.Fprintf(j.out, "  <testcase name=\"%s\" classname=\"handoff\"", name)
	if len(findings) == 0 {
		j.out.WriteString("/>\n </testsuite>\n")
		return
	}
	j.out.WriteString(">\n" + failures.String())
	if rest.Len() > 0 {
		fmt.Fprintf(j.out, "   <system-out>%s</system-out>\n", markup(strings.TrimSuffix(rest.String(), "\n")))
	}
	j.out.WriteString("  </testcase>\n </testsuite>\n")
}

// unchecked is an error, as JUnit calls a test that could not be run.
func (j junit) unchecked(path, reason string) {
	name, plain := "handoff", visible.Text(reason)
	if path != "" {
		name = visible.Text(path)
		plain = name + ": " + plain
	}
	fmt.Fprintf(j.out, " <testsuite name=\"%s\" tests=\"1\" failures=\"0\" errors=\"1\">\n", markup(name))
	fmt.Fprintf(j.out, "  <testcase name=\"%s\" classname=\"handoff\">\n", markup(name))
	fmt.Fprintf(j.out, "   <error type=\"unchecked\" message=\"%s\">%s</error>\n", markup(visible.Text(reason)), markup(plain))
	j.out.WriteString("  </testcase>\n </testsuite>\n")
}

func (j junit) close(Summary) { j.out.WriteString("</testsuites>\n") }

// markup escapes text for attributes and content.
func markup(s string) string { return markupEscapes.Replace(s) }

var markupEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")
