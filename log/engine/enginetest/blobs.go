package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand"
	"slices"
	"strings"
	"sync"
	"testing/iotest"

	"handoff/log/artifact"
	"handoff/log/engine"
)

// chunk is the size of the pieces in which an engine may store a blob.
const chunk = 512 << 10

func blobCases(has Supports) []testCase {
	if !has.Blobs {
		return []testCase{{"are not supported", withoutBlobs}}
	}
	return []testCase{
		{"a blob is stored once", func(r *run) {
			data := []byte("some text\n")
			for i, e := range r.handles(2) {
				if created := r.put(e, data); created != (i == 0) {
					r.Errorf("put %d: created %v", i, created)
				}
			}
			r.gets(data)
			r.ids(data)
		}},
		{"blobs of all sizes", func(r *run) {
			var all [][]byte
			for _, size := range []int{0, 1, 1_000, chunk - 1, chunk, chunk + 1, 2 * chunk, 5*chunk + 17} {
				all = append(all, noise(int64(size), size))
				r.put(r, all[len(all)-1])
			}
			all = append(all, bytes.Repeat([]byte{0}, 3*chunk)) // equal chunks
			r.put(r, all[len(all)-1])
			for _, data := range all {
				r.gets(data)
			}
			r.ids(all...)
		}},
		{"a missing blob", func(r *run) {
			id := artifact.Sum([]byte("missing")).String()
			if _, err := r.Get(r.ctx, id); !errors.Is(err, fs.ErrNotExist) {
				r.Errorf("Get: %v, want fs.ErrNotExist", err)
			}
			if has, err := r.Has(r.ctx, id); has || err != nil {
				r.Errorf("Has: %v, %v", has, err)
			}
			r.ids()
		}},
		{"bytes that do not have the id are not stored", func(r *run) {
			for _, size := range []int{10, 2*chunk + 5} {
				data := noise(1, size)
				id, wrong := artifact.Sum(data), slices.Clone(data)
				wrong[size-1]++
				_, err := r.Put(r.ctx, id.String(), int64(size), bytes.NewReader(wrong))
				if mismatch := (*artifact.MismatchError)(nil); !errors.As(err, &mismatch) || mismatch.Want != id || mismatch.Got != artifact.Sum(wrong) {
					r.Errorf("%d other bytes: %v, want a MismatchError", size, err)
				}
				for name, short := range map[string]io.Reader{"too few": bytes.NewReader(data[:size-1]), "too many": bytes.NewReader(append(slices.Clone(data), 'x')),
					"broken": io.MultiReader(bytes.NewReader(data[:size/2]), iotest.ErrReader(errBroken))} {
					_, err := r.Put(r.ctx, id.String(), int64(size), short)
					if err == nil || name == "broken" && !errors.Is(err, errBroken) {
						r.Errorf("%s bytes, want %d: %v", name, size, err)
					}
				}
				if has, err := r.Has(r.ctx, id.String()); has || err != nil {
					r.Errorf("Has: %v, %v", has, err)
				}
				if _, err := r.Get(r.ctx, id.String()); !errors.Is(err, fs.ErrNotExist) {
					r.Errorf("Get: %v, want fs.ErrNotExist", err)
				}
				r.ids()
			}
			data := noise(1, 2*chunk+5)
			r.put(r, data) // leftovers of the attempts must not matter
			r.gets(data)
		}},
		{"an invalid id", func(r *run) {
			for _, id := range []string{"", "abc", "../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("0", 63) + "*", strings.Repeat("0", 65)} {
				if _, err := r.Put(r.ctx, id, 1, strings.NewReader("x")); !errors.Is(err, engine.ErrInvalid) {
					r.Errorf("Put %q: %v, want ErrInvalid", id, err)
				}
				if _, err := r.Get(r.ctx, id); !errors.Is(err, engine.ErrInvalid) {
					r.Errorf("Get %q: %v, want ErrInvalid", id, err)
				}
				if _, err := r.Has(r.ctx, id); !errors.Is(err, engine.ErrInvalid) {
					r.Errorf("Has %q: %v, want ErrInvalid", id, err)
				}
			}
		}},
		{"a blob that is read in part", func(r *run) {
			data := noise(2, 4*chunk)
			r.put(r, data)
			for range 10 {
				b, err := r.Get(r.ctx, artifact.Sum(data).String())
				if err != nil {
					r.Fatal(err)
				}
				some := make([]byte, 100)
				if _, err := io.ReadFull(b, some); err != nil || !bytes.Equal(some, data[:100]) {
					r.Errorf("the first bytes: %v", err)
				}
				if err := b.Close(); err != nil {
					r.Errorf("close: %v", err)
				}
			}
			r.gets(data)
		}},
		{"the same blob from several writers", func(r *run) {
			data := noise(3, 3*chunk+1)
			var racers sync.WaitGroup
			for _, e := range r.handles(r.has.Racers) {
				racers.Go(func() {
					for range 3 {
						if _, err := e.Put(r.ctx, artifact.Sum(data).String(), int64(len(data)), bytes.NewReader(data)); err != nil {
							r.Errorf("put: %v", err)
						}
						if err := same(r, e, data); err != nil {
							r.Error(err)
						}
					}
				})
			}
			racers.Wait()
			r.ids(data)
		}},
		{"many blobs", func(r *run) {
			var all [][]byte
			for i := range 120 {
				all = append(all, fmt.Appendf(nil, "blob %d", i))
				r.put(r, all[i])
			}
			r.ids(all...)
			for range r.IDs(r.ctx) {
				break
			}
			r.gets(all[119])
		}},
	}
}

