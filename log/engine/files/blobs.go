package files

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"iter"

	"handoff/log/artifact"
	"handoff/log/engine"
)

// Put implements [engine.Blobs].
func (e *Engine) Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error) {
	want, err := parse(id)
	if err != nil {
		return false, err
	}
	_, _, outcome, err := e.blobs.PutFrom(&exact{ctx: ctx, from: from, size: size}, want)
	if err != nil {
		return false, fmt.Errorf("artifact %s: %w", id, err)
	}
	return outcome != artifact.Kept, nil
}

func parse(id string) (artifact.ID, error) {
	if err := engine.CheckID(id); err != nil {
		return artifact.ID{}, err
	}
	return artifact.ParseID(id)
}

// exact reads a number of bytes, and fails if there are more or fewer.
type exact struct {
	ctx        context.Context
	from       io.Reader
	size, read int64
}

func (r *exact) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.from.Read(p)
	r.read += int64(n)
	if r.read > r.size || err == io.EOF && r.read < r.size {
		return n, fmt.Errorf("it has %d bytes or more, want %d", r.read, r.size)
	}
	return n, err
}

// Get implements [engine.Blobs].
func (e *Engine) Get(ctx context.Context, id string) (io.ReadCloser, error) {
	want, err := parse(id)
	if err != nil {
		return nil, err
	}
	b, err := e.blobs.Open(want)
	if err != nil {
		return nil, err
	}
	return &checked{blob: b, want: want, hash: sha256.New()}, nil
}

// checked compares the bytes of a blob with its id at their end.
type checked struct {
	blob *artifact.Blob
	want artifact.ID
	hash hash.Hash
}

// Close closes the file.
func (c *checked) Close() error { return c.blob.Close() }

// Size is the number of bytes, so that a copy need not hold them in memory.
func (c *checked) Size() int64 { return c.blob.Size }

func (c *checked) Read(p []byte) (int, error) {
	n, err := c.blob.Read(p)
	c.hash.Write(p[:n])
	if err == io.EOF {
		if got, _ := artifact.ParseID(fmt.Sprintf("%x", c.hash.Sum(nil))); got != c.want {
			return n, &artifact.DamagedError{Want: c.want, Got: got}
		}
	}
	return n, err
}

// Has implements [engine.Blobs]. It does not read the blob.
func (e *Engine) Has(ctx context.Context, id string) (bool, error) {
	want, err := parse(id)
	if err != nil {
		return false, err
	}
	missing, err := e.blobs.Lacks([]artifact.ID{want})
	return err == nil && len(missing) == 0, err
}

// IDs implements [engine.Blobs]. They include RIP's random ids: reading one of those
// blobs ends with an error, because its bytes cannot be checked.
func (e *Engine) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for info, err := range e.blobs.List() {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(info.ID.String(), err) || err != nil {
				return
			}
		}
	}
}
