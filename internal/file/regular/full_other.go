//go:build unix && !linux

package regular

// full does not know it here.
func full(string) bool { return false }
