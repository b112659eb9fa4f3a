package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/artifact"
	"handoff/log/engine"
)

// A blob is one message on the subject of its id. A long one is cut into chunks, which
// are messages on subjects of their own SHA-256, and the message of the blob, which is
// written last, has their 32-byte hashes one after the other. Each of these subjects is
// written once. So any number of writers of the same blob cannot disturb each other or
// a reader, as writers of NATS's own object store do.
const (
	// headerChunks is the number of chunks; a message without it has the blob's bytes.
	headerChunks = "Handoff-Chunks"
	// maxChunk is the most bytes of a chunk.
	maxChunk = 512 << 10
	// ahead is how many chunks are sent or fetched at once.
	ahead = 4
)

// Put stores a blob. If the bytes turn out to be wrong, chunks of them may be left, but
// no blob.
func (e *Engine) Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error) {
	if err := engine.CheckID(id); err != nil {
		return false, err
	}
	if size < 0 {
		return false, fmt.Errorf("%w size of a blob: %d", engine.ErrInvalid, size)
	}
	chunk := int64(min(maxChunk, e.room()))
	if count := (size + chunk - 1) / chunk; size > chunk && count*sha256.Size > int64(e.room()) {
		return false, fmt.Errorf("%s: a blob of %d bytes: %w: at most %d are possible", e.Name(), size, engine.ErrTooLarge, int64(e.room())/sha256.Size*chunk)
	}
	h, data, err := e.content(ctx, id, size, chunk, from)
	if errors.Is(err, errStored) {
		return false, nil
	}
	if err == nil {
		created, err = e.writeOnce(ctx, e.blobSubject(id), h, data)
	}
	if err != nil {
		return false, fmt.Errorf("%s: blob %s: %w", e.Name(), id, err)
	}
	return created, nil
}

// errStored: the blob exists.
var errStored = errors.New("the blob is stored")

// content reads and checks the bytes of a blob, and makes its message. Chunks are
// stored meanwhile.
func (e *Engine) content(ctx context.Context, id string, size, chunk int64, from io.Reader) (h nats.Header, data []byte, err error) {
	all := sha256.New()
	source := io.TeeReader(io.LimitReader(from, size+1), all)
	if size <= chunk {
		data, err = io.ReadAll(source)
		if err != nil {
			return nil, nil, err
		}
		return nil, data, same(id, size, int64(len(data)), all.Sum(nil))
	}
	if stored, err := e.has(ctx, id); err != nil || stored {
		return nil, nil, errors.Join(err, errStored)
	}
	c := chunks{e: e, free: make(chan []byte, ahead)}
	for range ahead {
		c.free <- nil
	}
	n, err := c.send(ctx, source, chunk)
	if err == nil {
		err = same(id, size, n, all.Sum(nil))
	}
	return nats.Header{headerChunks: {strconv.Itoa(len(c.hashes) / sha256.Size)}}, c.hashes, err
}

// same compares the received bytes with the announced size and hash.
func same(id string, size, n int64, sum []byte) error {
	if n != size {
		few := "fewer"
		if n > size {
			few = "more"
		}
		return fmt.Errorf("there are %s bytes than the %d that were announced", few, size)
	}
	if got := hex.EncodeToString(sum); got != id {
		return mismatch(id, got)
	}
	return nil
}

func mismatch(want, got string) error {
	w, err := artifact.ParseID(want)
	if err != nil {
		return err
	}
	g, err := artifact.ParseID(got)
	if err != nil {
		return err
	}
	return &artifact.MismatchError{Want: w, Got: g}
}

// chunks are the chunks of one blob while it is stored.
type chunks struct {
	e      *Engine
	free   chan []byte // buffers that are not in use; it also limits how many are sent at once
	hashes []byte

	mu  sync.Mutex
	err error
}

// send stores all chunks and returns the number of bytes.
func (c *chunks) send(ctx context.Context, source io.Reader, size int64) (n int64, err error) {
	var sending sync.WaitGroup
	defer func() {
		sending.Wait()
		err = errors.Join(err, c.failed(nil))
	}()
	for c.failed(nil) == nil {
		buffer := <-c.free
		if buffer == nil {
			buffer = make([]byte, size)
		}
		read, err := io.ReadFull(source, buffer)
		n += int64(read)
		if read > 0 {
			sum := sha256.Sum256(buffer[:read])
			c.hashes = append(c.hashes, sum[:]...)
			sending.Go(func() {
				_, err := c.e.writeOnce(ctx, c.e.chunkSubject(hex.EncodeToString(sum[:])), nil, buffer[:read])
				c.failed(err)
				c.free <- buffer
			})
		}
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return n, nil
		case err != nil:
			return n, err
		}
	}
	return n, nil
}

// failed remembers the first error and returns it.
func (c *chunks) failed(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	return c.err
}

// writeOnce stores a message as the only one of its subject. It retries as long as the
// cluster may need to elect a leader: all writers write the same, so that is safe.
func (e *Engine) writeOnce(ctx context.Context, subject string, h nats.Header, data []byte) (created bool, err error) {
	if h == nil {
		h = nats.Header{}
	}
	h[headerExpected] = []string{"0"}
	for end := time.Now().Add(engine.Budget); ; {
		_, err := e.commit(ctx, &nats.Msg{Subject: subject, Header: h, Data: data})
		switch {
		case err == nil:
			return true, nil
		case code(err) == codeMoved:
			return false, nil
		case !errors.Is(err, engine.ErrUnknown) && !errors.Is(err, engine.ErrUnavailable) && !errors.Is(err, errMoved), time.Now().After(end):
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, errors.Join(ctx.Err(), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
