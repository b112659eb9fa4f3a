package procgroup

import (
	"bytes"
	"iter"
	"os"
	"strconv"
	"strings"
)

// having yields the processes for whose environment key returns something, and that.
func having(key func(getenv func(string) string) string) iter.Seq2[string, Process] {
	return func(yield func(string, Process) bool) {
		for pid, env := range environs() {
			k := key(func(variable string) string { return valueIn(env, variable) })
			if k == "" {
				continue
			}
			words, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
			if err == nil && !yield(k, Process{pid, strings.TrimSpace(string(bytes.ReplaceAll(words, []byte{0}, []byte{' '})))}) {
				return
			}
		}
	}
}

func valueIn(env []byte, variable string) string {
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if value, ok := bytes.CutPrefix(entry, []byte(variable+"=")); ok {
			return string(value)
		}
	}
	return ""
}
