//go:build !linux

package procgroup

import "iter"

func having(func(func(string) string) string) iter.Seq2[string, Process] {
	return func(func(string, Process) bool) {}
}
