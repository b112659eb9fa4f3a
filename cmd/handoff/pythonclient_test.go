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

// continued continues a thread and a tape in each way, and follows a run to its end.
const continued = `
import os
from handoff_client import Client, HandoffError
client = Client(os.environ["HANDOFF_URL"], os.environ["HANDOFF_TOKEN"], retries=1)
threads, tapes = client.threads, client.tapes
t = threads.create("agent")["thread_id"]
posted = threads.post(t, "hello")
print([event.data["type"] for event in client.sessions.events(posted["session_id"])])
b = threads.branch(t, from_message_id=posted["message_id"])
h = threads.handoff(t, "# Summary", key="once")
print(b["parent_thread_id"] == t, h == threads.handoff(t, "# Summary", key="once"), threads.post(t, "again", key="p") == threads.post(t, "again", key="p"), threads.reference(t, b["thread_id"])["seq"])
for event in threads.events(h["thread_id"]):
    if event.data["type"] == "continuity_handoff_created":
        break
threads.archive(t), threads.unarchive(t)
print(threads.rename(t, "agents")["title"], threads.get(t)["title"], len(threads.list()) > 2, threads.lineage(t)["thread_id"] == t, "thread_id" in threads.ensure())
client.append("a/b", {"kind": "message", "payload": {"role": "user", "content": "needle"}})
tapes.handoff("a/b", "p1", summary="S")
tapes.fork("a/b", "f", from_anchor="p1", intention={"next_steps": "N"})
client.append("f", {"kind": "message", "payload": {"role": "assistant", "content": "did it"}})
print(tapes.merge("f")["entries"], [a["name"] for a in tapes.anchors("a/b")], tapes.search("a/b", "needle")[0]["entry"]["id"], tapes.recover("a/b")["state"])
print(tapes.context("a/b", for_="openai")["request"]["messages"][-1]["content"], tapes.exec("a/b", ",info")["output"].splitlines()[0])
print(next(tapes.events("a/b")).data["kind"], tapes.get("a/b")["name"], len(tapes.list()), tapes.create("g", bare=True)["tape"], tapes.delete("g")["tape"])
tapes.receive("c", tapes.send("a/b", "ann", "bob", context_summary="so far"), **{"as": "bob"})
tapes.fork("a/b", "g"), tapes.discard("g"), tapes.reset("a/b")
print(len(tapes.archives("a/b")))
try:
    list(tapes.events("f"))
except HandoffError as error:
    print(error.type)
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
	const continues = "['session_started', 'output_text_delta', 'session_ended']\nTrue True True 1\nagents agents True True True\n1 ['session/start', 'p1'] 3 {'summary': 'S'}\ndid it name: a/b\nanchor a/b 2 g g\n1\nurn:handoff:no-such-tape\n"
	if out := python("-c", continued); out != continues {
		t.Errorf("continued says\n%swant\n%s", out, continues)
	}
	python("-m", "unittest", "discover", "-s", "tests")
}
