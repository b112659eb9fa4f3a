//go:build !linux

package gitindex

func hooks(string, string) string { return "" }
