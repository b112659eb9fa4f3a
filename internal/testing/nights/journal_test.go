//go:build linux

package nights

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/testing/killtest"
)

// alone checks that nothing runs any more that an agent before has started.
func (a *agent) alone() {
	for _, name := range []string{"agent", "tool"} {
		src, _ := os.ReadFile(filepath.Join(a.night, name))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(src)))
		if pid > 0 && pid != os.Getpid() && killtest.Alive(pid) {
			a.wrong("the %s %d of an agent before still runs", name, pid)
		}
	}
	a.keep("agent", fmt.Sprint(os.Getpid()))
}

// first reports whether this is the first time that something happens in the night.
func (a *agent) first(what string) bool {
	f, err := os.OpenFile(filepath.Join(a.night, "first-"+what), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err == nil {
		f.Close()
	}
	return err == nil
}

// remember keeps something in the session; remembers is what is kept.
func (a *agent) remember(what, text string) {
	a.keep("session-"+a.session+"-"+what, text)
}

// keep writes a file of the night, whole: the agent may be killed meanwhile.
func (a *agent) keep(name, text string) {
	temp := filepath.Join(a.night, fmt.Sprint("new-", os.Getpid()))
	err := os.WriteFile(temp, []byte(text), 0o644)
	if err == nil {
		err = os.Rename(temp, filepath.Join(a.night, name))
	}
	if err != nil {
		panic(err)
	}
}

func (a *agent) remembers(what string) string {
	src, _ := os.ReadFile(filepath.Join(a.night, "session-"+a.session+"-"+what))
	return string(src)
}

// log adds a line to the journal of the agents, wrong also to that of what must not be.
func (a *agent) log(what, text string) {
	note(a.night, "agents", fmt.Sprintf("%s %s %d: %s %s", time.Now().Format("15:04:05.000"), a.vendor, os.Getpid(), what, text))
}

func (a *agent) wrong(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	a.log("WRONG", text)
	note(a.night, "wrong", text)
}

func note(night, name, text string) {
	f, err := os.OpenFile(filepath.Join(night, name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, text)
}

// lines are those of a file, none if it is missing.
func lines(path string) []string {
	src, _ := os.ReadFile(path)
	return slices.Collect(strings.Lines(string(src)))
}
