//go:build !linux

package journal

func (l *logFile) datasync() error { return l.Sync() }
