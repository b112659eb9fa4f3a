package jetstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// Get opens a blob.
func (e *Engine) Get(ctx context.Context, id string) (io.ReadCloser, error) {
	if err := engine.CheckID(id); err != nil {
		return nil, err
	}
	h, data, err := e.once(ctx, e.blobSubject(id), func(nats.Header, []byte) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("%s: blob %s: %w", e.Name(), id, err)
	}
	b := &blob{name: e.Name(), id: id, sum: sha256.New()}
	if h.Get(headerChunks) == "" {
		b.chunk = data
		b.sum.Write(data)
		return b, nil
	}
	b.ctx, b.cancel = context.WithCancel(ctx)
	b.chunks = e.fetch(b.ctx, data)
	return b, nil
}

// Has reports whether a blob is stored.
func (e *Engine) Has(ctx context.Context, id string) (bool, error) {
	if err := engine.CheckID(id); err != nil {
		return false, err
	}
	has, err := e.has(ctx, id)
	if err != nil {
		return false, fmt.Errorf("%s: %w", e.Name(), err)
	}
	return has, nil
}

func (e *Engine) has(ctx context.Context, id string) (bool, error) {
	found, err := e.subjects(ctx, e.blobSubject(id))
	return len(found) > 0, err
}

// IDs returns the ids of all blobs.
func (e *Engine) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		subjects, err := e.subjects(ctx, e.blobSubject("*"))
		if err != nil {
			yield("", fmt.Errorf("%s: %w", e.Name(), err))
			return
		}
		for _, subject := range subjects {
			if id := strings.TrimPrefix(subject, e.blobSubject("")); engine.CheckID(id) == nil && !yield(id, nil) {
				return
			}
		}
	}
}

// once returns the message of a subject that is written once. Any node may have it; it
// asks the leader if the message is missing or invalid.
func (e *Engine) once(ctx context.Context, subject string, right func(nats.Header, []byte) bool) (nats.Header, []byte, error) {
	m, err := e.ask(ctx, "$JS.API.DIRECT.GET."+e.o.Stream+"."+subject, nil)
	if err == nil && m.Header.Get(headerStatus) == "" && right(m.Header, m.Data) {
		return m.Header, m.Data, nil
	}
	_, h, data, ok, err := e.fromLeader(ctx, get{Last: subject})
	if err == nil && !ok {
		err = fs.ErrNotExist
	}
	return h, data, err
}

// piece is a chunk, or the error that replaces it.
type piece struct {
	data []byte
	err  error
}

// fetch fetches chunks, some at once, and returns them in order.
func (e *Engine) fetch(ctx context.Context, hashes []byte) <-chan chan piece {
	pieces := make(chan chan piece, ahead-1)
	go func() {
		defer close(pieces)
		for ; len(hashes) >= sha256.Size; hashes = hashes[sha256.Size:] {
			c, hash := make(chan piece, 1), hashes[:sha256.Size]
			select {
			case pieces <- c:
			case <-ctx.Done():
				return
			}
			go func() {
				_, data, err := e.once(ctx, e.chunkSubject(hex.EncodeToString(hash)), func(_ nats.Header, data []byte) bool {
					sum := sha256.Sum256(data)
					return bytes.Equal(sum[:], hash)
				})
				c <- piece{data, err}
			}()
		}
	}()
	return pieces
}

// blob reads a blob and compares its bytes with its id.
type blob struct {
	name, id string
	chunk    []byte
	chunks   <-chan chan piece // nil if chunk is all of it
	sum      hash.Hash
	ctx      context.Context // ends the fetching of chunks
	cancel   func()
	err      error
}

func (b *blob) Read(p []byte) (n int, err error) {
	for len(b.chunk) == 0 && b.err == nil {
		b.chunk, b.err = b.next()
		b.sum.Write(b.chunk)
	}
	if len(b.chunk) == 0 {
		return 0, b.err
	}
	n = copy(p, b.chunk)
	b.chunk = b.chunk[n:]
	return n, nil
}

// WriteTo is for io.Copy: chunks are not copied on their way.
func (b *blob) WriteTo(w io.Writer) (n int64, err error) {
	for {
		wrote, err := w.Write(b.chunk)
		b.chunk = b.chunk[wrote:]
		n += int64(wrote)
		if err != nil {
			return n, err
		}
		if b.err == nil {
			b.chunk, b.err = b.next()
			b.sum.Write(b.chunk)
		}
		if len(b.chunk) > 0 {
			continue
		}
		if b.err == io.EOF {
			return n, nil
		}
		if b.err != nil {
			return n, b.err
		}
	}
}

// next returns the next chunk. The error is io.EOF if the bytes have the id.
func (b *blob) next() ([]byte, error) {
	if b.chunks != nil {
		if c, more := <-b.chunks; more {
			p := <-c
			if errors.Is(p.err, fs.ErrNotExist) {
				p.err = errors.New("a part of it is missing")
			}
			if p.err != nil {
				p.err = fmt.Errorf("%s: blob %s: %w", b.name, b.id, p.err)
			}
			return p.data, p.err
		}
		if b.ctx.Err() != nil {
			return nil, b.ctx.Err()
		}
	}
	if got := hex.EncodeToString(b.sum.Sum(nil)); got != b.id {
		return nil, fmt.Errorf("%s: blob %s: %w", b.name, b.id, mismatch(b.id, got))
	}
	return nil, io.EOF
}

func (b *blob) Close() error {
	if b.cancel != nil {
		b.cancel()
	}
	if b.err == nil {
		b.err = fs.ErrClosed
	}
	b.chunk = nil
	return nil
}
