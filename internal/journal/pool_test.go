package journal

import (
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"
)

// TestPoolOpens: while one journal is opened, which may take as long as a store is patient,
// others can be taken. Of two goroutines that open the same one, both get the same.
func TestPoolOpens(t *testing.T) {
	var p Pool
	path := func(name string) string { return filepath.Join(t.TempDir(), name) }
	create := func(path string) func() (*Journal, error) {
		return func() (*Journal, error) {
			j, err := Create(t.Context(), path, strict, Options{}, nil)
			if errors.Is(err, fs.ErrExist) {
				j, err = Open(t.Context(), path, strict, Options{})
			}
			return j, err
		}
	}
	slow, both := path("slow"), make(chan struct{})
	var opening sync.WaitGroup
	opening.Add(2)
	var got [2]*Journal
	var takers sync.WaitGroup
	for i := range got {
		takers.Go(func() {
			j, release, err := p.Take(slow, func() (*Journal, error) {
				opening.Done()
				<-both
				return create(slow)()
			})
			if err != nil {
				t.Error(err)
				return
			}
			defer release()
			got[i] = j
		})
	}
	opening.Wait()
	_, release, err := p.Take("fast", create(path("fast")))
	if err != nil {
		t.Fatal(err)
	}
	release()
	close(both)
	takers.Wait()
	if got[0] != got[1] {
		t.Error("two journals of one path")
	}
	if _, err := got[0].Len(); err != nil {
		t.Errorf("the one in use: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, _, err := p.Take("fast", create(path("late"))); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed pool: %v", err)
	}
}
