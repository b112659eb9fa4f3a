//go:build !linux

package watch

// unwatchable is why one of the folders has no events; only Linux can tell.
func unwatchable(...string) string { return "" }
