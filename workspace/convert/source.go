package convert

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/convert"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/threads"
)

// source reads the handoff that a request names.
func (v *converting) source() (convert.Handoff, error) {
	ref := v.req.From
	if v.req.Source != nil {
		if f, ok := convert.FormOf(string(v.req.Source)); ok {
			return convert.FromOther(f, string(v.req.Source)), nil
		}
		return fromJSON(ref, v.req.Source)
	}
	if strings.HasPrefix(strings.ToLower(ref), "tape:") {
		return v.fromTape(ref)
	}
	if id, ok := strings.CutPrefix(ref, "thread:"); ok {
		return v.fromThread(id)
	}
	if id, err := artifact.ParseID(ref); err == nil {
		return v.fromArtifact(ref, id)
	}
	if path := v.fileOf(ref); path != "" {
		src, err := v.TrustedAt(path).ReadFile(path, artifact.DefaultMax)
		if err != nil {
			return convert.Handoff{}, fmt.Errorf("%s: %w", ref, workspace.Reason(err))
		}
		if f, ok := convert.FormOf(string(src)); ok {
			return convert.FromOther(f, string(src)), nil
		}
		if strings.HasSuffix(path, ".json") || bytes.HasPrefix(bytes.TrimSpace(src), []byte("{")) { // otherwise a document whose name does not end in .md
			return fromJSON(ref, src)
		}
	}
	e, err := documents.Find(v.ctx, v.Workspace, v.req.Dir, ref)
	if err != nil {
		return v.perhapsOther(ref, err)
	}
	doc, b, err := documents.Bundle(v.Workspace, e)
	if err != nil {
		if doc, failed := documents.Read(v.Workspace, e); failed == nil { // a file outside of the workspace
			if f, ok := convert.FormOf(doc.Source); ok {
				return convert.FromOther(f, doc.Source), nil
			}
		}
		return convert.Handoff{}, err
	}
	if f, ok := convert.FormOf(doc.Source); ok {
		return convert.FromOther(f, doc.Source), nil
	}
	h := convert.FromDocument(doc, e.Name, e.Path, b)
	if e.Name.Layout != "" || v.Config.Documents.Own() != nil {
		h.Text = convert.Headed(doc)
	}
	return h, nil
}

// fileOf is the path of a file whose name does not end in .md; "" if ref names none.
func (v *converting) fileOf(ref string) string {
	path := ref
	if !filepath.IsAbs(path) {
		path = filepath.Join(v.req.Dir, path)
	}
	if st, err := os.Stat(path); err == nil && !st.IsDir() && !strings.HasSuffix(ref, ".md") {
		return path
	}
	return ""
}

// perhapsOther tries ref as the name of a thread, then as the beginning of the id of an
// artifact, because no document was found. If there is neither, it returns notDocument, the
// error of that search.
func (v *converting) perhapsOther(ref string, notDocument error) (convert.Handoff, error) {
	id, _, _ := strings.Cut(ref, "@")
	store, err := v.openThreads()
	if err != nil {
		return convert.Handoff{}, err
	}
	if _, err := store.Find(v.ctx, id); err == nil {
		return v.fromThread(ref)
	}
	if id, err := v.FindArtifact(ref); err == nil {
		return v.fromArtifact(ref, id)
	}
	return convert.Handoff{}, notDocument
}

func (v *converting) fromArtifact(ref string, id artifact.ID) (convert.Handoff, error) {
	var b bytes.Buffer
	if err := v.ReadArtifact(v.ctx, &b, id, 0, -1); err != nil {
		return convert.Handoff{}, err
	}
	return fromJSON(ref, b.Bytes())
}

// fromJSON reads a bundle, an envelope or an anchor. An anchor is either its name and
// state, or its line on a tape.
func fromJSON(shown string, src []byte) (convert.Handoff, error) {
	var fields struct{ Type, Kind, Name string }
	_ = json.Unmarshal(src, &fields) // anything else is parsed as a bundle, whose error reports the problem
	switch {
	case fields.Type == "context_handoff":
		e, err := tape.ParseEnvelope(src)
		if err != nil {
			return convert.Handoff{}, fmt.Errorf("%s: %w", shown, err)
		}
		return convert.FromEnvelope(e), nil
	case fields.Kind == tape.KindAnchor:
		if entries, err := tape.Parse(bytes.TrimSpace(src)); err == nil && len(entries) == 1 {
			return fromEntry(entries[0]), nil
		}
	case fields.Name != "" && bundle.SchemaOf(src) == "":
		if a, err := convert.ParseState(src); err == nil {
			return convert.FromAnchor(a), nil
		}
	}
	b, err := bundle.ParseHandoff(src)
	if err != nil {
		return convert.Handoff{}, fmt.Errorf("%s is not a handoff: want a document (.md), a bundle, an envelope or an anchor; as a bundle: %w: %w", shown, err, handoff.ErrInvalid)
	}
	return convert.FromBundle(b), nil
}

