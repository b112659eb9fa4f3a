package process

import (
	"fmt"
	"os"
	"strings"
)

// Terminal identifies the terminal that this process is controlled from, as long as the
// session of that terminal lives; "" if there is none. Another terminal that later gets the
// same device has another identity, because its session has another leader.
func Terminal() string {
	own := stat("self")
	if len(own) < ttyField || own[ttyField-1] == "0" {
		return ""
	}
	leader, begun := own[sessionField-1], ""
	if of := stat(leader); len(of) >= beginField {
		begun = of[beginField-1]
	}
	return fmt.Sprintf("tty%s.%s.%s", own[ttyField-1], leader, begun)
}

// Fields of /proc/PID/stat after the name of the program, from 1.
const (
	sessionField = 4
	ttyField     = 5
	beginField   = 20
)

// stat returns the fields of a process after the name of its program, which may contain
// spaces and parentheses.
func stat(pid string) []string {
	src, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	text := string(src)
	return strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
}
