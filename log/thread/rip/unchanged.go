package rip

import (
	"bytes"

	"handoff/log/thread"
)

// unchanged compares lines of RIP's log with the streams here, byte by byte,
// without parsing either: most of a repeated import has not changed. Lines that
// differ are parsed and compared event by event.
type unchanged struct {
	store *thread.Store
	here  map[string]*page // by the id of the stream
}

// page is the next part of a stream's file.
type page struct {
	kind   thread.StreamKind
	text   []byte
	offset int64 // of what follows the text in the file
	done   bool  // another line differs, or there is no more
}

// next reports whether a line is the next one of a stream here, and of which. The
// line has no newline.
func (s *unchanged) next(line []byte) (k key, ok bool) {
	id, ok := streamOf(line)
	if !ok {
		return key{}, false
	}
	p := s.here[id]
	if p == nil {
		p = s.open(id)
		s.here[id] = p
	}
	if p.done || !s.holds(p, id, line) {
		p.text, p.done = nil, true
		return key{}, false
	}
	p.text = p.text[len(line)+1:]
	if len(p.text) == 0 {
		p.text = nil
	}
	return key{p.kind, id}, true
}

// open finds the stream. One that could be of two kinds is not compared.
func (s *unchanged) open(id string) *page {
	var found []thread.StreamKind
	for _, kind := range [...]thread.StreamKind{thread.Continuity, thread.Session, thread.Task} {
		if s.store.HasStream(kind, id) {
			found = append(found, kind)
		}
	}
	if len(found) != 1 {
		return &page{done: true}
	}
	return &page{kind: found[0]}
}

func (s *unchanged) holds(p *page, id string, line []byte) bool {
	if len(p.text) <= len(line) {
		more, err := s.store.Chunk(p.kind, id, p.offset, max(pageBytes, len(line)+1))
		if err != nil {
			return false
		}
		p.text = append(p.text[:len(p.text):len(p.text)], more...)
		p.offset += int64(len(more))
	}
	return len(p.text) > len(line) && p.text[len(line)] == '\n' && bytes.Equal(p.text[:len(line)], line)
}

// streamOf is the stream id of a line that begins as RIP writes it.
func streamOf(line []byte) (id string, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"id":"`))
	if !ok {
		return "", false
	}
	eventID, rest, ok := bytes.Cut(rest, []byte(`","session_id":"`))
	stream, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed || bytes.ContainsAny(eventID, `"\`) || bytes.ContainsRune(stream, '\\') {
		return "", false
	}
	id = string(stream)
	return id, thread.CheckID(id) == nil
}

// sameSnapshot reports whether a snapshot is what RIP would write for the stream
// here.
func (im *importer) sameSnapshot(k key, src []byte) bool {
	text, err := im.store.Chunk(k.kind, k.id, 0, maxSnapshot)
	if err != nil || len(text) == 0 || text[len(text)-1] != '\n' {
		return false
	}
	made, err := snapshotOf(bytes.Split(text[:len(text)-1], []byte("\n")))
	return err == nil && bytes.Equal(made, src)
}

// takeSame records a line that the stream here already has. The artifact that it
// refers to may still be missing.
func (im *importer) takeSame(k key, line []byte) error {
	in := im.stream(k)
	if in.next == 0 || bytes.Contains(line, []byte(`_artifact_id":"`)) {
		e, err := thread.Parse(line)
		if err != nil {
			return err
		}
		im.namedBy(in, e)
		for _, name := range in.needs {
			im.needed.need(name)
		}
		in.needs = nil
	}
	im.named.find(line)
	in.next++
	in.here = in.next
	return nil
}
