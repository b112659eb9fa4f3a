package handoff

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MetadataFile is the metadata's name in the task folder.
const MetadataFile = ".return-meta.json"

// StageHandoff is the stage of partial_progress that says a handoff was
// written because the context ran out.
const StageHandoff = "context_exhaustion_handoff"

// Metadata is what a lead agent reads of a task: .return-meta.json. Real files
// carry many more keys; a program that writes one back must edit its text, not
// marshal this.
type Metadata struct {
	Status          string           `json:"status"`
	Outputs         []Output         `json:"artifacts,omitempty"`
	PartialProgress *PartialProgress `json:"partial_progress,omitempty"`
}

// Output is an entry of the metadata's artifacts list: a file the task made.
type Output struct {
	Type    string `json:"type"` // "handoff", "plan", "report", "summary", …
	Path    string `json:"path"` // relative to the workspace, forward slashes
	Summary string `json:"summary"`
}

// PartialProgress says where a task stopped.
type PartialProgress struct {
	Stage           string `json:"stage"`
	Details         string `json:"details"`
	HandoffPath     string `json:"handoff_path,omitempty"` // relative to the workspace
	PhasesCompleted int    `json:"phases_completed"`
	PhasesTotal     int    `json:"phases_total"`
}

// Progress is the file progress/phase-{P}-progress.json of a phase.
type Progress struct {
	Phase            int         `json:"phase"`
	PhaseName        string      `json:"phase_name"`
	StartedAt        string      `json:"started_at"`   // RFC 3339
	LastUpdated      string      `json:"last_updated"` // RFC 3339
	Objectives       []Objective `json:"objectives"`
	CurrentObjective int         `json:"current_objective"` // the ID of an Objective
	ApproachesTried  []Approach  `json:"approaches_tried"`
	HandoffCount     int         `json:"handoff_count"` // documents written for the phase
}

// Objective is one aim of a phase.
type Objective struct {
	ID          int    `json:"id"`
	Description string `json:"description"`
	Status      string `json:"status"` // not_started, in_progress, done, blocked
	Note        string `json:"note,omitempty"`
}

// Approach is something that was tried.
type Approach struct {
	Approach string `json:"approach"`
	Result   string `json:"result"` // failed, partial, blocked
	Reason   string `json:"reason"`
}

// ProgressFile is the progress file of a phase, below the task folder.
func ProgressFile(phase int) string { return fmt.Sprintf("progress/phase-%d-progress.json", phase) }

// ParseMetadata reads a metadata file. The error wraps ErrInvalid and says the
// line and column.
func ParseMetadata(src []byte) (*Metadata, error) {
	m := new(Metadata)
	return m, decode(src, m)
}

// ParseProgress reads a progress file. The error wraps ErrInvalid and says the
// line and column.
func ParseProgress(src []byte) (*Progress, error) {
	p := new(Progress)
	return p, decode(src, p)
}

func decode(src []byte, into any) error {
	err := json.Unmarshal(src, into)
	if err == nil {
		return nil
	}
	offset := int64(len(src))
	switch e := err.(type) {
	case *json.SyntaxError:
		offset = e.Offset
	case *json.UnmarshalTypeError:
		offset = e.Offset
		err = fmt.Errorf("%s is a %s", e.Field, e.Value)
	}
	head := src[:min(int(offset), len(src))]
	line := bytes.Count(head, []byte("\n")) + 1
	col := len(head) - bytes.LastIndexByte(head, '\n')
	return fmt.Errorf("%d:%d: %w: %w", line, max(col-1, 1), ErrInvalid, err)
}
