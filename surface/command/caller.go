package command

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
	ps "handoff/internal/process"
	"handoff/log/receipt"
	"handoff/log/thread"
	"handoff/workspace/current"
)

// Caller is who runs this command: see [current.Caller]. An agent that `handoff` itself started
// runs in the thread of its work, so that it is not mistaken for the process that started it.
func (w *Process) Caller() current.Caller {
	who := current.Caller{Claim: w.Claim(), Terminal: ps.Terminal(), Relay: w.Getenv(agents.RelayVar)}
	for _, s := range host.Sessions(w.Getenv) {
		who.Sessions = append(who.Sessions, receipt.Session(s))
	}
	if thread := w.Getenv("HANDOFF_THREAD_ID"); thread != "" && w.Getenv("HANDOFF_RUN_ID") != "" {
		who.Sessions = append(who.Sessions, receipt.Session{Host: "handoff", ID: thread})
	}
	machine, _ := os.Hostname() // without it users of one number on two machines look the same
	user := fmt.Sprint(os.Getuid())
	if os.Getuid() < 0 { // Windows has no numbers
		user = w.Getenv("USERNAME")
	}
	who.User = user + "@" + machine
	return who
}

// ServerCaller is the caller whose calls a server for one client makes: the session that started it, else
// the server itself, as long as it runs. Its terminal and user say nothing, because each agent of a
// user has one.
func ServerCaller(w *Process) current.Caller {
	who := w.Caller()
	who.User, who.Terminal = "", ""
	if len(who.Sessions) == 0 {
		who.Sessions = []receipt.Session{{Host: "mcp", ID: thread.NewUUID()}}
	}
	return who
}

// Claim is the claim that the session passes, "" for none.
func (w *Process) Claim() string { return strings.TrimSpace(w.Getenv("HANDOFF_CLAIM")) }

// CallerName is a name for the caller, for people: its agent, else the user.
func CallerName(getenv func(string) string) string {
	name, _, _ := host.Here(getenv)
	return cmp.Or(name, getenv("USER"), getenv("LOGNAME"), getenv("USERNAME"), "somebody")
}
