package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// followTypes prints what became of the handoff that the app finished.
const followTypes = `
import os
from handoff_client import Client
for event in Client(os.environ["HANDOFF_URL"], os.environ["HANDOFF_TOKEN"]).follow(task=259):
    print(event.data["type"])
    if event.data["type"] == "done":
        break
`

// threadCalls calls each method for threads.
const threadCalls = `
import os
from handoff_client import Client
client = Client(os.environ["HANDOFF_URL"], os.environ["HANDOFF_TOKEN"])
threads = client.threads
t = threads.create("python")["thread_id"]
m = threads.post(t, "mend the lexicon", actor_id="ann")["message_id"]
print(threads.cut_points(t, stride_messages=1)["cut_points"][0]["to_message_id"] == m)
print(threads.checkpoint(t, summary_markdown="all of it", to_message_id=m)["to_message_id"] == m)
print(threads.compaction_status(t, stride_messages=1)["latest_checkpoint"]["to_message_id"] == m)
print(threads.compact(t, stride_messages=1, dry_run=True)["status"], threads.schedule_compact(t, stride_messages=1, dry_run=True)["decision"])
print(threads.cursors(t)["cursors"], threads.rotate_cursor(t, reason="again")["rotated"], threads.selections(t, limit=1)["decisions"])
print([piece["kind"] for piece in threads.compile(t)["explanation"]["kept"]], client.search("lexicon")["logs"][0]["thread_id"] == t)
`

// TestPythonClient: the client of sdk/python-client passes its tests, runs the app of the generated clients
// against a real server, and follows what happened.
func TestPythonClient(t *testing.T) {
	needs.Tool(t, "python3")
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	url, token := serveExample(t, root)
	python := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "python3", args...)
		cmd.Dir = filepath.Join(root, "sdk", "python-client")
		cmd.Env = append(cmd.Environ(), "PYTHONPATH=src", "PYTHONDONTWRITEBYTECODE=1", "HANDOFF_URL="+url, "HANDOFF_TOKEN="+token)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("python3 %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if out := python("tests/app.py"); out != appSays {
		t.Errorf("the app says\n%swant\n%s", out, appSays)
	}
	if out := strings.Fields(python("-c", followTypes)); len(out) < 3 || out[0] != "written" || out[len(out)-2] != "claimed" {
		t.Errorf("followed %q", out)
	}
	const called = "True\nTrue\nTrue\nnoop noop\n[] False []\n['summary'] True\n"
	if out := python("-c", threadCalls); out != called {
		t.Errorf("threads say\n%swant\n%s", out, called)
	}
	python("-m", "unittest", "discover", "-s", "tests")
}