var errBroken = errors.New("the source broke")

func withoutBlobs(r *run) {
	id := artifact.Sum([]byte("x")).String()
	_, put := r.Put(r.ctx, id, 1, strings.NewReader("x"))
	_, get := r.Get(r.ctx, id)
	_, has := r.Has(r.ctx, id)
	ids := errors.New("no error")
	for _, err := range r.IDs(r.ctx) {
		ids = err
		break
	}
	for name, err := range map[string]error{"Put": put, "Get": get, "Has": has, "IDs": ids} {
		if !errors.Is(err, engine.ErrUnsupported) {
			r.Errorf("%s: %v, want ErrUnsupported", name, err)
		}
	}
}

// noise is bytes that do not compress and whose chunks differ.
func noise(seed int64, size int) []byte {
	data := make([]byte, size)
	rand.New(rand.NewSource(seed)).Read(data)
	return data
}

func (r *run) put(e engine.Blobs, data []byte) (created bool) {
	r.Helper()
	created, err := e.Put(r.ctx, artifact.Sum(data).String(), int64(len(data)), bytes.NewReader(data))
	if err != nil {
		r.Fatalf("put %d bytes: %v", len(data), err)
	}
	return created
}

// gets ends the case unless each handle has a blob.
func (r *run) gets(data []byte) {
	r.Helper()
	for _, e := range r.handles(2) {
		if err := same(r, e, data); err != nil {
			r.Fatal(err)
		}
	}
}

func same(r *run, e engine.Blobs, data []byte) error {
	id := artifact.Sum(data).String()
	if has, err := e.Has(r.ctx, id); !has || err != nil {
		return fmt.Errorf("Has: %v, %v", has, err)
	}
	b, err := e.Get(r.ctx, id)
	if err != nil {
		return fmt.Errorf("get: %w", err)
	}
	defer b.Close()
	got, err := io.ReadAll(b)
	if err != nil || !bytes.Equal(got, data) {
		return fmt.Errorf("get %d bytes: got %d other ones, %v", len(data), len(got), err)
	}
	return nil
}

// ids ends the case unless the store has exactly these blobs.
func (r *run) ids(all ...[]byte) {
	r.Helper()
	var want, got []string
	for _, data := range all {
		want = append(want, artifact.Sum(data).String())
	}
	slices.Sort(want)
	for id, err := range r.IDs(r.ctx) {
		if err != nil {
			r.Fatalf("ids: %v", err)
		}
		got = append(got, id)
	}
	if !slices.Equal(got, want) {
		r.Fatalf("ids: got %d %.200q\nwant %d %.200q", len(got), got, len(want), want)
	}
}
