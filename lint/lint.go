// Package lint checks one handoff document against a list of rules.
//
// It takes a parsed document and returns findings. It opens no file, reads no
// clock and prints nothing: the driver passes everything else that a rule may
// read in the [Input]. The rules for one document are in lint/rules. Those of
// `handoff verify`, in workspace/reconcile/rules, use the same types.
package lint

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/secret"
)

// Rule is one check. It is a value, so that rules are listed, switched off and
// documented without running them. The archive NAME.txtar beside its code
// documents and tests it.
type Rule struct {
	Name     string   // what is flagged; reads well after "allow"
	Severity Severity // the default; settings can replace it
	Profiles Profiles // the kinds of document that it checks; zero means all
	Fixable  bool     // some of its findings have Edits or a Rename
	Files    bool     // uses Input.Look
	Unquoted bool     // reports show its findings without the source line
	Late     bool     // runs after all others, when it is known which allows were used
	Check    func(*Pass)
}

// Severity is how bad a finding is. Only errors make a check fail, unless it is
// strict.
type Severity uint8

// The severities, from not reported to failing.
const (
	Off Severity = iota
	Note
	Warning
	Error
)

var severityNames = [...]string{"off", "note", "warning", "error"}

func (s Severity) String() string { return severityNames[s] }

// ParseSeverity parses the name of a severity.
func ParseSeverity(s string) (Severity, bool) {
	i := slices.Index(severityNames[:], s)
	return Severity(max(i, 0)), i >= 0
}

// Profiles is a set of kinds of document.
type Profiles uint8

// The kinds of document that agents write into a handoffs folder.
const (
	Handoff    Profiles = 1 << iota // unfinished work: the six sections
	Completion                      // a closed phase: a report, with what comes next
)

func (p Profiles) String() string {
	if p == Completion {
		return "completion"
	}
	return "handoff"
}

// Settings are what a project can configure.
type Settings struct {
	Profile  Profiles            // Handoff, Completion, or both: the document decides
	MaxLines int                 // maximum for a document
	MaxWords int                 // maximum for a next action
	MaxFence int                 // maximum for one fenced block
	Padding  int                 // digits of a task number in a folder's name: 0 unpadded, -1 any
	Severity map[string]Severity // by rule name, instead of the rule's own
	Zone     *time.Location      // of times in names that have none; nil if unknown
	// Next is the heading of the next step in documents of a layout, "" for our own.
	// Rules for both kinds of document apply to them, as far as Severity has them on.
	Next string
}

// Defaults are the settings of a project without a configuration.
func Defaults() Settings {
	return Settings{Profile: Handoff, MaxLines: 40, MaxWords: 60, MaxFence: 10, Padding: -1}
}

// Input is a document with everything else that a rule may know.
type Input struct {
	Doc      *handoff.Document
	Path     string       // as findings print it; empty for text that has no file
	Name     handoff.Name // parsed from the path; zero for text that has no file
	Filed    bool         // the name was generated for this document: if they differ, the document is wrong
	Siblings []string     // base names of all documents in the same folder, sorted
	Now      time.Time
	// Look returns what is at a path, with forward slashes: relative to the
	// workspace, or absolute. It reports only that a path outside the workspace
	// exists. It is nil if there is no workspace.
	Look func(path string) Facts

	// Since returns what became of a path that does not exist, if the document is finished and
	// git knows that the path was deleted or renamed after it: its name now, or "". It is nil if
	// that is unknown.
	Since func(path string) (now string, known bool)

	// Like returns the only file of the workspace with the same base name as a path that does not
	// exist, "" for none or several. It may be nil.
	Like func(path string) string

	// Done ends the check before the next rule when it is closed: the findings
	// are incomplete then. It may be nil.
	Done <-chan struct{}

	Looked int // steps that rules took; tests compare it with the length of the document
}

// Facts are what a rule may know of a file.
type Facts struct {
	Exists bool
	Folder bool
	Lines  func() int // counts its lines, 0 if it cannot be read; nil for a folder
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

// Finding is a problem that a rule found.
type Finding struct {
	Rule     string
	Severity Severity
	Path     string
	Lines    handoff.Lines // zero if it is about the whole file
	Col      int           // 1-based byte column of the first line; 0 for the whole line
	EndCol   int           // column after the last byte on the last line; 0 if Col is
	Message  string
	Edits    []Edit // a safe fix: never changes an author's words
	Rename   string // a better base name, if the time that it needs is known

	Derivable bool // of a rule of `handoff verify`: `handoff sync` removes it
	More      int  // how many findings this one replaces: see [Limit]
}

// Edit replaces whole lines. An empty range (Last = First-1) inserts before
// line First; an empty Text deletes. Text ends with a line end unless it is
// empty.
type Edit struct {
	Lines handoff.Lines
	Text  string
}

// Report adds a finding. It sets Rule, Severity and Path.
func (p *Pass) Report(f Finding) {
	f.Rule, f.Severity, f.Path = p.rule.Name, p.severity, p.Path
	p.out = append(p.out, f)
}

// Note adds a finding about what needs no change: a note, whatever the severity of the rule.
func (p *Pass) Note(f Finding) {
	p.Report(f)
	p.out[len(p.out)-1].Severity = min(Note, p.severity)
}

// At reports a message at a range of lines.
func (p *Pass) At(l handoff.Lines, format string, args ...any) {
	p.Fix(l, nil, format, args...)
}

// Fix reports a message at a range of lines with edits that fix the problem;
// without edits it is [Pass.At].
func (p *Pass) Fix(l handoff.Lines, edits []Edit, format string, args ...any) {
	f := Finding{Lines: l, Edits: edits, Message: fmt.Sprintf(format, args...)}
	if l.First > 0 {
		f.Col, f.EndCol = 1, len(p.Doc.Line(l.Last))+1
	}
	p.Report(f)
}

// File reports a message about the whole file, or its name.
func (p *Pass) File(format string, args ...any) {
	p.Report(Finding{Message: fmt.Sprintf(format, args...)})
}

// Document runs the rules over a document and returns their findings in the
// order of the document, without those that the document allows.
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

// redact removes the document's secrets from messages, because messages quote
// documents and are printed and logged.
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
		if r.Late != late || !p.applies(r) {
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

// ended reports whether the caller no longer needs the findings.
func (in *Input) ended() bool {
	select {
	case <-in.Done:
		return true
	default:
		return false
	}
}

// applies reports whether a rule applies to the document and can run.
func (p *Pass) applies(r *Rule) bool {
	return (r.Profiles == 0 || r.Profiles&p.Profile != 0 || p.Settings.Next != "") && (!r.Files || p.Look != nil)
}

// markRan marks the allows of rules that ran. An unused allow of any other rule
// proves nothing.
func (p *Pass) markRan(rules []*Rule) {
	for i := range p.Allows {
		a := &p.Allows[i]
		a.Ran = slices.ContainsFunc(rules, func(r *Rule) bool { return r.Name == a.Rule && p.applies(r) && p.Settings.SeverityOf(r) != Off })
	}
}

// SeverityOf returns the severity that the settings give a rule, or its default.
func (s *Settings) SeverityOf(r *Rule) Severity {
	if v, ok := s.Severity[r.Name]; ok {
		return v
	}
	return r.Severity
}
