package gitsaid

import (
	"strings"
	"testing"
)

func TestReason(t *testing.T) {
	const refused = "remote: You are not allowed to push code to this project.        \nTo /srv/a.git\n ! [remote rejected] x -> x (pre-receive hook declined)\nerror: failed to push some refs to '/srv/a.git'\n"
	for _, c := range []struct{ talk, reason, remote string }{
		{"fatal: not a git repository.\n", "not a git repository", ""},
		{"fatal: detected dubious ownership in repository at '/srv/a'\nTo add an exception for this directory, call:\n\n\tgit config --global --add safe.directory /srv/a\n",
			"detected dubious ownership in repository at '/srv/a'; To add an exception for this directory, call: git config --global --add safe.directory /srv/a", ""},
		{"ERROR: Permission to a/b.git denied to bob.\n\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.\n",
			"ERROR: Permission to a/b.git denied to bob; Could not read from remote repository", ""},
		{refused, "You are not allowed to push code to this project; To /srv/a.git; ! [remote rejected] x -> x (pre-receive hook declined); failed to push some refs to '/srv/a.git'",
			"You are not allowed to push code to this project"},
	} {
		if got := Reason(c.talk); got != c.reason {
			t.Errorf("Reason(%q) = %q, want %q", c.talk, got, c.reason)
		}
		if got := Remote(c.talk); got != c.remote {
			t.Errorf("Remote(%q) = %q, want %q", c.talk, got, c.remote)
		}
	}
	if got := Reason(strings.Repeat("é", most)); len(got) > most || strings.Contains(got, "\uFFFD") {
		t.Errorf("a long message: %d bytes, %q", len(got), got[len(got)-4:])
	}
}
