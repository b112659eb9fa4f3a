// Package names has what the logs of threads and tapes are called, in a store and below
// the folder of the tool's own files. So the logs can be copied by those who do not read
// them. Packages thread and tape own what is in them.
//
// Names come from other machines, too: a log of any other name is not copied.
package names

import "strings"

// Suffix is the end of the name of each log, as for any log of an engine.
const Suffix = ".jsonl"

// Owns reports whether a path below the folder of the tool's own files, with forward
// slashes, is that of a log of threads or tapes.
func Owns(path string) bool { return OfThreads(path) || OfTapes(path) }

// isDevice reports the names that Windows reserves in every folder, whatever their suffix.
func isDevice(file string) bool {
	base, _, _ := strings.Cut(strings.ToLower(file), ".")
	switch base {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && '0' <= base[3] && base[3] <= '9'
}
