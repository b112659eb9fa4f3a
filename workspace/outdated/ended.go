package outdated

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/internal/process"
	"handoff/internal/text/visible"
)

// forms are how an author writes the process id and the log of what was left running: "pid 4711, log `build.log`".
var forms = sync.OnceValues(func() (pid, log *regexp.Regexp) {
	return regexp.MustCompile(`(?i)\bpid[\s:=#]*([1-9][0-9]{0,9})\b`),
		regexp.MustCompile("(?i)\\b(?:logs?|output)(?: file| to| in)?[\\s:=]+(?:`([^`]+)`|([^\\s,;()`]+))")
})

// ended returns a line for each process that the document says was left running, and for each log, that does not exist
// here. That a process with such an id exists would say nothing: ids are used again. Logs outside of the workspace are
// not looked up, since a document may come from anywhere.
func ended(root string, doc *handoff.Document) (lines []string) {
	for _, text := range doc.Said(handoff.Background) {
		pidForm, logForm := forms()
		if m := pidForm.FindStringSubmatch(text); m != nil {
			if pid, err := strconv.Atoi(m[1]); err == nil && process.Gone(pid) {
				lines = append(lines, fmt.Sprintf("no process %d runs here, which it says was left running", pid))
			}
		}
		m := logForm.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		name := m[1] + strings.TrimRight(m[2], ".")
		if path := filepath.FromSlash(name); filepath.IsLocal(path) {
			if _, err := os.Lstat(filepath.Join(root, path)); errors.Is(err, fs.ErrNotExist) {
				lines = append(lines, "the log "+visible.OneLine(name)+" of a process that it says was left running does not exist")
			}
		}
	}
	return lines
}
