// Package lint checks one handoff document against a list of rules.
//
// It takes a parsed document and returns findings; it opens no file, knows no
// clock and prints nothing. What a rule may look at beyond the document, the
// driver hands it in the Input. The rules themselves live in lint/rules.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"handoff"
	"handoff/internal/text/secret"
)

// Rule is one check. It is a value: rules are listed, switched off and
// documented without running them. Its documentation and its tests are the
// archive NAME.txtar beside it.
type Rule struct {
	Name     string   // what is flagged; reads well after "allow"
	Severity Severity // unless the settings say otherwise
	Profiles Profiles // the kinds of document it is meant for; zero means all
	Fixable  bool     // some of its findings carry Edits or a Rename
	Files    bool     // asks Input.Look
	Unquoted bool     // reports show its findings without the line of the document
	Late     bool     // runs when all others have, and sees which allows were used
	Check    func(*Pass)
}

// Severity says how bad a finding is. Only errors fail a check, unless it is
// strict.
type Severity uint8

// The severities, from not reported at all to failing.
const (
	Off Severity = iota
	Note
	Warning
	Error
)

var severityNames = [...]string{"off", "note", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity reads a severity's name.
func ParseSeverity(s string) (Severity, bool) {
	i := slices.Index(severityNames[:], s)
	return Severity(max(i, 0)), i >= 0
}

// Profiles is a set of kinds of document.
type Profiles uint8

// The two kinds of document that agents write into a handoffs folder.
const (
	Handoff    Profiles = 1 << iota // work goes on: the six sections
	Completion                      // a phase was closed: a report that says what comes next
)

func (p Profiles) String() string {
	if p == Completion {
		return "completion"
	}
	return "handoff"
}

// Settings are what a project may decide.
type Settings struct {
	Profile  Profiles            // Handoff, Completion, or both: let the document decide
	MaxLines int                 // most lines of a document
	MaxWords int                 // most words of a next action
	MaxFence int                 // most lines of one fenced block
	Padding  int                 // digits of a task number in a folder's name: 0 unpadded, -1 any
	Severity map[string]Severity // by rule name, instead of the rule's own
	Zone     *time.Location      // of times in names that say none; nil when it is not known
}

// Defaults are the settings of a project that says nothing.
func Defaults() Settings {
	return Settings{Profile: Handoff, MaxLines: 40, MaxWords: 60, MaxFence: 10, Padding: -1}
}

// Input is a document and what a rule may know of its surroundings.
type Input struct {
	Doc      *handoff.Document
	Path     string       // as findings print it; empty for text that has no file
	Name     handoff.Name // what the path says; zero for text that has no file
	Filed    bool         // the name was made just now, for this document: where they disagree, the document is wrong
	Siblings []string     // base names of all documents in the same folder, sorted
	Now      time.Time
	// Look answers what is at a path, with forward slashes: relative to the
	// workspace, or absolute. A path outside the workspace is reported to exist
	// and nothing else. It is nil where there is no workspace to look in.
	Look func(path string) Facts

	// Done, when it is closed, ends the check before the next rule: what was found
	// by then is not all there is. It may be nil.
	Done <-chan struct{}

	Looked int // grows by what rules look at; tests hold it against the length of the document
}

// Facts are what a rule may learn of a file.
type Facts struct {
	Exists bool
	Folder bool
	Lines  func() int // counts its lines, 0 when it cannot be read; nil for a folder
}

// Pass is one rule's run over one document.
type Pass struct {
	*Input
	Settings *Settings
	Profile  Profiles // Handoff or Completion, decided for this document
	Allows   []Allow  // complete only for a Late rule

	rule     *Rule
	severity Severity
	out      []Finding
}

// Finding is one thing a rule found.
type Finding struct {
	Rule     string
	Severity Severity
	Path     string
	Lines    handoff.Lines // zero when the file as a whole is meant
	Col      int           // 1-based byte column of the first line; 0 for the whole line
	EndCol   int           // column after the last byte on the last line; 0 when Col is
	Message  string
	Edits    []Edit // a safe fix: never changes an author's words
	Rename   string // a better base name, where the time it needs is known

	Derivable bool // of a rule of `handoff verify`: `handoff sync` would remove it
	More      int  // of a finding that [Limit] made: how many it replaces
}

// Edit replaces whole lines. An empty range (Last = First-1) inserts before
// line First; an empty Text deletes. Text ends with a line end unless it is
// empty.
type Edit struct {
	Lines handoff.Lines
	Text  string
}

// Report adds a finding. Rule, Severity and Path are filled in.
func (p *Pass) Report(f Finding) {
	f.Rule, f.Severity, f.Path = p.rule.Name, p.severity, p.Path
	p.out = append(p.out, f)
}

// At reports a message at a range of lines.
func (p *Pass) At(l handoff.Lines, format string, args ...any) {
	p.Fix(l, nil, format, args...)
}

// Fix reports a message at a range of lines together with edits that fix
// what it says; without edits it is [Pass.At].
func (p *Pass) Fix(l handoff.Lines, edits []Edit, format string, args ...any) {
	f := Finding{Lines: l, Edits: edits, Message: fmt.Sprintf(format, args...)}
	if l.First > 0 {
		f.Col, f.EndCol = 1, len(p.Doc.Line(l.Last))+1
	}
	p.Report(f)
}

// File reports a message about the file as a whole, or its name.
func (p *Pass) File(format string, args ...any) {
	p.Report(Finding{Message: fmt.Sprintf(format, args...)})
}

// Document runs the rules over a document and returns what they find, in the
// order of the document. Findings that the document allows are left out.
func Document(in *Input, rules []*Rule, set *Settings) []Finding {
	p := Pass{Input: in, Settings: set, Profile: profileOf(in.Doc, set)}
	p.run(rules, false)
	if p.Allows = allows(in.Doc); len(p.Allows) > 0 {
		p.markRan(rules)
		p.out = suppress(in.Doc, p.out, p.Allows)
	}
	p.run(rules, true)
	p.redact()
	if len(p.out) > 1 {
		slices.SortStableFunc(p.out, func(a, b Finding) int {
			return cmp.Or(cmp.Compare(a.Lines.First, b.Lines.First), cmp.Compare(a.Col, b.Col),
				cmp.Compare(a.Rule, b.Rule))
		})
	}
	return p.out
}

// redact takes the secrets of the document out of what findings say: messages
// quote documents, and they are printed, logged and kept.
func (p *Pass) redact() {
	if len(p.out) == 0 {
		return
	}
	secrets := secret.All(p.Doc.Source)
	if len(secrets) == 0 {
		return
	}
	without := secret.NewRedactor(p.Doc.Source, secrets)
	for i := range p.out {
		p.out[i].Message = without.Redact(p.out[i].Message)
	}
}

// run runs the late rules, or the others.
func (p *Pass) run(rules []*Rule, late bool) {
	for _, r := range rules {
		if r.Late != late || !p.meant(r) {
			continue
		}
		if p.ended() {
			return
		}
		if p.rule, p.severity = r, p.Settings.SeverityOf(r); p.severity != Off {
			r.Check(p)
		}
	}
}

// ended reports whether nobody waits for the findings any more.
func (in *Input) ended() bool {
	select {
	case <-in.Done:
		return true
	default:
		return false
	}
}

// meant reports whether a rule is meant for the document and can be run.
func (p *Pass) meant(r *Rule) bool {
	return (r.Profiles == 0 || r.Profiles&p.Profile != 0) && (!r.Files || p.Look != nil)
}

// markRan tells allows of rules that ran from those that had no chance.
func (p *Pass) markRan(rules []*Rule) {
	for i := range p.Allows {
		a := &p.Allows[i]
		a.Ran = slices.ContainsFunc(rules, func(r *Rule) bool { return r.Name == a.Rule && p.meant(r) && p.Settings.SeverityOf(r) != Off })
	}
}

// SeverityOf is the severity that the settings give a rule, or its own.
func (s *Settings) SeverityOf(r *Rule) Severity {
	if v, ok := s.Severity[r.Name]; ok {
		return v
	}
	return r.Severity
}
