package tape

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// Manifest is tape/manifest.json: all tapes and anchors, in Bub's format. It is
// derived from the tapes, and not read for anything else.
type Manifest struct {
	Version int                       `json:"version"`
	Tapes   map[string]ManifestTape   `json:"tapes"`
	Anchors map[string]ManifestAnchor `json:"anchors"` // the newest of each name, of all tapes
}

// ManifestTape is a tape in the manifest.
type ManifestTape struct {
	ID        string          `json:"id"`
	File      string          `json:"file"`
	Title     *string         `json:"title"`
	Parent    *ManifestParent `json:"parent,omitempty"`
	CreatedAt string          `json:"created_at"` // the date of its first entry
	// Entries and Bytes are how much of the tape the manifest covers: it is not
	// updated for entries that are not anchors.
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Anchors are the last of each name on this tape, by name.
	Anchors map[string]ManifestAnchor `json:"anchors"`
}

// ManifestParent is written as in Bub: the tape, and its first entry that the
// fork does not have.
type ManifestParent struct {
	tape string
	next int64
}

func (p ManifestParent) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.tape, p.next}) }

func (p *ManifestParent) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(data, &[]any{&p.tape, &p.next})
}

// ManifestAnchor is an anchor in the manifest.
type ManifestAnchor struct {
	Name      string          `json:"name"`
	TapeID    string          `json:"tape_id"`
	EntryID   int64           `json:"entry_id"`
	State     json.RawMessage `json:"state"`
	CreatedAt string          `json:"created_at"`
}

// manifestAnchors is how many of a tape's last anchors are in the manifest.
const manifestAnchors = 100

// Manifest is the manifest of all tapes. It writes the file if that is missing or
// not up to date.
func (s *Store) Manifest() (Manifest, error) {
	names, err := s.List()
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{Version: 1, Tapes: map[string]ManifestTape{}, Anchors: map[string]ManifestAnchor{}}
	if err := s.describe(&m, names); err != nil || len(names) == 0 {
		return m, err
	}
	return m, s.writeManifest(m)
}

// readManifest returns the manifest from its file; ok is false if it must be
// rebuilt.
func (s *Store) readManifest() (m Manifest, ok bool) {
	src, err := s.root().ReadUnlinked(s.manifestPath(), math.MaxInt64)
	if err != nil || json.Unmarshal(src, &m) != nil || m.Version != 1 || m.Tapes == nil {
		return m, false
	}
	return m, true
}

func (s *Store) manifestPath() string { return s.inTapes("manifest.json") }

func (s *Store) writeManifest(m Manifest) error {
	text, err := jsontext.MarshalIndent(m)
	if err != nil {
		return err
	}
	if old, err := s.root().ReadUnlinked(s.manifestPath(), math.MaxInt64); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return atomicfile.Write(s.root(), s.manifestPath(), text, 0o644)
}

// describe adds tapes, without those that do not exist, and finds the newest
// anchor of each name.
func (s *Store) describe(m *Manifest, names []string) error {
	for _, name := range names {
		t, err := s.Tape(name)
		if err == nil {
			t = t.pin(t.at())
			err = s.read(t.path, func(snap *journal.Snapshot) error {
				described, err := t.describe(snap)
				m.Tapes[name] = described
				return err
			})
		}
		if err != nil {
			return err
		}
	}
	m.Anchors = map[string]ManifestAnchor{}
	for _, tape := range slices.Sorted(maps.Keys(m.Tapes)) {
		for name, a := range m.Tapes[tape].Anchors {
			if newest, ok := m.Anchors[name]; !ok || newest.CreatedAt < a.CreatedAt {
				m.Anchors[name] = a
			}
		}
	}
	return nil
}

func (t *Tape) describe(snap *journal.Snapshot) (m ManifestTape, err error) {
	own := &view.View{Segments: []view.Segment{view.File(snap, snap.Len())}}
	m = ManifestTape{ID: t.name, File: filepath.Base(t.path), Anchors: map[string]ManifestAnchor{}}
	for e, err := range own.Entries(view.All()) {
		if err != nil {
			return m, err
		}
		m.CreatedAt = e.Date
		break
	}
	if m.Entries, _, err = own.Count(); err != nil {
		return m, err
	}
	if st, err := os.Stat(t.path); err == nil {
		m.Bytes = st.Size()
	}
	if f, ok, err := lineage.EventOf(snap); err != nil {
		return m, err
	} else if ok {
		m.Parent = &ManifestParent{f.Parent, f.Next()}
	}
	if m.Title, err = titleOf(snap); err != nil {
		return m, err
	}
	left := manifestAnchors
	for f, err := range own.Backwards(view.Anchors, entry.IsAnchor) {
		if err != nil {
			return m, err
		}
		if left--; left < 0 {
			break
		}
		a := t.anchorOf(&f.Entry)
		if _, ok := m.Anchors[a.Name]; !ok {
			m.Anchors[a.Name] = ManifestAnchor{a.Name, t.name, a.ID, a.State, a.Date}
		}
	}
	return m, nil
}

// manifestDelay is how late the manifest may be after a handoff. Writing it takes
// longer than the handoff, so several handoffs share one write; closing the store
// writes it at once.
const manifestDelay = time.Second

// outdated is the tapes that the manifest has to be updated for.
type outdated struct {
	tapes  map[string]bool
	timer  *time.Timer // nil while there are none
	closed bool        // the store is closed: no timer starts any more
}

// outdate has the manifest updated for a tape, within its delay.
func (s *Store) outdate(t *Tape) {
	if t.bare {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.later(t.name)
}

// later has the manifest updated for tapes, within its delay. The caller holds s.mu.
func (s *Store) later(names ...string) {
	for _, name := range names {
		s.outdated.tapes[name] = true
	}
	if s.outdated.timer == nil && !s.outdated.closed {
		s.outdated.timer = time.AfterFunc(manifestDelay, func() { s.refresh() })
	}
}

// takeOutdated is the tapes to update, and those named.
func (s *Store) takeOutdated(names []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.outdated.tapes[name] = true
	}
	names = slices.Sorted(maps.Keys(s.outdated.tapes))
	clear(s.outdated.tapes)
	if s.outdated.timer != nil {
		s.outdated.timer.Stop()
		s.outdated.timer = nil
	}
	return names
}

// refresh updates the manifest for the tapes named and those that are outdated, later
// if other processes hold the lock for long. The manifest is derived: a failure here is
// not a failure of the operation.
func (s *Store) refresh(names ...string) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if names = s.takeOutdated(names); len(names) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), manifestDelay)
	defer cancel()
	// The lock keeps processes from overwriting each other's updates. It is that
	// of the other derived file, which is not held here.
	unlock, err := lockfile.Lock(ctx, s.root(), s.graph().Path+".lock")
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			s.mu.Lock()
			s.later(names...)
			s.mu.Unlock()
		}
		return
	}
	defer unlock()
	m, ok := s.readManifest()
	if !ok {
		_, _ = s.Manifest()
		return
	}
	for _, name := range names {
		delete(m.Tapes, name)
	}
	if s.describe(&m, names) == nil {
		_ = s.writeManifest(m)
	}
}
