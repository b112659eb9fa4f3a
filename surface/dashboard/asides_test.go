package dashboard

import (
	"html"
	"regexp"
	"strings"
	"testing"
)

// TestAsides: what a handoff has of Understand First, Waiting For and Running in the Background is in the rows and the facts of its
// task, each once; without them there is no word of them.
func TestAsides(t *testing.T) {
	const asides = "\n## Understand First\n- Two <b>truths</b>\n- Never both\n\n## Waiting For\n- Anna: approve the schema\n\n## Running in the Background\n- `make watch`\n"
	tags := regexp.MustCompile(`<[^>]*>`)
	facts := func(text string) string {
		text, _, _ = strings.Cut(text, "</dl>")
		return text
	}
	whole := func(text string) string { return text }
	for page, c := range map[string]struct {
		part func(string) string
		want []string // once each
		not  []string // without the sections, and with them what is said twice
	}{
		"/":              {whole, []string{"waits for Anna: approve the schema", "1 task needs a person."}, []string{"schema: waits", "1 handoff waits"}},
		"/view/waiting":  {whole, []string{"waits for Anna: approve the schema"}, []string{"schema: waits"}},
		"/view/task?n=1": {facts, []string{"waits for Anna: approve the schema", "understand firstTwo <b>truths</b>; Never both", "left running`make watch`"}, nil},
	} {
		s := newSite(t, nil)
		s.handoff("1_a", 1, "20260211T143022Z", "Run `go test`.", asides)
		shown := html.UnescapeString(tags.ReplaceAllString(c.part(s.content(page)), ""))
		for _, want := range c.want {
			if strings.Count(shown, want) != 1 {
				t.Errorf("%s: not once %q:\n%s", page, want, shown)
			}
		}
		for _, not := range c.not {
			if strings.Contains(shown, not) {
				t.Errorf("%s: %q:\n%s", page, not, shown)
			}
		}
		s = newSite(t, nil)
		s.handoff("1_a", 1, "20260211T143022Z", "Run `go test`.", asides)
		s.handoff("1_a", 2, "20260212T143022Z", "Run `go test`.", "")
		shown = html.UnescapeString(tags.ReplaceAllString(c.part(s.content(page)), ""))
		for _, not := range append(c.want, "Anna", "understand first", "left running") {
			if strings.Contains(shown, not) {
				t.Errorf("%s without sections: %q:\n%s", page, not, shown)
			}
		}
	}
}
