// Package seen has what the record of an agent's session shows of the commands that checked its work: how the last one ended,
// and what was changed after it. It is one value for all who ask: the mark of a claim in a new document, the evidence of
// `handoff done`, and the gate of a relay.
//
// It knows marks, and neither transcripts nor documents.
package seen

import (
	"fmt"
	"strings"

	"handoff/document/evidence"
)

// Kinds is a set of ways in which a command checks the work.
type Kinds uint8

// The ways.
const (
	Tests  Kinds = 1 << iota
	Builds       // it compiles
	Lints        // it looks for faults without running the program
)

// Status is how a command ended, as far as the record of a session shows it.
type Status uint8

// The statuses. Unknown is also that of a command whose status was lost in a pipe.
const (
	Unknown Status = iota
	Passed
	Failed
)

// Ran is the last command of a session that checked the work in one way.
type Ran struct {
	Kinds   Kinds
	Command string // on one line
	Plain   bool   // it can be run as it is, in the root of the workspace and without a shell
	Status  Status
	Exit    int    // the status with which it failed, 0 if that was lost
	Shown   string // the total that it printed, which shows Status where its exit status was lost
	Line    int    // of the record of the session
	Edited  string // what was changed after it, a file or a command that changes files; "" for nothing that is recorded
}

// Session is what the record of a session shows of its work. The zero value is no record.
type Session struct {
	Read bool     // there is a record
	Ran  []Ran    // at most one for each way
	Idle []string // what subagents were asked that reported back without having called a tool
}

// Of returns the command that decides about a claim that the work was checked in some ways: one that failed, else one after
// which something was changed. ok is false if the session did not check the work in one of them, or not with one command.
func (s Session) Of(kinds Kinds) (worst Ran, ok bool) {
	var have Kinds
	one := true
	for _, r := range s.Ran {
		if r.Kinds&kinds == 0 {
			continue
		}
		one = one && (have == 0 || worst.Command == r.Command)
		if have == 0 || r.rank() > worst.rank() {
			worst = r
		}
		have |= r.Kinds
	}
	if worst.Status == Failed {
		return worst, true
	}
	return worst, kinds != 0 && have&kinds == kinds && (one || worst.Edited != "")
}

// rank says how much a command speaks against a claim.
func (r Ran) rank() int {
	switch {
	case r.Status == Failed:
		return 3
	case r.Edited != "":
		return 2
	case r.Status == Unknown:
		return 1
	}
	return 0
}

// Reason says in one line why a claim is not shown to be true; "" if the command shows it, or nothing is known.
func (r Ran) Reason() string {
	switch command := inMark(r.Command); {
	case r.Status == Failed && r.Shown != "":
		return fmt.Sprintf("%s%s, which printed %q", evidence.FailedLast, command, inMark(r.Shown))
	case r.Status == Failed:
		return fmt.Sprintf("%s%s, exit %d", evidence.FailedLast, command, r.Exit)
	case r.Edited == "":
		return ""
	case r.Status == Passed:
		return fmt.Sprintf("%s, %s: %s passed before", evidence.EditedLast, inMark(r.Edited), command)
	default:
		return fmt.Sprintf("%s, %s: %s ran before", evidence.EditedLast, inMark(r.Edited), command)
	}
}

// maxInMark is the most bytes of a command or a name in a mark.
const maxInMark = 80

// inMark is a text for the inside of a mark, which ends at a bracket.
func inMark(text string) string {
	text = strings.Join(strings.Fields(strings.NewReplacer("[", "(", "]", ")", "`", "'", "<", "'", ">", "'").Replace(text)), " ")
	if len(text) > maxInMark {
		text = strings.ToValidUTF8(text[:maxInMark], "") + "…"
	}
	return text
}

// Mark is the mark of a claim, with the commit that has what was checked, or ""; "" if there is nothing to say.
func (r Ran) Mark(commit string) string {
	if why := r.Reason(); why != "" {
		return "[unverified: " + why + "]"
	}
	if r.Status != Passed || !r.Plain || strings.ContainsAny(r.Command, "[]`\n") {
		return ""
	}
	if commit != "" {
		commit = " @" + commit
	}
	mark := "[verified: " + r.Command + commit + "]"
	if _, m, err := evidence.Split("x " + mark); err != nil || m == nil {
		return ""
	}
	return mark
}

// String says in one line what a session shows of its checks, for a reader who does not know the claim; "" for nothing.
func (s Session) String() string {
	if s.Read && len(s.Ran) == 0 {
		return "no known command checked the work"
	}
	var parts []string
	for i, r := range s.Ran {
		if i > 0 && s.Ran[i-1].Command == r.Command {
			continue
		}
		text := r.Reason()
		switch {
		case text == "" && r.Shown != "":
			text = fmt.Sprintf("%s passed after the last edit, as it printed: %q", inMark(r.Command), inMark(r.Shown))
		case text == "" && r.Status == Passed:
			text = inMark(r.Command) + " passed after the last edit"
		case text == "":
			text = inMark(r.Command) + " ran, and its exit status is not recorded"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ")
}
