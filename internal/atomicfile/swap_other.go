//go:build !linux

package atomicfile

func exchange(temp, path string, old, _ []byte) error { return replace(temp, path, old) }
