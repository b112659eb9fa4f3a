package artifact

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// blobsInMemory is a Remote.
type blobsInMemory struct {
	blobs map[string][]byte
	gets  int
	away  error
}

func (m *blobsInMemory) Put(_ context.Context, id string, size int64, from io.Reader) (bool, error) {
	data, err := io.ReadAll(from)
	if m.away != nil {
		return false, m.away
	}
	if err == nil && int64(len(data)) != size {
		err = errors.New("another size")
	}
	m.blobs[id] = data
	return true, err
}

func (m *blobsInMemory) Get(_ context.Context, id string) (io.ReadCloser, error) {
	m.gets++
	data, ok := m.blobs[id]
	if m.away != nil {
		return nil, m.away
	}
	if !ok {
		return nil, fs.ErrNotExist
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

func TestRemote(t *testing.T) {
	remote := &blobsInMemory{blobs: map[string][]byte{}}
	open := func() *Store {
		s, err := Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		s.Remote = remote
		return s
	}
	a, b := open(), open()
	first, _, err := a.Put([]byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	second, _, _, err := a.PutFrom(strings.NewReader("second"), ID{})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[ID]string{first: "first", second: "second"} {
		for range 2 {
			if data, err := b.Get(id); err != nil || string(data) != want {
				t.Fatalf("%q %v", data, err)
			}
		}
	}
	if remote.gets != 2 {
		t.Errorf("asked %d times for two blobs", remote.gets)
	}
	if _, err := b.Get(Sum([]byte("nobody has this"))); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// A copy that is damaged here is fetched again; without the remote it is an error.
func TestRemoteRestores(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	remote := &blobsInMemory{blobs: map[string][]byte{}}
	s.Remote = remote
	id := put(t, s, "first")
	for _, read := range []string{"Verify", "Get", "Range", "Open"} {
		plant(t, dir, id.String(), "worst")
		if err := reads(s, id)[read]; err != nil {
			t.Errorf("%s: %v", read, err)
		}
	}
	plant(t, dir, id.String(), "worst")
	remote.away = errors.New("away")
	if _, err := s.Get(id); !errors.As(err, new(*DamagedError)) || !errors.Is(err, remote.away) {
		t.Error(err)
	}
	remote.away, remote.blobs = nil, nil
	if _, err := s.Get(id); !errors.As(err, new(*DamagedError)) || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// What the remote did not take is not stored here either.
func TestRemoteThatIsAway(t *testing.T) {
	root := t.TempDir()
	s, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	away := errors.New("away")
	s.Remote = &blobsInMemory{away: away}
	_, _, put := s.Put([]byte("x"))
	_, all := s.PutAll([][]byte{[]byte("x")})
	_, _, _, stream := s.PutFrom(strings.NewReader("x"), ID{})
	_, adopt := s.Adopt(Sum([]byte("x")), []byte("x"))
	for _, err := range []error{put, all, stream, adopt} {
		if !errors.Is(err, away) {
			t.Error(err)
		}
	}
	entries, err := os.ReadDir(s.full(Blobs))
	if len(entries) > 0 {
		t.Error(entries, err)
	}
}
