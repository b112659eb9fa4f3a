package bub

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
)

// TestBubOutage kills the server in the middle of a turn of the oldest and the newest Bub, and starts it again, as a
// machine that is rebooted does: the turn ends, and the tape is that of a turn without an outage.
func TestBubOutage(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	program, compiled := built(t), cmp.Or(os.Getenv("PYTHONPYCACHEPREFIX"), t.TempDir())
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		for _, at := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s/request %d", version, at+1), func(t *testing.T) {
				t.Parallel()
				a := newAgent(t, venvs, version, "server", program)
				a.env = append(a.env, "PYTHONDONTWRITEBYTECODE=", "PYTHONPYCACHEPREFIX="+compiled)
				whole := a.turnKilled(-1)
				before := len(a.entries())
				after := a.turnKilled(at)
				if whole == "" || after != whole {
					t.Errorf("%d entries before it; without an outage\n%s\nwith one\n%s", before, whole, after)
				}
				if asked := a.model.requests(); len(asked) != 4 || !strings.Contains(plainText(asked[3]["messages"]), "17-18-19") {
					t.Errorf("the model was asked %d times", len(asked))
				}
			})
		}
	}
}

// dated is the time in a prompt of Bub.
var dated = regexp.MustCompile(`---Date: [^ ]*---`)

// begun is how many entries the tape has, 0 if there is none.
func (a *agent) begun() int {
	if out, err := a.command("list"); err != nil || out == "" {
		return 0
	}
	return len(a.entries())
}

// turnKilled takes a turn in which the server is killed at one request to the model, none if it is negative, and returns
// what the turn added to the tape, one line for each entry, without what differs between all turns.
func (a *agent) turnKilled(at int) string {
	a.t.Helper()
	before := a.begun()
	begun := len(a.model.requests())
	var again sync.WaitGroup
	a.model.answers(func(n int, request object) string {
		if n-begun == at {
			a.server.Process.Kill()
			a.server.Wait()
			again.Go(func() {
				time.Sleep(2 * time.Second) // requests in between find no server
				a.serve(strings.TrimPrefix(a.address, "http://"))
			})
		}
		if n == begun {
			return fmt.Sprintf(`{"role": "assistant", "content": null, "tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "bash", "arguments": %q}}]}`,
				shellArgument(a.t, request, "seq -s- 17 19"))
		}
		return `{"role": "assistant", "content": "All done."}`
	})
	err := a.run("Build the API.")
	again.Wait()
	if err != nil {
		a.t.Fatal(err)
	}
	var lines []string
	for _, e := range a.entries()[before:] {
		text := dated.ReplaceAllString(string(e.Payload), "")
		switch {
		case e.Kind == "anchor" || strings.Contains(text, "session/start"):
			continue // only the first turn begins the tape
		case e.Kind == "event" || e.Kind == "system": // has times, or is long
			text = e.Name()
		}
		lines = append(lines, e.Kind+" "+text)
	}
	return strings.Join(lines, "\n")
}