func fromEntry(e tape.Entry) convert.Handoff {
	h := convert.FromAnchor(convert.State{Name: e.Name(), State: e.State()})
	if at, ok := e.Time(); ok && h.Time.IsZero() {
		h.Time = at
	}
	return h
}

func (v *converting) fromTape(uri string) (convert.Handoff, error) {
	ref, err := tape.ParseRef(uri)
	if err != nil {
		return convert.Handoff{}, err
	}
	tapes, err := v.openTapes()
	if err != nil {
		return convert.Handoff{}, err
	}
	e, err := tapes.Resolve(ref)
	if err != nil {
		return convert.Handoff{}, err
	}
	if e.Kind != tape.KindAnchor {
		return convert.Handoff{}, fmt.Errorf("%s has the kind %s: only an anchor is a handoff: %w", uri, e.Kind, handoff.ErrInvalid)
	}
	h := fromEntry(e)
	v.at, v.ref = &e, tapes.Store.RefTo(ref.Tape, e)
	return h, nil
}

// fromThread reads a handoff from a thread: without @SEQ, the one that the thread
// starts with. With @SEQ, or if it starts with none, the handoff continues at that
// event (default: the last one) with the last summary up to it.
func (v *converting) fromThread(ref string) (h convert.Handoff, err error) {
	store, err := v.openThreads()
	if err != nil {
		return h, err
	}
	cut, named, err := v.cutOf(store, ref)
	if err != nil {
		return h, err
	}
	info, err := store.Get(v.ctx, cut.ThreadID)
	if err != nil {
		return h, err
	}
	h, begins, err := v.beginning(store, info)
	if err != nil || begins && !named {
		return h, err
	}
	summary, err := v.summary(store, cut)
	if err == nil && summary == "" && !begins {
		err = fmt.Errorf("thread %s does not start with a handoff and has no summary up to event %d (`handoff thread compaction-checkpoint` creates one, `handoff thread handoff` takes one): %w", cut.ThreadID, cut.Seq, handoff.ErrInvalid)
	}
	h.ContinueAt(cut, titleOf(info), summary)
	return h, err
}

func titleOf(info thread.Info) string {
	if info.Title == nil {
		return ""
	}
	return *info.Title
}

// beginning is the handoff that a thread starts with; ok is false if it starts with
// none.
func (v *converting) beginning(store *threads.Threads, info thread.Info) (h convert.Handoff, ok bool, err error) {
	e, err := store.Event(info.ThreadID, 1)
	if errors.Is(err, fs.ErrNotExist) {
		return h, false, nil
	}
	p, ok := e.Payload.(*thread.HandedOff)
	if err != nil || !ok {
		return h, false, err
	}
	var b *bundle.Handoff
	if p.SummaryArtifactID != nil {
		parsed, err := threadBundle(store, *p.SummaryArtifactID)
		if err != nil {
			return h, false, fmt.Errorf("thread %s: %w", info.ThreadID, err)
		}
		b = &parsed
	}
	return convert.FromThread(*p, titleOf(info), time.UnixMilli(int64(e.TimestampMS)).UTC(), b), true, nil
}

// summary is the last summary of a thread up to a cut; "" if it has none.
func (v *converting) summary(store *threads.Threads, cut bundle.ThreadRef) (string, error) {
	c, err := store.CheckpointUpTo(cut.ThreadID, cut.Seq, cut.Seq, "")
	if err != nil || c == nil {
		return "", err
	}
	src, err := threadBlob(store, c.SummaryArtifactID)
	if err != nil {
		return "", err
	}
	s, err := bundle.ParseSummary(src)
	if err != nil {
		return "", fmt.Errorf("thread %s: its summary %s: %w", cut.ThreadID, c.SummaryArtifactID, err)
	}
	return s.SummaryMarkdown, nil
}

// cutOf parses ID or ID@SEQ. named reports whether ref has an event; otherwise the cut
// is at the last one.
func (v *converting) cutOf(store *threads.Threads, ref string) (cut bundle.ThreadRef, named bool, err error) {
	id, at, named := strings.Cut(ref, "@")
	if cut.ThreadID, err = store.Find(v.ctx, id); err != nil {
		return cut, named, err
	}
	head, err := store.Head(cut.ThreadID)
	if err != nil {
		return cut, named, err
	}
	if cut.Seq = head; named {
		cut.Seq, err = strconv.ParseUint(at, 10, 64)
		if err != nil || cut.Seq > head {
			return cut, named, fmt.Errorf("%s: the events of thread %s are 0 to %d: %w", ref, cut.ThreadID, head, handoff.ErrInvalid)
		}
	}
	last, err := store.Messages(cut.ThreadID, cut.Seq, 1)
	if err == nil && len(last) > 0 {
		cut.MessageID = &last[0].ID
	}
	return cut, named, err
}
