package main

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

// caller is who runs this command: see [current.Caller]. An agent that `handoff` itself started
// runs in the thread of its work, so that it is not mistaken for the process that started it.
func (w *process) caller() current.Caller {
	who := current.Caller{Claim: w.claim(), Terminal: ps.Terminal(), Relay: w.getenv(agents.RelayVar)}
	for _, s := range host.Sessions(w.getenv) {
		who.Sessions = append(who.Sessions, receipt.Session(s))
	}
	if thread := w.getenv("HANDOFF_THREAD_ID"); thread != "" && w.getenv("HANDOFF_RUN_ID") != "" {
		who.Sessions = append(who.Sessions, receipt.Session{Host: "handoff", ID: thread})
	}
	machine, _ := os.Hostname() // without it users of one number on two machines look the same
	user := fmt.Sprint(os.Getuid())
	if os.Getuid() < 0 { // Windows has no numbers
		user = w.getenv("USERNAME")
	}
	who.User = user + "@" + machine
	return who
}

// serverCaller is the caller whose calls a server for one client makes: the session that started it, else
// the server itself, as long as it runs. Its terminal and user say nothing, because each agent of a
// user has one.
func serverCaller(w *process) current.Caller {
	who := w.caller()
	who.User, who.Terminal = "", ""
	if len(who.Sessions) == 0 {
		who.Sessions = []receipt.Session{{Host: "mcp", ID: thread.NewUUID()}}
	}
	return who
}

// claim is the claim that the session passes, "" for none.
func (w *process) claim() string { return strings.TrimSpace(w.getenv("HANDOFF_CLAIM")) }

// callerName is a name for the caller, for people: its agent, else the user.
func callerName(getenv func(string) string) string {
	name, _, _ := host.Here(getenv)
	return cmp.Or(name, getenv("USER"), getenv("LOGNAME"), getenv("USERNAME"), "somebody")
}
