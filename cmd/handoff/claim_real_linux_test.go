package main

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestClaimRealAgents: the real agents claim a handoff and finish it, each command in the shell that they
// start for it, without the id of the claim. Another session of the agent cannot.
func TestClaimRealAgents(t *testing.T) {
	sessions := map[string]string{"claude": "claude", "codex": "codex"} // that name theirs to commands
	for _, name := range realagents.Names() {
		t.Run(name, func(t *testing.T) {
			dir, bin := callerTree(t), commandDir(t)
			session := func(commands ...string) {
				t.Helper()
				model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
					if r.Turn < 1 || r.Turn > len(commands) {
						return scriptedmodel.Answer{Text: "finished"}
					}
					return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell(name, filepath.Join(bin, "handoff")+" "+commands[r.Turn-1])}}
				})
				agent := realagents.Prepare(t, name, dir, model)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, agent.Path, agent.Args...)
				cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader("go"), append(callerEnv(bin, "PWD="+dir), agent.Env...) // OpenCode works in PWD
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			session("claim 1/1 --as " + name)
			if got := became(t, dir, bin); got != "claimed 1 1 false" {
				t.Fatalf("after the claim it became %q", got)
			}
			host, session1 := claimedIn(t, dir, bin)
			if host != sessions[name] || (session1 == "") != (host == "") {
				t.Errorf("claimed in %q %q", host, session1)
			}
			if host == "" { // its next session looks the same
				session("done")
				if got := became(t, dir, bin); got != "done 1 2 false" {
					t.Errorf("it became %q", got)
				}
				return
			}
			session("done 1/1", "claim 1/1 --as "+name+" --force --why again", "ack --first-action 'Run it.'", "done")
			if got := became(t, dir, bin); got != "done 2 4 true" {
				t.Errorf("it became %q", got)
			}
			if _, session2 := claimedIn(t, dir, bin); session2 == session1 {
				t.Errorf("two sessions are %s", session1)
			}
		})
	}
}

// claimedIn is the session in which the handoff was claimed last.
func claimedIn(t *testing.T, dir, bin string) (host, session string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "handoff"), "receipts", callerDoc, "--json")
	cmd.Dir, cmd.Env = dir, callerEnv(bin)
	out, err := cmd.Output()
	var v struct {
		Steps []struct{ Step, Host, Session string }
	}
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil {
		t.Fatal(err, string(out))
	}
	for _, s := range v.Steps {
		if s.Step == "claimed" {
			host, session = s.Host, s.Session
		}
	}
	return host, session
}
