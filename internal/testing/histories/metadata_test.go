//go:build unix

package histories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// fields is what a lead reads in metadata.
type fields struct {
	missing                      bool
	status, stage, details, path string
}

// any stands for every value in what the model expects.
const anyText = "*"

func (f fields) String() string {
	if f.missing {
		return "no metadata"
	}
	return fmt.Sprintf("status %q, stage %q, handoff_path %q, details %q", f.status, f.stage, f.path, f.details)
}

// meets reports whether metadata is as expected.
func (f fields) meets(want fields) bool {
	same := func(a, b string) bool { return b == anyText || a == b }
	return f.missing == want.missing && same(f.status, want.status) && same(f.stage, want.stage) && same(f.details, want.details) && same(f.path, want.path)
}

// presents is metadata that shows a handoff to the lead.
func presents(document string) fields {
	return fields{status: "partial", stage: presented, details: anyText, path: document}
}

// fieldsOf reads metadata; exists is false if there is no file.
func fieldsOf(text string, exists bool) (f fields, err error) {
	if !exists {
		return fields{missing: true}, nil
	}
	var m struct {
		Status   string
		Progress struct {
			Stage, Details string
			Path           string `json:"handoff_path"`
		} `json:"partial_progress"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return fields{}, err
	}
	return fields{status: m.Status, stage: m.Progress.Stage, details: m.Progress.Details, path: m.Progress.Path}, nil
}

// final reports whether the work of a task is over, or waits for a person.
func (f fields) final() bool {
	return !f.missing && !slices.Contains([]string{"", "in_progress", "partial"}, f.status)
}

// raw decodes a JSON object one level deep.
func raw(text []byte) (o map[string]json.RawMessage) {
	json.Unmarshal(text, &o)
	return o
}

// sameValue reports whether two values are written alike but for white space.
func sameValue(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// derived are the members of metadata that handoff may change.
var derived = []string{"status", "partial_progress", "artifacts"}

// derivedProgress are those of partial_progress.
var derivedProgress = []string{"stage", "details", "handoff_path", "phases_completed", "phases_total", "handoff_problem"}

// lostMembers lists what an agent wrote into metadata and is no longer there.
func lostMembers(was, now string) (lost []string) {
	a, b := raw([]byte(was)), raw([]byte(now))
	lost = lostOf("", a, b, derived)
	lost = append(lost, lostOf("partial_progress.", raw(a["partial_progress"]), raw(b["partial_progress"]), derivedProgress)...)
	return append(lost, lostOutputs(a["artifacts"], b["artifacts"])...)
}

func lostOf(in string, a, b map[string]json.RawMessage, derived []string) (lost []string) {
	for name, value := range a {
		if !slices.Contains(derived, name) && !sameValue(value, b[name]) {
			lost = append(lost, fmt.Sprintf("member %s%s was %s and is now %s", in, name, value, b[name]))
		}
	}
	return lost
}

// lostOutputs lists the outputs that an agent recorded and that are gone or changed.
// One with a bundle may be handoff's own.
func lostOutputs(was, now json.RawMessage) (lost []string) {
	var a, b []json.RawMessage
	json.Unmarshal(was, &a)
	json.Unmarshal(now, &b)
	for _, entry := range a {
		e := raw(entry)
		if e["bundle_artifact_id"] != nil {
			continue
		}
		at := slices.IndexFunc(b, func(o json.RawMessage) bool { return len(lostOf("", e, raw(o), nil)) == 0 })
		if at < 0 {
			lost = append(lost, fmt.Sprintf("output %s is gone", entry))
			continue
		}
		b = b[at+1:]
	}
	return lost
}

// bundles are the ids that metadata records for documents, by path.
func bundles(text string) map[string]string {
	var m struct {
		Artifacts []struct{ Type, Path, Bundle_artifact_id string }
	}
	json.Unmarshal([]byte(text), &m)
	ids := map[string]string{}
	for _, o := range m.Artifacts {
		if o.Type == "handoff" && o.Bundle_artifact_id != "" {
			ids[o.Path] = o.Bundle_artifact_id
		}
	}
	return ids
}
