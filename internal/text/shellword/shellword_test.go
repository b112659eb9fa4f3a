package shellword

import (
	"os/exec"
	"testing"

	"handoff/internal/testing/needs"
)

func TestJoin(t *testing.T) {
	needs.Tool(t, "sh")
	for _, word := range []string{"", "a", "a b", "it's", "$HOME", "`id`", "a\nb", "*", "~", "ü", "-n", `\`} {
		out, err := exec.Command("sh", "-c", Join("printf", "%s", word)).Output()
		if err != nil || string(out) != word {
			t.Errorf("%q: the shell reads %s as %q, %v", word, Quote(word), out, err)
		}
	}
	if got := Join("handoff", "show", "259/3"); got != "handoff show 259/3" {
		t.Errorf("quoted what needs no quotes: %s", got)
	}
}
