package engine

import (
	"context"
	"fmt"
	"io"
	"iter"
)

// NoBlobs is embedded by an engine that stores no blobs.
type NoBlobs struct{}

var errNoBlobs = fmt.Errorf("blobs: %w", ErrUnsupported)

func (NoBlobs) Put(context.Context, string, int64, io.Reader) (bool, error) { return false, errNoBlobs }
func (NoBlobs) Get(context.Context, string) (io.ReadCloser, error)          { return nil, errNoBlobs }
func (NoBlobs) Has(context.Context, string) (bool, error)                   { return false, errNoBlobs }
func (NoBlobs) IDs(context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) { yield("", errNoBlobs) }
}
