package artifact

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"handoff/internal/file/atomicfile"
)

// Remote is a shared store of the workspace's blobs: handoff/log/engine's Blobs. The local
// folder has copies of the blobs that were needed here.
type Remote interface {
	Put(ctx context.Context, id string, size int64, from io.Reader) (created bool, err error)
	Get(ctx context.Context, id string) (io.ReadCloser, error)
}

// remoteBudget bounds the time for one blob.
const remoteBudget = 5 * time.Minute

// send stores a blob in the remote, if there is one, before the blob gets its name
// here. So a blob that other machines may refer to always exists in the remote.
func (s *Store) send(id ID, data []byte) error {
	if s.Remote == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), remoteBudget)
	defer cancel()
	_, err := s.Remote.Put(ctx, id.hex, int64(len(data)), bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("artifact %s: %w", id, err)
	}
	return nil
}

// fetch copies a blob that is not here from the remote. If it is not there either, the
// error is fs.ErrNotExist.
func (s *Store) fetch(id ID) error {
	ctx, cancel := context.WithTimeout(context.Background(), remoteBudget)
	defer cancel()
	from, err := s.Remote.Get(ctx, id.hex)
	if errors.Is(err, fs.ErrNotExist) {
		return &MissingError{id}
	}
	if err != nil {
		return fmt.Errorf("artifact %s: %w", id, err)
	}
	defer from.Close()
	blobs, err := s.blobs()
	if err != nil {
		return err
	}
	defer blobs.Close()
	return atomicfile.StreamIn(s.trusted, blobs, 0o644, func(w io.Writer) (string, error) {
		_, err := io.Copy(w, from) // an error if the bytes do not have the hash
		return id.hex, err
	})
}
