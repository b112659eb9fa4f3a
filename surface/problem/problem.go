// Package problem is the registry of the problems that programs can tell apart: a URI, a
// title and a status for each, and the members that its answer has besides. HTTP answers
// with them (RFC 9457), commands print them with --json, and the clients have their types.
//
// The package knows nothing of the errors that become problems: see surface/refusal.
package problem

import (
	"net/http"
	"time"
)

// Type identifies a problem. Names never change; new versions may add some.
type Type string

// Blank is the type of a problem of which the status says everything.
const Blank Type = "about:blank"

// Problem is the body of an error (RFC 9457). Which of the optional members it has
// depends on its type: see [Kinds].
type Problem struct {
	Type   Type   `json:"type" doc:"identifies the problem"`
	Title  string `json:"title" doc:"what the type means, or the reason phrase of the status"`
	Status int    `json:"status" doc:"HTTP status code"`
	Detail string `json:"detail,omitempty" doc:"what is wrong, and what to do; it never echoes values of the request, except the anchor, id or date of a failed tape query, the id of a thread, run or artifact that does not exist, and the name of an unknown member or parameter"`

	Path       string     `json:"path,omitempty" doc:"handoff that it is about, relative to the workspace"`
	State      string     `json:"state,omitempty" doc:"what became of the handoff: done or superseded"`
	Holder     string     `json:"holder,omitempty" doc:"name of the one that holds or finished the handoff"`
	Since      *time.Time `json:"since,omitempty" doc:"since when"`
	Until      *time.Time `json:"until,omitempty" doc:"end of the holder's lease"`
	Token      uint64     `json:"token,omitempty" doc:"fencing token of the holder's claim"`
	RetryAfter int64      `json:"retry_after,omitempty" doc:"seconds after which the request may succeed, as in the header Retry-After"`
	Name       string     `json:"name,omitempty" doc:"unknown member of the body, with the members that contain it, or unknown parameter, flag or command"`
	Nearest    string     `json:"nearest,omitempty" doc:"known name that is most like it"`
	Exit       int        `json:"exit,omitempty" doc:"exit status; of commands only"`
}

// Kind is an entry of the registry.
type Kind struct {
	Type    Type
	Title   string
	Status  int    // of HTTP; 0 for one that only commands have
	Members string // those it may have besides the ones that all have
}

// New is a problem of a kind.
func (k *Kind) New(detail string) Problem {
	return Problem{Type: k.Type, Title: k.Title, Status: k.Status, Detail: detail}
}

// Of is a problem without a type of its own.
func Of(status int, detail string) Problem {
	return Problem{Type: Blank, Title: http.StatusText(status), Status: status, Detail: detail}
}

// Find is the kind with a type; nil if there is none.
func Find(t Type) *Kind {
	for _, k := range Kinds {
		if k.Type == t {
			return k
		}
	}
	return nil
}

// UnknownError is the error for a name on a command line: of a command or of a flag.
type UnknownError struct {
	Kind          *Kind // Command or Flag
	Name, Nearest string
	Text          string // for people
}

func (e *UnknownError) Error() string { return e.Text }
