//go:build !linux

package watch

// unwatchable says why there are no events to be had of one of the folders;
// elsewhere than on Linux there is no telling.
func unwatchable(...string) string { return "" }
