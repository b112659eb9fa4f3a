package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"handoff/internal/testing/needs"
)

func TestList(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	want := []string{put(t, s, "a").String(), put(t, s, "bb").String(), madeUp}
	plant(t, dir, madeUp, "ccc")
	upper := strings.ToUpper(want[0])
	plant(t, dir, upper, "other case")
	plant(t, dir, ".hidden", "")
	plant(t, dir, madeUp+".tmp", "half")
	plant(t, dir, ".handoff-tmp-1", "half")
	plant(t, dir, "../tmp/uuid.tmp", "half")
	slices.Sort(want)

	var got, odd []string
	for info, err := range s.List() {
		switch {
		case errors.Is(err, ErrInvalidID):
			odd = append(odd, err.Error())
		case err != nil:
			t.Error(err)
		default:
			got = append(got, info.ID.String())
			if data, err := s.Get(info.ID); err != nil || int64(len(data)) != info.Size || info.Modified.IsZero() {
				t.Errorf("%+v has %d bytes, %v", info, len(data), err)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	if len(odd) != 1 || !strings.Contains(odd[0], upper) {
		t.Errorf("names that are not ids: %q", odd)
	}
	for range s.List() {
		break // must not continue
	}
}

func TestLeftovers(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := put(t, s, "a")
	for _, name := range []string{madeUp + ".tmp", ".handoff-tmp-1", "../tmp/uuid.tmp", "note.tmp", ".hidden", "../../../.handoff/tmp/.handoff-tmp-1", "../../../.handoff/tmp/.gitignore"} {
		plant(t, dir, name, "half")
	}
	var got []string
	for l, err := range s.Leftovers() {
		if err != nil || l.Size != 4 || l.Modified.IsZero() {
			t.Errorf("%+v, %v", l, err)
		}
		got = append(got, l.Path)
	}
	want := []string{Blobs + "/.handoff-tmp-1", Blobs + "/" + madeUp + ".tmp", ".rip/artifacts/tmp/uuid.tmp", ".handoff/tmp/.handoff-tmp-1"}
	if !slices.Equal(got, want) {
		t.Errorf("leftovers %v, want %v", got, want)
	}
	for _, name := range []string{Blobs + "/" + id.String(), Blobs + "/note.tmp", Blobs + "/../blobs/.handoff-tmp-1", "x.tmp", "", ".rip/artifacts/tmp/.tmp", ".handoff/tmp/.gitignore"} {
		if err := s.RemoveLeftover(name); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("removing %q: %v", name, err)
		}
	}
	for _, name := range got {
		if err := s.RemoveLeftover(name); err != nil {
			t.Error(err)
		}
	}
	for l := range s.Leftovers() {
		t.Errorf("still there: %v", l)
	}
	if _, err := os.Stat(filepath.Join(dir, Blobs, "note.tmp")); err != nil {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	s := open(t, t.TempDir())
	id := put(t, s, "a")
	now := time.Now().Add(time.Second)
	if removed, err := s.Remove(id, now.Add(-time.Hour)); removed || err != nil {
		t.Errorf("removed what was put since: %t, %v", removed, err)
	}
	if removed, err := s.Remove(id, now); !removed || err != nil {
		t.Fatal(removed, err)
	}
	if _, err := s.Remove(id, now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := s.Remove(ID{}, now); !errors.Is(err, ErrInvalidID) {
		t.Errorf("removed nothing: %v", err)
	}
}

// TestPutAgain: a blob that is put again may be about to be referenced, like a new
// one, so it gets the present time.
func TestPutAgain(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := put(t, s, "a")
	path := filepath.Join(dir, filepath.FromSlash(Blobs), id.String())
	for name, again := range map[string]func() error{
		"Put":     func() error { _, _, err := s.Put([]byte("a")); return err },
		"PutAll":  func() error { return putAll(s, [][]byte{[]byte("a")}) },
		"PutFrom": func() error { _, _, _, err := s.PutFrom(strings.NewReader("a"), ID{}); return err },
	} {
		old := time.Now().Add(-24 * time.Hour)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		if err := again(); err != nil {
			t.Fatal(err)
		}
		if st, err := os.Stat(path); err != nil || time.Since(st.ModTime()) > time.Hour {
			t.Errorf("%s: of %v, %v", name, st.ModTime(), err)
		}
	}
}

// TestRange reads a blob in pages of any size: concatenated they are the blob, also
// if a page ends inside a character.
func TestRange(t *testing.T) {
	s := open(t, t.TempDir())
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "data")
		id, _, err := s.Put(data)
		if err != nil {
			t.Fatal(err)
		}
		page := rapid.Int64Range(1, 400).Draw(t, "page")
		var all []byte
		for {
			part, total, err := s.Range(id, int64(len(all)), page)
			if err != nil || total != int64(len(data)) {
				t.Fatalf("total %d, %v", total, err)
			}
			if len(part) == 0 {
				break
			}
			all = append(all, part...)
		}
		if string(all) != string(data) {
			t.Fatalf("pages of %d give %q, want %q", page, all, data)
		}
		offset, max := rapid.Int64().Draw(t, "offset"), rapid.Int64().Draw(t, "max")
		part, _, err := s.Range(id, offset, max)
		if bad := offset < 0 || max < 0; bad != errors.Is(err, fs.ErrInvalid) {
			t.Fatalf("%d from %d: %v", max, offset, err)
		}
		if int64(len(part)) > max && max >= 0 {
			t.Fatalf("%d bytes, at most %d asked for", len(part), max)
		}
	})
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	held, gone, folder := Sum([]byte("held")), Sum([]byte("gone")), Sum([]byte("folder"))
	all := []ID{held, gone, {}, folder}
	early := s.Opened() // before the folder exists
	defer early.Close()
	if got := s.Missing(all); !slices.Equal(got, all) {
		t.Errorf("before there is a store: %v", got)
	}
	if _, _, err := s.Put([]byte("held")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, Blobs, folder.String()), 0o755); err != nil {
		t.Fatal(err)
	}
	late := s.Opened()
	defer late.Close()
	for name, missing := range map[string]func([]ID) []ID{"store": s.Missing, "early": early.Missing, "late": late.Missing} {
		if got := missing(all); !slices.Equal(got, []ID{gone, {}, folder}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
	outside := t.TempDir()
	if err := os.Rename(filepath.Join(dir, Blobs), filepath.Join(outside, "blobs")); err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, filepath.Join(outside, "blobs"), filepath.Join(dir, Blobs))
	beyond := s.Opened()
	defer beyond.Close()
	if got := append(s.Missing(all), beyond.Missing(all)...); !slices.Equal(got, append(all, all...)) {
		t.Errorf("what lies outside passes for there: %v", got)
	}
}
