package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"

	"handoff/internal/file/atomicfile"
)

// Manifest is tape/manifest.json: what tapes and anchors there are, in Bub's
// form. It is derived from the tapes, and nothing here relies on it.
type Manifest struct {
	Version int                       `json:"version"`
	Tapes   map[string]ManifestTape   `json:"tapes"`
	Anchors map[string]ManifestAnchor `json:"anchors"` // the newest of each name, of all tapes
}

// ManifestTape is a tape in the manifest.
type ManifestTape struct {
	ID        string  `json:"id"`
	File      string  `json:"file"`
	Title     *string `json:"title"`
	Parent    *parent `json:"parent,omitempty"`
	CreatedAt string  `json:"created_at"` // the date of its first entry
	// Entries and Bytes say how much of the tape the manifest knows: entries
	// that are no anchors do not bring it up to date.
	Entries int   `json:"entries"`
	Bytes   int64 `json:"bytes"`
	// Anchors are the last of each name on this tape, by name. It is nil only
	// in a manifest of before they were kept by tape.
	Anchors map[string]ManifestAnchor `json:"anchors"`
}

// parent is written as Bub does: the tape, and the first of its entries that
// is not taken over.
type parent struct {
	tape string
	next int64
}

func (p parent) MarshalJSON() ([]byte, error) { return json.Marshal([]any{p.tape, p.next}) }

func (p *parent) UnmarshalJSON(data []byte) error {
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

// manifestAnchors is how many anchors of a tape it has, the last ones: all of
// them are in the index of the tape.
const manifestAnchors = 100

// Manifest tells of all tapes, and writes the file if it says something else
// or is missing.
func (s *Store) Manifest() (Manifest, error) {
	names, err := s.List()
	if err != nil {
		return Manifest{}, err
	}
	m := emptyManifest()
	if err := s.describe(&m, names); err != nil || len(names) == 0 {
		return m, err
	}
	return m, s.writeManifest(m)
}

// readManifest is the manifest as it was written; ok is false if it has to be
// made anew.
func (s *Store) readManifest() (m Manifest, ok bool) {
	src, err := s.root().ReadUnlinked(s.manifestPath(), math.MaxInt64)
	if err != nil || json.Unmarshal(src, &m) != nil || m.Version != 1 || m.Tapes == nil {
		return m, false
	}
	for _, t := range m.Tapes {
		if t.Anchors == nil {
			return m, false
		}
	}
	return m, true
}

func emptyManifest() Manifest {
	return Manifest{Version: 1, Tapes: map[string]ManifestTape{}, Anchors: map[string]ManifestAnchor{}}
}

func (s *Store) manifestPath() string { return filepath.Join(s.folder, tapeFolder, "manifest.json") }

// describe adds tapes and their anchors, and finds the newest of each name
// among those of all tapes.
func (s *Store) describe(m *Manifest, names []string) error {
	for _, name := range names {
		t, err := s.Tape(name)
		if err == nil {
			err = t.addTo(m)
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

func (s *Store) writeManifest(m Manifest) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return err
	}
	if old, err := s.root().ReadUnlinked(s.manifestPath(), math.MaxInt64); err == nil && bytes.Equal(old, b.Bytes()) {
		return nil
	}
	return atomicfile.Write(s.root(), s.manifestPath(), b.Bytes(), 0o644)
}

// addTo adds the tape and its anchors; one that is gone meanwhile is left out.
func (t *Tape) addTo(m *Manifest) error {
	j, release, err := t.store.snapshot(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	own := &view{segments: []segment{all(j, j.Len())}}
	r := ManifestTape{ID: t.name, File: filepath.Base(t.path)}
	if j.Len() > 0 {
		first, err := entriesAt(j, lineFormat.First)
		if err != nil {
			return err
		}
		r.CreatedAt = first[0].Date
	}
	info := Info{}
	if err := own.segments[0].count(&info); err != nil {
		return err
	}
	r.Entries = info.Entries
	if st, err := os.Stat(t.path); err == nil {
		r.Bytes = st.Size()
	}
	if f, ok, err := forkOf(j); err != nil {
		return err
	} else if ok {
		r.Parent = &parent{f.Parent, f.next()}
	}
	if r.Title, err = titleOf(j); err != nil {
		return err
	}
	r.Anchors, err = t.lastAnchors(own)
	m.Tapes[t.name] = r
	return err
}

// lastAnchors are the last of each name among the tape's last anchors.
func (t *Tape) lastAnchors(own *view) (map[string]ManifestAnchor, error) {
	found, left := map[string]ManifestAnchor{}, manifestAnchors
	for f, err := range own.backwards(listAnchors, isAnchor) {
		if err != nil {
			return nil, err
		}
		if left--; left < 0 {
			break
		}
		a := t.anchorOf(&f.Entry)
		if _, ok := found[a.Name]; !ok {
			found[a.Name] = ManifestAnchor{a.Name, t.name, a.ID, a.State, a.Date}
		}
	}
	return found, nil
}

// next is the parent's first entry behind those that were taken over.
func (f *forkEvent) next() int64 {
	if f.FromEntry == nil {
		return int64(f.Entries) + 1
	}
	return *f.FromEntry + int64(f.Entries)
}
