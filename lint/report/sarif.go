package report

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"handoff/lint"
)

// sarif writes a log in SARIF 2.1.0, the format of code scanning. Columns are
// UTF-16 code units. URIs are relative to %SRCROOT%, which the reader knows.
type sarif struct {
	out    *bufio.Writer
	encode *json.Encoder
	index  map[string]int // of a rule in the list of rules
	some   bool           // there was a finding
}

const (
	sarifHead = `{"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",` +
		`"version":"2.1.0","runs":[{"tool":{"driver":`
	sarifRun = `},"columnKind":"utf16CodeUnits",` +
		`"originalUriBaseIds":{"%SRCROOT%":{"description":{"text":"the folder that paths are relative to"}}},"results":[`
)

func newSARIF(out *bufio.Writer, opt Options) format {
	s := &sarif{out, encoder(out), map[string]int{}, false}
	for i, r := range opt.Rules {
		s.index[r.Name] = i
	}
	out.WriteString(sarifHead)
	_ = s.encode.Encode(driverOf(opt)) // an error stays in the writer
	out.WriteString(sarifRun)
	return s
}

func (s *sarif) file(path string, src func(int) string, findings []lint.Finding) {
	seen := map[[sha256.Size]byte]int{}
	for i := range findings {
		f := &findings[i]
		r := sarifResult{RuleID: f.Rule, Level: level(f.Severity), Message: sarifText{f.Message}}
		if i, ok := s.index[f.Rule]; ok {
			r.RuleIndex = &i
		}
		at := artifact(path)
		r.Locations = []sarifLocation{{sarifPhysical{at, regionOf(src, f)}}}
		print := fingerprint(src, f)
		seen[print]++
		r.Fingerprints = map[string]string{"primaryLocationLineHash": fmt.Sprintf("%x:%d", print[:8], seen[print])}
		r.Fixes = fixes(at, f)
		if f.Rename != "" {
			r.Properties = map[string]string{"rename": f.Rename}
		}
		separate(s.out, &s.some)
		_ = s.encode.Encode(r)
	}
}

func (s *sarif) close(Summary) { s.out.WriteString("]}]}\n") }

func level(s lint.Severity) string {
	if s == lint.Off {
		return "none"
	}
	return s.String()
}

// fingerprint lets code scanning know a finding again when lines before it
// come and go: the rule and its line, however that is spaced.
func fingerprint(src func(int) string, f *lint.Finding) [sha256.Size]byte {
	line := ""
	if f.Lines.First > 0 {
		line = strings.Join(strings.Fields(src(f.Lines.First)), " ")
	}
	return sha256.Sum256([]byte(f.Rule + "\n" + line))
}

// artifact is the file as a URI. Absolute paths get the scheme file.
func artifact(path string) sarifArtifact {
	switch {
	case strings.HasPrefix(path, "/"):
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}
	case len(path) > 2 && path[1:3] == ":/": // a Windows drive
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: "/" + path}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: path}).String(), BaseID: "%SRCROOT%"}
}

// regionOf is the place of a finding. Code scanning wants a line even where
// the file as a whole is meant.
func regionOf(src func(int) string, f *lint.Finding) sarifRegion {
	if f.Lines.First == 0 {
		return sarifRegion{StartLine: 1}
	}
	r := sarifRegion{StartLine: f.Lines.First, EndLine: last(f)}
	if f.Col > 0 {
		r.StartColumn = utf16Column(src(r.StartLine), f.Col)
		if f.EndCol > 0 {
			r.EndColumn = utf16Column(src(r.EndLine), f.EndCol)
		}
	}
	return r
}

// utf16Column turns a 1-based byte column of a line into one that counts
// UTF-16 code units.
func utf16Column(line string, col int) int {
	if col < 1 || col > len(line)+1 {
		return max(col, 1)
	}
	n := 1
	for _, c := range line[:col-1] {
		n++
		if c > 0xffff {
			n++
		}
	}
	return n
}

// fixes is the mend of a finding. An edit of whole lines ends before the first
// column of the line behind them.
func fixes(at sarifArtifact, f *lint.Finding) []sarifFix {
	if len(f.Edits) == 0 {
		return nil
	}
	change := sarifChange{Artifact: at}
	for _, e := range f.Edits {
		r := sarifReplacement{Deleted: sarifRegion{StartLine: e.Lines.First, StartColumn: 1, EndLine: e.Lines.Last + 1, EndColumn: 1}}
		if e.Text != "" {
			r.Inserted = &sarifText{e.Text}
		}
		change.Replacements = append(change.Replacements, r)
	}
	return []sarifFix{{sarifText{"mend what " + f.Rule + " found"}, []sarifChange{change}}}
}
