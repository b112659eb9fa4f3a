//go:build !linux

package nofollow

// readOnce is known on Linux only: ok is false.
func (r Root) readOnce(string, int64) (src []byte, ok bool) { return nil, false }
