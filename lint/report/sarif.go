package report

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

const (
	sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	// sourceRoot is the base that code scanning replaces by the checkout. Its
	// location is left out, so that a report is the same on every machine.
	sourceRoot = "%SRCROOT%"
	// fingerprint is the key by which GitHub tracks a finding.
	fingerprint = "primaryLocationLineHash"
)

// sarif writes one run. The rules come first, so that results can refer to them
// while they are streamed.
type sarif struct {
	out   *bufio.Writer
	index map[string]int // of each rule
	root  string         // with a slash at its end, or empty
	any   bool

	notices []sarifNotice
}

func newSARIF(out *bufio.Writer, opt Options) format {
	s := &sarif{out: out, index: make(map[string]int, len(opt.Rules))}
	if opt.Root != "" {
		s.root = strings.TrimSuffix(opt.Root, "/") + "/"
	}
	for i, r := range opt.Rules {
		s.index[r.Name] = i
	}
	out.WriteString(`{"$schema":"` + sarifSchema + `","version":"2.1.0","runs":[{"tool":{"driver":`)
	out.Write(compact(driverOf(opt)))
	out.WriteString(`},"columnKind":"utf16CodeUnits","originalUriBaseIds":{"` + sourceRoot +
		`":{"description":{"text":"the folder that was checked"}}},"results":[`)
	return s
}

func (s *sarif) file(path string, doc *handoff.Document, findings []lint.Finding) {
	if len(findings) == 0 {
		return
	}
	artifact := s.artifact(path)
	seen := map[string]int{} // of each hash in this file
	for i := range findings {
		f := &findings[i]
		hash := lineHash(f.Rule, line(doc, f.Lines.First))
		seen[hash]++
		if s.any {
			s.out.WriteByte(',')
		}
		s.any = true
		s.out.WriteByte('\n')
		s.out.Write(compact(s.result(f, doc, artifact, hash+":"+strconv.Itoa(seen[hash]))))
	}
}

func (s *sarif) unchecked(path, reason string) {
	n := sarifNotice{Level: "error", Message: sarifText{reason}}
	if path != "" {
		n.Locations = []sarifLocation{{sarifPhysical{Artifact: s.artifact(path)}}}
	}
	s.notices = append(s.notices, n)
}

func (s *sarif) close(Summary) {
	if s.any {
		s.out.WriteByte('\n')
	}
	s.out.WriteString(`],"invocations":`)
	s.out.Write(compact([]sarifInvocation{{len(s.notices) == 0, s.notices}}))
	s.out.WriteString("}]}\n")
}

func (s *sarif) result(f *lint.Finding, doc *handoff.Document, at sarifArtifact, print string) sarifResult {
	r := sarifResult{
		RuleID: f.Rule, Level: level(f.Severity), Message: sarifText{f.Message},
		Locations:    []sarifLocation{{sarifPhysical{at, regionOf(f, doc)}}},
		Fingerprints: map[string]string{fingerprint: print},
	}
	if i, ok := s.index[f.Rule]; ok {
		r.RuleIndex = &i
	}
	if len(f.Edits) > 0 {
		change := sarifChange{Artifact: at}
		for _, e := range f.Edits {
			change.Replacements = append(change.Replacements, replacementOf(e, doc))
		}
		r.Fixes = []sarifFix{{[]sarifChange{change}}}
	}
	if f.Rename != "" {
		r.Properties = map[string]string{"rename": f.Rename}
	}
	return r
}

// artifact makes a path a URI reference: relative to the root if it is below
// it, otherwise absolute.
func (s *sarif) artifact(path string) sarifArtifact {
	if s.root != "" {
		path = strings.TrimPrefix(path, s.root)
	}
	if strings.HasPrefix(path, "/") {
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: path}).String()}
	}
	path = strings.TrimPrefix(path, "./")
	return sarifArtifact{URI: (&url.URL{Path: path}).String(), BaseID: sourceRoot}
}

// lineHash identifies a finding by its rule and the words of its line, so that
// GitHub recognizes it when lines above it are added or removed.
func lineHash(rule, text string) string {
	sum := sha256.Sum256([]byte(rule + "\x00" + strings.Join(strings.Fields(text), " ")))
	return hex.EncodeToString(sum[:8])
}

func level(s lint.Severity) string {
	if s == lint.Off {
		return "none"
	}
	return s.String()
}
