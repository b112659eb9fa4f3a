package reconcile

import (
	"encoding/json"
	"strconv"

	"handoff/internal/json/jsontext"
)

// Status is the status of the work in the metadata of a task.
type Status struct {
	Status    string // "" without metadata
	Stage     string
	Completed int    // phases
	Phases    int    // of so many; 0 if it is unknown
	Review    bool   // an agent asked for a person
	Problem   string // why the metadata could not be read; "" if it could
}

// Finished reports whether nothing is left to do, not even for a person.
func (s Status) Finished() bool {
	switch s.Status {
	case "", "in_progress", "partial", "blocked":
		return false
	}
	return !s.Review
}

// StatusOf reads the metadata of a task, in which a value of a wrong type counts as
// missing: verify reports it.
func StatusOf(f File) (s Status) {
	if f.Unreadable {
		s.Problem = f.Path + ": cannot be read"
		return s
	}
	if f.Src == nil {
		return s
	}
	if !json.Valid(f.Src) {
		s.Problem = f.Path + ": not valid JSON: `handoff verify` shows where"
		return s
	}
	partial := jsontext.Get(f.Src, "partial_progress")
	s.Status, s.Stage = jsontext.Text(jsontext.Get(f.Src, "status")), jsontext.Text(jsontext.Get([]byte(partial), "stage"))
	s.Review = jsontext.Get(f.Src, "requires_user_review") == "true"
	s.Completed, _ = strconv.Atoi(jsontext.Get([]byte(partial), "phases_completed"))
	s.Phases, _ = strconv.Atoi(jsontext.Get([]byte(partial), "phases_total"))
	return s
}
