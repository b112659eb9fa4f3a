package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// plant writes a blob under the given id.
func plant(t *testing.T, dir, id, data string) ID {
	t.Helper()
	path := filepath.Join(dir, Blobs, id)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
		t.Fatal(err)
	}
	parsed, _ := ParseID(id)
	return parsed
}

func put(t *testing.T, s *Store, data string) ID {
	t.Helper()
	id, _, err := s.Put([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

const madeUp = "e1e1e1e1e1e14e1e8e1e1e1e1e1e1e1ee2e2e2e2e2e24e2e8e2e2e2e2e2e2e2e"

func TestParseID(t *testing.T) {
	good := strings.Repeat("0a", 32)
	id, err := ParseID(good)
	if err != nil || id.String() != good || id.IsZero() {
		t.Errorf("%v, %v", id, err)
	}
	for _, bad := range []string{
		"", "a", good[1:], good + "0", strings.ToUpper(good), "../../" + good[3:], good[:60] + "/../",
		"..", good[:63] + "g", good[:63] + "\n", good[:62] + "é", strings.Repeat("x", 10_000),
	} {
		id, err := ParseID(bad)
		if !errors.Is(err, ErrInvalidID) || !id.IsZero() {
			t.Errorf("%.80q: %v, %v", bad, id, err)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("the message has %d bytes", len(err.Error()))
		}
	}
	if _, err := (ID{}).MarshalText(); !errors.Is(err, ErrInvalidID) {
		t.Errorf("the zero id was marshalled: %v", err)
	}
}

func TestNothingIsMadeByReading(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.Get(Sum(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get: %v", err)
	}
	for info, err := range s.List() {
		t.Errorf("listed %v, %v", info, err)
	}
	for l, err := range s.Leftovers() {
		t.Errorf("leftover %v, %v", l, err)
	}
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("reading made %v", list)
	}
}

func TestPut(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id, outcome, err := s.Put([]byte("hello"))
	if err != nil || outcome != Created || id != Sum([]byte("hello")) {
		t.Fatal(id, outcome, err)
	}
	path := filepath.Join(dir, ".rip/artifacts/blobs/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := s.Put([]byte("hello")); err != nil || outcome != Kept {
		t.Error(outcome, err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
		t.Error("a blob that was there was written again")
	}
	for _, damage := range []string{"hellO", "hell", "hello there", ""} {
		plant(t, dir, id.String(), damage)
		if _, outcome, err := s.Put([]byte("hello")); err != nil || outcome != Healed {
			t.Errorf("over %q: %v, %v", damage, outcome, err)
		}
		if err := s.Verify(id); err != nil {
			t.Error(err)
		}
	}
}

func TestSizeLimit(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Max = 10
	var tooLarge *TooLargeError
	if _, _, err := s.Put(make([]byte, 11)); !errors.As(err, &tooLarge) {
		t.Errorf("put: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".rip")); err == nil {
		t.Error("a refused blob made folders")
	}
	put(t, s, strings.Repeat("x", 10))
	big := plant(t, dir, Sum([]byte("0123456789a")).String(), "0123456789a")
	if _, err := s.Get(big); !errors.As(err, &tooLarge) || tooLarge.Size != 11 {
		t.Errorf("get: %v", err)
	}
	if err := s.Verify(big); err != nil {
		t.Errorf("verify must not mind the size: %v", err)
	}
	if data, total, err := s.Range(big, 1, 100); string(data) != "123456789a" || total != 11 || err != nil {
		t.Errorf("%q of %d, %v", data, total, err)
	}
}

func TestVerify(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	good := put(t, s, "good")
	flipped := plant(t, dir, Sum([]byte("flipped")).String(), "flippee")
	foreign := plant(t, dir, madeUp, "x")
	if err := s.Verify(good); err != nil {
		t.Error(err)
	}
	var damaged *DamagedError
	if err := s.Verify(flipped); !errors.As(err, &damaged) || damaged.Want != flipped || damaged.Got != Sum([]byte("flippee")) {
		t.Errorf("flipped: %v", err)
	}
	if err := s.Verify(foreign); !errors.Is(err, ErrNotHashed) || errors.As(err, &damaged) {
		t.Errorf("foreign: %v", err)
	}
	if err := s.Verify(Sum([]byte("gone"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if err := s.Verify(ID{}); !errors.Is(err, ErrInvalidID) {
		t.Errorf("zero: %v", err)
	}
	if data, err := s.Get(foreign); err != nil || string(data) != "x" {
		t.Errorf("%q, %v", data, err)
	}
}

// reads reads a blob in every way that compares it with its id.
func reads(s *Store, id ID) map[string]error {
	all := map[string]error{"Verify": s.Verify(id)}
	_, all["Get"] = s.Get(id)
	_, _, all["Range"] = s.Range(id, 1, 2)
	blob, err := s.Open(id)
	if all["Open"] = err; err == nil {
		blob.Close()
	}
	return all
}

// TestEveryFlippedByte changes each byte of a blob in turn: each read refuses it, and so it
// does when the blob is missing.
func TestEveryFlippedByte(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	data := []byte("a short blob, flipped bit by bit")
	id := put(t, s, string(data))
	for i := range data {
		for bit := range 8 {
			bad := bytes.Clone(data)
			bad[i] ^= 1 << bit
			plant(t, dir, id.String(), string(bad))
			for name, err := range reads(s, id) {
				if !errors.As(err, new(*DamagedError)) {
					t.Fatalf("byte %d, bit %d: %s: %v", i, bit, name, err)
				}
			}
		}
	}
	if err := os.Remove(filepath.Join(dir, Blobs, id.String())); err != nil {
		t.Fatal(err)
	}
	for name, err := range reads(s, id) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotRegular replaces a blob by something that is not a regular file.
func TestNotRegular(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	s := open(t, dir)
	put(t, s, "neighbour")
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	id := Sum([]byte("secret"))
	path := filepath.Join(dir, Blobs, id.String())
	for name, place := range map[string]func() error{
		"link out":        func() error { return os.Symlink(secret, path) },
		"link in":         func() error { return os.Symlink(Sum([]byte("neighbour")).String(), path) },
		"link to nothing": func() error { return os.Symlink("nothing", path) },
		"folder":          func() error { return os.Mkdir(path, 0o755) },
		"FIFO":            func() error { return mkfifo(path) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := place(); err != nil {
				needs.Missing(t, name, err.Error())
			}
			_, getErr := s.Get(id)
			_, _, rangeErr := s.Range(id, 0, 1)
			_, _, putErr := s.Put([]byte("secret"))
			_, removeErr := s.Remove(id, time.Now())
			for what, err := range map[string]error{
				"get": getErr, "range": rangeErr, "put": putErr, "verify": s.Verify(id), "remove": removeErr,
			} {
				if !errors.Is(err, ErrNotRegular) {
					t.Errorf("%s: %v", what, err)
				}
			}
			listed := false
			for info, err := range s.List() {
				listed = listed || info.ID == id && errors.Is(err, ErrNotRegular)
			}
			if !listed {
				t.Error("it is not listed as what it is")
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		})
	}
	if got, _ := os.ReadFile(secret); string(got) != "secret" {
		t.Errorf("the file outside now holds %q", got)
	}
}

// TestFoldersLeadOut replaces the store's own folders by links out of the tree.
func TestFoldersLeadOut(t *testing.T) {
	for _, link := range []string{".rip", ".rip/artifacts", Blobs} {
		dir, outside := t.TempDir(), t.TempDir()
		id := plant(t, outside, Sum([]byte("x")).String(), "x")
		target := filepath.Join(outside, link)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link)), 0o755); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, target, filepath.Join(dir, link))
		s := open(t, dir)
		if data, err := s.Get(id); err == nil || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: read %q, %v", link, data, err)
		}
		if _, _, err := s.Put([]byte("new")); err == nil {
			t.Errorf("%s: wrote outside", link)
		}
		for _, err := range s.List() {
			if err == nil {
				t.Errorf("%s: listed what lies outside", link)
			}
		}
		if _, err := os.Stat(filepath.Join(outside, Blobs, Sum([]byte("new")).String())); err == nil {
			t.Errorf("%s: the blob lies outside", link)
		}
	}
}

func TestReadOnlyTree(t *testing.T) {
	needs.Unix(t, "no folder is read-only on Windows")
	needs.NotRoot(t, func() { putReadOnly(t) })
}

func putReadOnly(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := put(t, s, "kept")
	for _, d := range []string{Blobs, ".rip/artifacts", ".rip", "."} {
		p := filepath.Join(dir, d)
		if err := os.Chmod(p, 0o555); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(p, 0o755)
	}
	if data, err := s.Get(id); err != nil || string(data) != "kept" {
		t.Errorf("%q, %v", data, err)
	}
	if _, outcome, err := s.Put([]byte("kept")); err != nil || outcome != Kept {
		t.Errorf("putting what is there: %v, %v", outcome, err)
	}
	if _, _, err := s.Put([]byte("new")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("putting what is new: %v", err)
	}
}

func putAll(s *Store, all [][]byte) error {
	flush, err := s.PutAll(all)
	if err != nil {
		return err
	}
	return flush()
}

func TestPutAll(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := putAll(s, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".rip")); err == nil {
		t.Error("nothing was put, and a folder made for it")
	}
	var all [][]byte
	for i := range 50 {
		all = append(all, fmt.Appendf(nil, "blob %d", i%40)) // some twice
	}
	damaged := filepath.Join(dir, Blobs, Sum(all[3]).String())
	if _, _, err := s.Put(all[3]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := putAll(s, all); err != nil {
		t.Fatal(err)
	}
	if n := checkWhole(t, s); n != 40 {
		t.Errorf("%d blobs of 40", n)
	}
	for l, err := range s.Leftovers() {
		t.Errorf("left over: %v, %v", l, err)
	}
	s.Max = 10
	err = putAll(s, [][]byte{[]byte("small"), []byte("much too large")})
	if !errors.As(err, new(*TooLargeError)) || !strings.Contains(err.Error(), Sum([]byte("much too large")).String()) {
		t.Errorf("one that is too large: %v", err)
	}
}
