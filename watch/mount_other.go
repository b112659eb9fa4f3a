//go:build !linux

package watch

// unwatchable returns why one of the folders has no events; only Linux can report that.
func unwatchable(...string) string { return "" }
