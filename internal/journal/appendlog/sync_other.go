//go:build !linux

package appendlog

import "os"

func datasync(f *os.File) error { return f.Sync() }
