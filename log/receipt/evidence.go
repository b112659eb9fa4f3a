package receipt

import (
	"fmt"
	"strings"
)

// Evidence is what was known when a handoff was recorded as done: which commands ran and how
// they ended, at which commit. Without any, done is only what its author says.
type Evidence struct {
	Checks      []Check `json:"checks,omitempty"`
	Commit      string  `json:"commit,omitempty"`      // HEAD then; "" without git
	Uncommitted int     `json:"uncommitted,omitempty"` // files that differed from it
	// Altered are the files that decide what the checks check, and were changed or deleted since the work began.
	Altered []string `json:"altered,omitempty"`
	None    string   `json:"none,omitempty"` // why no command ran
	Seen    string   `json:"seen,omitempty"` // then: what the record of the session shows of the checks that its agent ran
}

// Check is a command that ran.
type Check struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`          // exit status; -1 if it has none
	Why     string `json:"why,omitempty"` // why it failed
}

// OK reports whether a command ran and all succeeded.
func (e *Evidence) OK() bool {
	for _, c := range e.Checks {
		if c.Exit != 0 {
			return false
		}
	}
	return len(e.Checks) > 0
}

// String returns the evidence in one line.
func (e *Evidence) String() string {
	if len(e.Checks) == 0 {
		if e.Seen != "" {
			return "no evidence: " + e.None + "; in the session: " + e.Seen
		}
		return "no evidence: " + e.None
	}
	var parts []string
	for _, c := range e.Checks {
		if c.Exit == 0 {
			parts = append(parts, "`"+c.Command+"` succeeded")
		} else {
			parts = append(parts, "`"+c.Command+"` failed: "+c.Why)
		}
	}
	text := strings.Join(parts, ", ")
	if e.Commit != "" {
		text += " at " + e.Commit[:min(10, len(e.Commit))]
	}
	if e.Uncommitted > 0 {
		text += fmt.Sprintf(" with %d files not committed", e.Uncommitted)
	}
	if note := e.Doubt(); note != "" {
		text += "; " + note
	}
	return text
}

// maxAltered is how many files a doubt names.
const maxAltered = 4

// Doubt says which files of its own checks the work has changed; "" for none.
func (e *Evidence) Doubt() string {
	n := len(e.Altered)
	switch {
	case n == 0:
		return ""
	case n > maxAltered:
		return fmt.Sprintf("it changed what checks it: %s and %d more", strings.Join(e.Altered[:maxAltered], ", "), n-maxAltered)
	}
	return "it changed what checks it: " + strings.Join(e.Altered, ", ")
}
