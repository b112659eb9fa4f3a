package copy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"handoff/log/artifact"
	"handoff/log/engine"
)

// blobs copies the blobs that the target does not have.
func (c *copying) blobs(ctx context.Context) error {
	if c.options.Prefix != "" {
		return nil
	}
	all, none, err := ids(ctx, c.from)
	if err != nil || none {
		return err
	}
	stored, none, err := ids(ctx, c.to)
	if err != nil {
		return err
	}
	c.result.Blobs = len(all)
	if none {
		c.result.BlobsLeft = len(all)
		return nil
	}
	has := make(map[string]bool, len(stored))
	for _, id := range stored {
		has[id] = true
	}
	var missing []string
	for _, id := range all {
		if !has[id] {
			missing = append(missing, id)
		}
	}
	step := c.begin(Artifacts, uint64(len(missing)))
	return each(ctx, c.options.Writers, missing, func(ctx context.Context, id string) error {
		defer step(1)
		return c.blob(ctx, id)
	})
}

// ids returns the ids of all blobs of a store; none: it has no blobs at all.
func ids(ctx context.Context, e engine.Engine) (all []string, none bool, err error) {
	for id, err := range e.IDs(ctx) {
		if errors.Is(err, engine.ErrUnsupported) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, engine.About(e.Name(), err)
		}
		all = append(all, id)
	}
	return all, false, nil
}

// sized is a blob that knows its size, so that it need not be in memory.
type sized interface{ Size() int64 }

// blob copies one blob. One that cannot be read is a problem; all others are copied.
func (c *copying) blob(ctx context.Context, id string) error {
	from, err := c.from.Get(ctx, id)
	if err != nil {
		return c.unreadable(ctx, id, err)
	}
	defer from.Close()
	source := &source{from: from}
	size := int64(0)
	var in io.Reader = source
	if s, ok := from.(sized); ok {
		size = s.Size()
	} else {
		data, err := io.ReadAll(source)
		if err != nil {
			return c.unreadable(ctx, id, err)
		}
		size, in = int64(len(data)), bytes.NewReader(data)
	}
	created, err := c.to.Put(ctx, id, size, in)
	switch {
	case source.err != nil:
		return c.unreadable(ctx, id, source.err)
	case err != nil:
		return engine.About(c.to.Name(), err)
	case created:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.result.BlobsCopied++
	}
	return nil
}

// unreadable records why a blob of the source could not be read.
func (c *copying) unreadable(ctx context.Context, id string, err error) error {
	if ctx.Err() != nil || errors.Is(err, engine.ErrUnavailable) {
		return engine.About(c.from.Name(), err)
	}
	known, parseErr := artifact.ParseID(id)
	if damaged := (*artifact.DamagedError)(nil); errors.As(err, &damaged) && parseErr == nil && known.MadeUp() {
		err = artifact.ErrNotHashed
	}
	c.problem("", fmt.Errorf("%s: artifact %s: %w", c.from.Name(), id, err))
	return nil
}

// source remembers the error of the source, which the target may not report.
type source struct {
	from io.Reader
	err  error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}
