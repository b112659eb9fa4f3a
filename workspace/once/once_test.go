package once

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/document/handoff"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace"
)

func open(t *testing.T, now func() time.Time) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(t.TempDir(), workspace.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func opened(t *testing.T, ws *workspace.Workspace) *book {
	t.Helper()
	b, err := bookOf(ws)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOneEffect: many requests with one key have one effect and one result; another
// key, or the same key of another operation, has its own.
func TestOneEffect(t *testing.T) {
	ws := open(t, nil)
	var acts atomic.Int64
	do := func(what, key string) (int64, error) {
		n, _, err := Do(t.Context(), ws, Request{What: what, Key: key}, func(*File, func(*File) error) (int64, error) { return acts.Add(1), nil })
		return n, err
	}
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if n, err := do("new", "k"); n != 1 || err != nil {
				t.Errorf("%d, %v", n, err)
			}
		})
	}
	wg.Wait()
	for i, other := range [][2]string{{"new", "l"}, {"claim", "k"}} {
		if n, err := do(other[0], other[1]); n != int64(i+2) || err != nil {
			t.Errorf("%v: %d, %v", other, n, err)
		}
	}
	if _, err := do("new", strings.Repeat("k", MaxKey+1)); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("a long key: %v", err)
	}
}

// TestOtherRequest: a key that was used is refused for a request that asks for something
// else, also if the process of the first one was killed. A record without a
// sum, of an older version, may be anybody's.
func TestOtherRequest(t *testing.T) {
	ws := open(t, nil)
	killed := errors.New("killed")
	do := func(key, sum string, err error) (int, error) {
		n, _, err := Do(t.Context(), ws, Request{What: "new", Key: key, Sum: sum}, func(_ *File, intend func(*File) error) (int, error) {
			return 1, errors.Join(intend(Of("a.md", nil)), err)
		})
		return n, err
	}
	for key, err := range map[string]error{"done": nil, "killed": killed} {
		if _, got := do(key, Sum("a", 1), err); !errors.Is(got, err) {
			t.Fatal(got)
		}
		var other *OtherError
		if _, err := do(key, Sum("b", 1), nil); !errors.As(err, &other) || other.Key != key {
			t.Errorf("%s, with other values: %v", key, err)
		}
		if n, err := do(key, Sum("a", 1), nil); n != 1 || err != nil {
			t.Errorf("%s, repeated: %d, %v", key, n, err)
		}
	}
	if err := os.WriteFile(opened(t, ws).file("new", "old").Path, []byte(`{"at":"2026-01-01T00:00:00Z","result":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if n, err := do("old", Sum("a", 1), nil); !errors.Is(err, handoff.ErrKeyUsed) || !errors.Is(err, fs.ErrExist) {
		t.Errorf("without a sum: %d, %v", n, err)
	}
}

// TestFailedAndKilled: an act that failed is repeated, and gets the file that the one
// before it was about to create.
func TestFailedAndKilled(t *testing.T) {
	ws := open(t, nil)
	want := errors.New("killed")
	_, _, err := Do(t.Context(), ws, Request{What: "new", Key: "k"}, func(before *File, intend func(*File) error) (string, error) {
		if before != nil {
			t.Errorf("a first request has %v", before)
		}
		return "", errors.Join(intend(Of("a.md", []byte("text"))), want)
	})
	if !errors.Is(err, want) {
		t.Fatal(err)
	}
	got, existed, err := Do(t.Context(), ws, Request{What: "new", Key: "k"}, func(before *File, _ func(*File) error) (string, error) {
		return before.Path + " " + before.SHA256[:8], nil
	})
	if got != "a.md 982d9e3e" || existed || err != nil {
		t.Errorf("%q, %v, %v", got, existed, err)
	}
}

// TestOldResults: results are deleted after a week, and are for this user only.
func TestOldResults(t *testing.T) {
	later := time.Duration(0)
	ws := open(t, func() time.Time { return time.Now().Add(later) })
	for i := range 3 {
		if _, _, err := Do(context.Background(), ws, Request{What: "new", Key: fmt.Sprint(i)}, func(*File, func(*File) error) (int, error) { return i, nil }); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			later = keeping + time.Hour
		}
	}
	entries, err := os.ReadDir(opened(t, ws).dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	if st, err := entries[0].Info(); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
