package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// TestDraftRealOpenCode: the real OpenCode exports a session that it has just ended, and
// the draft has what the session did.
func TestDraftRealOpenCode(t *testing.T) {
	h := newHost(t, "opencode")
	writeFile(t, h.dir, "specs/README.md", "")
	h.session(answers(scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell("opencode", "echo measured > parser.txt")}}, scriptedmodel.Answer{Text: "The parser is measured."}))
	cmd := exec.Command(h.agent.Path, "session", "list")
	cmd.Dir, cmd.Env = h.dir, append(os.Environ(), h.agent.Env...)
	list, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	id := ""
	for word := range strings.FieldsSeq(string(list)) {
		if strings.HasPrefix(word, "ses_") {
			id = word
			break
		}
	}
	if id == "" {
		t.Fatal("OpenCode lists no session")
	}
	if listed := h.run("sessions", "--ask", "--json"); !strings.Contains(listed, `"session": "`+id+`"`) || !strings.Contains(listed, `"cause": "ended"`) || !strings.Contains(listed, `"asked": "Make the parser work."`) {
		t.Errorf("the session is not listed: %s", listed)
	}
	draft := h.run("draft", "--session", id)
	for _, want := range []string{`source: "opencode export ` + id + `"`, "`echo measured > parser.txt`: exit 0", "`The parser is measured.`"} {
		if !strings.Contains(draft, want) {
			t.Errorf("the draft lacks %s:\n%s", want, draft)
		}
	}
}
