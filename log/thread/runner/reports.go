package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"handoff/internal/text/secret"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/frame"
)

// reports are JSON lines about its tools and its provider that a command appends to the file named
// in HANDOFF_EVENTS. They are read while the command runs, and become frames of the
// thread and of the run.
//
// The file is read through the descriptor that created it. A file that replaces it
// is not read.
type reports struct {
	run  *Run
	path string // absolute
	file *os.File

	mu     sync.Mutex
	rest   []byte // an incomplete line
	skip   bool   // until the end of a line that is too long
	line   int
	wrong  []string
	failed error // frames could not be appended
}

// maxReport is the maximum length of a line, in bytes; maxWrong is how many invalid
// lines are reported.
const (
	maxReport = 1 << 20
	maxWrong  = 20
)

// report is a line about what becomes a frame of the thread; see [frame.ParseReported] for those of the run. Other
// types are reserved for newer versions.
type report struct {
	Type          string   `json:"type"`
	ToolID        string   `json:"tool_id"`
	ToolName      string   `json:"tool_name"`
	AffectedPaths []string `json:"affected_paths"`
	CheckpointID  *string  `json:"checkpoint_id"`

	Provider string  `json:"provider"`
	Endpoint *string `json:"endpoint"`
	Model    *string `json:"model"`
	Cursor   json.RawMessage
}

// The types of lines.
const (
	sideEffects = "tool_side_effects"
	newCursor   = "provider_cursor_updated"
)

func (r *Run) reports() (*reports, error) {
	path, err := filepath.Abs(r.hold.files.events()) // the command starts in another folder
	if err != nil {
		return nil, err
	}
	f, err := r.hold.files.root.OpenFile(r.hold.files.events(), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &reports{run: r, path: path, file: f}, nil
}

// take reads new lines. After the command has ended, the last line needs no
// newline.
func (r *reports) take(ended bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	buf := make([]byte, 64<<10)
	for r.failed == nil {
		n, err := r.file.Read(buf)
		r.keep(buf[:n])
		if err == io.EOF || n == 0 {
			break
		}
		if err != nil {
			r.failed = err
		}
	}
	if ended && len(r.rest) > 0 && r.failed == nil {
		r.keep([]byte("\n"))
	}
}

// keep appends the frames of complete lines, in one write.
func (r *reports) keep(p []byte) {
	var ofThread, ofRun []thread.Payload
	for len(p) > 0 {
		line, more, whole := bytes.Cut(p, []byte("\n"))
		p = more
		if len(r.rest)+len(line) > maxReport {
			r.rest, r.skip = r.rest[:0], true
		}
		if !r.skip {
			r.rest = append(r.rest, line...)
		}
		if !whole {
			break
		}
		r.line++
		switch said, err := r.parse(); {
		case err != nil:
			r.say(err)
		case said == nil:
		case (thread.Event{Payload: said}).Kind() == thread.Session:
			ofRun = append(ofRun, said)
		default:
			ofThread = append(ofThread, said)
		}
		r.rest, r.skip = r.rest[:0], false
	}
	ctx, store := context.Background(), r.run.options.Store
	if len(ofThread) > 0 && r.failed == nil {
		_, r.failed = store.RecordReports(ctx, r.run.options.ThreadID, ofThread...)
	}
	if len(ofRun) > 0 && r.failed == nil {
		_, r.failed = store.AppendSession(ctx, r.run.ID, ofRun...)
	}
}

func (r *reports) say(err error) {
	switch {
	case len(r.wrong) < maxWrong:
		r.wrong = append(r.wrong, fmt.Sprintf("HANDOFF_EVENTS, line %d: %v", r.line, err))
	case len(r.wrong) == maxWrong:
		r.wrong = append(r.wrong, "HANDOFF_EVENTS: further invalid lines")
	}
}

// parse reads a line; nil for a blank one.
func (r *reports) parse() (thread.Payload, error) {
	if r.skip {
		return nil, fmt.Errorf("more than %d bytes: left out", maxReport)
	}
	line := bytes.TrimSpace(r.rest)
	if len(line) == 0 {
		return nil, nil
	}
	var said report
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, fmt.Errorf("want a JSON object such as {\"type\":%q,\"tool_name\":\"write\",\"affected_paths\":[\"a.txt\"]}: left out", sideEffects)
	}
	switch said.Type {
	case sideEffects:
		return r.effects(said)
	case newCursor:
		return r.cursor(said)
	}
	if !slices.Contains(frame.ReportedTypes, said.Type) {
		return nil, fmt.Errorf("unknown type %.40q: want %s, %s, %s: left out", said.Type, sideEffects, newCursor, strings.Join(frame.ReportedTypes, ", "))
	}
	payload, err := frame.ParseReported(secret.HideOutput(string(line)))
	if err != nil {
		err = fmt.Errorf("%w: left out", err)
	}
	return payload, err
}

// effects are what a tool did.
func (r *reports) effects(said report) (thread.Payload, error) {
	if said.ToolName == "" {
		return nil, errors.New("want the tool_name: left out")
	}
	paths, err := r.paths(said.AffectedPaths)
	if err != nil {
		return nil, err
	}
	o := &r.run.options
	if said.ToolID == "" {
		said.ToolID = o.NewID()
	}
	return &thread.SideEffects{RunSessionID: r.run.ID, ToolID: said.ToolID, ToolName: said.ToolName, AffectedPaths: paths,
		CheckpointID: said.CheckpointID, ActorID: o.ActorID, Origin: o.Origin}, nil
}

// cursor is where the provider can resume, as RIP's runs save it.
func (r *reports) cursor(said report) (thread.Payload, error) {
	if said.Provider == "" || len(said.Cursor) == 0 || said.Cursor[0] != '{' {
		return nil, errors.New("want the provider and its cursor, an object: left out")
	}
	o, reason := &r.run.options, "run_completed"
	return &thread.CursorUpdated{Provider: said.Provider, Endpoint: said.Endpoint, Model: said.Model, Cursor: said.Cursor, Action: "set", Reason: &reason,
		RunSessionID: &r.run.ID, ActorID: o.ActorID, Origin: o.Origin}, nil
}

// paths returns paths relative to the workspace, as relative paths in reports are;
// nil if it is unknown which were affected.
func (r *reports) paths(said []string) ([]string, error) {
	if said == nil {
		return nil, nil
	}
	paths := make([]string, len(said))
	for i, name := range said {
		if filepath.IsAbs(name) {
			if rel, err := filepath.Rel(r.run.options.Workspace, name); err == nil {
				name = rel
			}
		}
		paths[i] = filepath.ToSlash(filepath.Clean(name))
		if !bundle.ValidPath(strings.ReplaceAll(paths[i], `\`, "/")) {
			return nil, fmt.Errorf("affected_paths: %.80q is not a path below the workspace: left out", said[i])
		}
	}
	return paths, nil
}

// close reads the rest and removes the file.
func (r *reports) close() error {
	r.take(true)
	return errors.Join(r.failed, r.file.Close(), r.run.hold.files.remove(r.run.hold.files.events()))
}
