// Package gitsaid is what all packages that run git share: it reads what git prints on stderr when it
// fails, and has a setting for each run.
package gitsaid

import "strings"

// NoBare is a setting of git for each run in a folder of a project: a repository that is found
// must have a .git. Without it git takes any folder that has HEAD, objects and refs for a
// repository and obeys its config, which names programs; a clone can contain such a folder.
const NoBare = "safe.bareRepository=explicit"

// most is how much of a reason is repeated: a trace may be in it, too.
const most = 600

// Reason is git's message on one line, without the parts that help only at a terminal.
func Reason(talk string) string {
	return reason(talk, func(string) bool { return true })
}

// Remote is what the other side said, which git repeats after "remote:"; "" if it said nothing.
func Remote(talk string) string {
	return reason(talk, func(l string) bool { return strings.HasPrefix(l, "remote: ") })
}

func reason(talk string, wanted func(line string) bool) string {
	var lines []string
	for l := range strings.Lines(talk) {
		l = strings.TrimSpace(l)
		if !wanted(l) {
			continue
		}
		l = strings.TrimRight(l, ".")
		for _, p := range []string{"fatal: ", "error: ", "remote: "} {
			l = strings.TrimSpace(strings.TrimPrefix(l, p))
		}
		if l != "" && !strings.HasPrefix(l, "hint: ") && !strings.HasPrefix(l, "Please make sure") && !strings.HasPrefix(l, "and the repository exists") {
			lines = append(lines, l)
		}
	}
	all := strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
	return strings.ToValidUTF8(all[:min(len(all), most)], "")
}
