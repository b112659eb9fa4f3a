//go:build !linux

package gitindex

func committing(string, string) bool { return false }
