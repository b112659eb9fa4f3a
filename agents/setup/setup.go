// Package setup installs handoff in the programs that run agents: hooks, the MCP
// server, the skill and a block in AGENTS.md, in the files that each program reads.
// The table of programs is data; package edit makes the changes to the texts.
//
// Make reads and plans everything, Apply writes. Removing needs no record of what was
// installed: it works in a clone, and after other people changed the files.
package setup

import (
	"fmt"

	"handoff/agents"
	"handoff/agents/setup/edit"
)

// Request selects what to install or, with Remove, to remove.
type Request struct {
	Hosts   []string // names; none for all that are found or, with Remove, for all
	Project string   // absolute
	User    bool     // for all projects of the user, not for this one
	Remove  bool
	Machine Machine
	// Table is the table of agents, with the project's own entries if the user has trusted
	// these; nil for the built-in one. With User, the built-in one is always used: what is
	// installed for all projects is not the choice of one.
	Table []agents.Agent
}

// Verb is what happens to a file.
type Verb string

// The verbs.
const (
	Created Verb = "created"
	Changed Verb = "changed"
	Kept    Verb = "kept" // it has everything
	Removed Verb = "removed"
	Left    Verb = "left"    // not changed; Why has the reason
	Skipped Verb = "skipped" // another file has it; Why names that
)

// Step is a file, and what happens to it.
type Step struct {
	Verb  Verb     `json:"action"`
	Path  string   `json:"file"` // below the project, or from ~
	Hosts []string `json:"hosts"`
	Parts []Kind   `json:"parts"`
	Why   string   `json:"why,omitempty"`

	place         place
	Before, After edit.Text `json:"-"`
}

// Changes reports whether the file is written or removed.
func (s *Step) Changes() bool { return s.Before != s.After }

// Found is a host that was found, and what shows it.
type Found struct {
	Host string `json:"host"`
	Why  string `json:"why"`
}

// Plan is what an installation does.
type Plan struct {
	Found []Found  // for a request without hosts
	Steps []*Step  // files in the order in which they are written
	Next  []string // what the user has to do, a line a host

	request Request
	table   []agents.Agent
}

// Make plans an installation and changes nothing. An error means that nothing may be
// written: a file cannot be read or parsed, or hooks would run twice.
func Make(req Request) (*Plan, error) {
	p, err := newPlanner(req)
	if err != nil {
		return nil, err
	}
	if err := p.choose(); err != nil {
		return nil, err
	}
	for _, prog := range p.chosen {
		if err := p.program(prog); err != nil {
			return nil, fmt.Errorf("%s: %w", prog.name, err)
		}
	}
	return p.plan, p.finish()
}
