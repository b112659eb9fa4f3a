//go:build !(darwin || freebsd || linux || netbsd || openbsd)

package lockfile

import "context"

// kept holds nothing here: the file is opened each time.
type kept struct{}

// Lock waits until it holds the file, which it makes if need be.
func (k *Kept) Lock(ctx context.Context) (unlock func() error, err error) { return Lock(ctx, k.Path) }

// Close gives the file back.
func (k *Kept) Close() error { return nil }
