package copy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"iter"

	"handoff/log/engine"
)

// compare compares the records that the target has with those of the source.
func (c *copying) compare(ctx context.Context) error {
	all := uint64(0)
	var both []engine.Info
	for _, info := range c.logs {
		if c.has[info.Log] > 0 {
			both = append(both, engine.Info{Log: info.Log, Len: c.has[info.Log]})
			all += c.has[info.Log]
		}
	}
	step := c.begin(Comparing, all)
	return each(ctx, c.options.Writers, both, func(ctx context.Context, info engine.Info) error {
		err := c.compareLog(ctx, info, step)
		if read := (*readError)(nil); errors.As(err, &read) {
			c.problem(info.Log, err)
			return nil
		}
		return err
	})
}

// readError is an error of the source, about one log.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// broken returns a readError, unless the source is unreachable or copying was cancelled.
func (c *copying) broken(ctx context.Context, err error) error {
	err = engine.About(c.from.Name(), err)
	if ctx.Err() != nil || errors.Is(err, engine.ErrUnavailable) {
		return err
	}
	return &readError{err}
}

func (c *copying) compareLog(ctx context.Context, info engine.Info, step func(uint64)) error {
	next, stop := iter.Pull2(c.from.Read(ctx, info.Log, 0))
	defer stop()
	for there, err := range c.to.Read(ctx, info.Log, 0) {
		if err != nil {
			return engine.About(c.to.Name(), err)
		}
		here, err, ok := next()
		if err != nil {
			return c.broken(ctx, err)
		}
		if !ok || !bytes.Equal(here.Data, there.Data) {
			return c.differs("record %d of %s is another one in %s", there.Number, info.Log, c.from.Name())
		}
		step(1)
	}
	return nil
}

// The size of an append.
const (
	appendRecords = 500
	appendBytes   = 1 << 20
)

// records copies the records that the target does not have, and then compares them.
func (c *copying) records(ctx context.Context) error {
	var rest []engine.Info
	all := uint64(0)
	for _, info := range c.logs {
		if n := c.has[info.Log]; n < info.Len && !c.bad[info.Log] {
			rest = append(rest, info)
			all += info.Len - n
		}
	}
	step := c.begin(Records, all)
	sums := make([][]byte, len(rest))
	index := make([]int, len(rest))
	for i := range rest {
		index[i] = i
	}
	err := each(ctx, c.options.Writers, index, func(ctx context.Context, i int) (err error) {
		sums[i], err = c.copyLog(ctx, rest[i], step)
		if read := (*readError)(nil); errors.As(err, &read) {
			c.problem(rest[i].Log, err)
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	step = c.begin(Verifying, c.result.Copied)
	return each(ctx, c.options.Writers, index, func(ctx context.Context, i int) error {
		if c.isBad(rest[i].Log) {
			return nil
		}
		return c.verifyLog(ctx, rest[i], sums[i], step)
	})
}

// copyLog appends the rest of a log, and returns the hash of what it read.
func (c *copying) copyLog(ctx context.Context, info engine.Info, step func(uint64)) ([]byte, error) {
	sum := sha256.New()
	b, size := engine.Batch{Log: info.Log, Expected: c.has[info.Log]}, 0
	flush := func() error {
		if len(b.Records) == 0 {
			return nil
		}
		n := uint64(len(b.Records))
		if err := c.append(ctx, b); err != nil {
			return err
		}
		c.copied(n)
		step(n)
		b, size = engine.Batch{Log: info.Log, Expected: b.Expected + n}, 0
		return nil
	}
	for record, err := range c.from.Read(ctx, info.Log, b.Expected) {
		if err != nil {
			if err := flush(); err != nil { // what came before it is fine
				return nil, err
			}
			return nil, c.broken(ctx, err)
		}
		if record.Number >= info.Len {
			break // it was appended meanwhile
		}
		add(sum, record.Data)
		b.Records = append(b.Records, record.Data)
		if size += len(record.Data); len(b.Records) >= appendRecords || size >= appendBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return sum.Sum(nil), flush()
}

// add adds a record to a hash, so that other records cannot have the same one.
func add(sum hash.Hash, record []byte) {
	sum.Write(record)
	sum.Write([]byte{'\n'})
}

func (c *copying) copied(n uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Copied += n
}

// append appends records, in halves if they are too many for an append.
func (c *copying) append(ctx context.Context, b engine.Batch) error {
	err := engine.Append(ctx, c.to, engine.Budget, b)
	if n := len(b.Records); errors.Is(err, engine.ErrTooLarge) && n > 1 {
		first := engine.Batch{Log: b.Log, Expected: b.Expected, Records: b.Records[:n/2]}
		second := engine.Batch{Log: b.Log, Expected: b.Expected + uint64(n/2), Records: b.Records[n/2:]}
		if err := c.append(ctx, first); err != nil {
			return err
		}
		return c.append(ctx, second)
	}
	if err != nil {
		return engine.About(c.to.Name(), err)
	}
	return nil
}

// verifyLog reads what was appended and compares its hash.
func (c *copying) verifyLog(ctx context.Context, info engine.Info, want []byte, step func(uint64)) error {
	sum, n := sha256.New(), c.has[info.Log]
	for record, err := range c.to.Read(ctx, info.Log, n) {
		if err != nil {
			return engine.About(c.to.Name(), err)
		}
		add(sum, record.Data)
		n++
		step(1)
	}
	if n != info.Len || !bytes.Equal(sum.Sum(nil), want) {
		return fmt.Errorf("%s: %s has %d records after the copy, which are not the %d of %s: is another process writing to it?", c.to.Name(), info.Log, n, info.Len, c.from.Name())
	}
	return nil
}
