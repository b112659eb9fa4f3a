package receipt

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestChanged: each history is yielded again when it has changed, and only then; one
// that is damaged, or is in the file of another handoff, is an error once.
func TestChanged(t *testing.T) {
	s := openStore(t, realTemp(t))
	seen := Seen{}
	changed := func(want string) {
		t.Helper()
		var got []string
		for l, err := range s.Changed(seen) {
			if err != nil {
				got = append(got, "error")
			} else {
				got = append(got, strings.TrimSuffix(filepath.Base(l.Steps[0].Handoff), ".md")+":"+string(l.Last().Kind))
			}
		}
		slices.Sort(got)
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
	changed("")
	m := Moment{Now: noon}
	record(t, s, "specs/1_a/handoffs/a.md", m.Deliver("x", ""))
	record(t, s, "specs/1_a/handoffs/b.md", m.Deliver("x", ""))
	changed("a:delivered b:delivered")
	changed("")
	record(t, s, "specs/1_a/handoffs/b.md", m.Finish("x", ""))
	changed("b:done")
	other := s.file(keyOf("specs/1_a/handoffs/c.md"))
	src, err := os.ReadFile(s.file(keyOf("specs/1_a/handoffs/b.md")))
	if err == nil {
		err = os.WriteFile(other, src, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	changed("error")
	changed("")
	if err := os.WriteFile(other, []byte("{\"seq\":4}\n{\"seq\":5}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed("error")
	if err := os.Remove(s.file(keyOf("specs/1_a/handoffs/a.md"))); err != nil {
		t.Fatal(err)
	}
	record(t, s, "specs/1_a/handoffs/a.md", m.Finish("x", ""))
	changed("a:done")
}
