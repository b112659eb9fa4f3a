package artifact

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestPutFrom(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	id := Sum([]byte("hello"))
	for _, want := range []Outcome{Created, Kept} {
		got, size, outcome, err := s.PutFrom(iotest.OneByteReader(strings.NewReader("hello")), id)
		if err != nil || got != id || size != 5 || outcome != want {
			t.Errorf("%v, %d, %v, %v; want %v", got, size, outcome, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, Blobs, id.String()), []byte("hell!"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, outcome, err := s.PutFrom(strings.NewReader("hello"), ID{}); outcome != Healed || err != nil {
		t.Errorf("%v, %v", outcome, err)
	}
	if err := s.Verify(id); err != nil {
		t.Error(err)
	}
}

// TestPutFromLeavesNothing passes input that must not be stored.
func TestPutFromLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Max = 10
	want := Sum([]byte("hello"))
	var mismatch *MismatchError
	if _, _, _, err := s.PutFrom(strings.NewReader("hullo"), want); !errors.As(err, &mismatch) || mismatch.Want != want {
		t.Errorf("other bytes: %v", err)
	}
	var large *TooLargeError
	endless := io.MultiReader(strings.NewReader(strings.Repeat("x", 11)), iotest.ErrReader(errors.New("read on")))
	if _, _, _, err := s.PutFrom(endless, ID{}); !errors.As(err, &large) {
		t.Errorf("too many bytes: %v", err)
	}
	broken := errors.New("the line broke")
	if _, _, _, err := s.PutFrom(io.MultiReader(strings.NewReader("he"), iotest.ErrReader(broken)), want); !errors.Is(err, broken) {
		t.Errorf("half of it: %v", err)
	}
	if list, err := os.ReadDir(filepath.Join(dir, Blobs)); len(list) != 0 || err != nil {
		t.Errorf("the store holds %v, %v", list, err)
	}
	if _, _, _, err := s.PutFrom(strings.NewReader("0123456789"), ID{}); err != nil {
		t.Errorf("just as many as fit: %v", err)
	}
}

func TestOpenBlob(t *testing.T) {
	s := open(t, t.TempDir())
	id := put(t, s, "0123456789")
	b, err := s.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if b.Size != 10 {
		t.Errorf("%d bytes", b.Size)
	}
	if _, err := b.Seek(-3, io.SeekEnd); err != nil {
		t.Error(err)
	}
	if got, err := io.ReadAll(b); !bytes.Equal(got, []byte("789")) || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := s.Open(Sum(nil)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing blob: %v", err)
	}
}
