package dashboard

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace/threads"
)

// TestTapeByPage: a tape shows its last entries, and a link leads to older ones until the first.
func TestTapeByPage(t *testing.T) {
	s := newSite(t, nil)
	s.tapes(func(one *tape.Tape) {
		for n := range 250 {
			if _, err := one.Append(t.Context(), tape.Entry{Kind: "message", Payload: []byte(fmt.Sprintf(`{"role": "user", "content": "said-%d."}`, n+1))}); err != nil {
				t.Fatal(err)
			}
		}
	})
	s.tapes(func(one *tape.Tape) {
		if last, err := one.Last(); !strings.Contains(string(last.Payload), "said-250.") || err != nil {
			t.Errorf("the last entry is %s, %v", last.Payload, err)
		}
	})
	older := regexp.MustCompile(`href="([^"]*)#conversation" rel="prev"`)
	seen, path := map[string]bool{}, tapeURL("main")
	for want := range 3 {
		text := s.content(path)
		said := regexp.MustCompile(`said-\d+\.`).FindAllString(text, -1)
		if len(said) > 100 || len(said) == 0 || want == 0 && !strings.Contains(text, "said-250.") || strings.Contains(text, "the last ones") != (want > 0) {
			t.Errorf("page %d has %d entries", want, len(said))
		}
		for _, one := range said {
			if seen[one] {
				t.Errorf("%s is on two pages", one)
			}
			seen[one] = true
		}
		m := older.FindStringSubmatch(text)
		if (m == nil) != (want == 2) {
			t.Fatalf("page %d leads to %v", want, m)
		}
		if m != nil {
			path = unescape.Replace(m[1])
		}
	}
	if len(seen) != 250 {
		t.Errorf("%d of 250 entries are shown", len(seen))
	}
	if text := s.content(tapeURL("main") + "&before=x"); !strings.Contains(text, "said-250.") {
		t.Error("an address that is wrong does not show the last entries")
	}
}

// TestLists: threads and tapes are rows with a title, a state and a time, each below the one that it continues.
func TestLists(t *testing.T) {
	v := talking(t)
	v.answer(v.messages[0], "Because the scanner keeps the sign.")
	v.threads(func(all *threads.Threads) {
		title := "Second try"
		if _, err := all.Branch(t.Context(), v.id, thread.BranchRequest{Title: &title, ActorID: "user", Origin: "test"}); err != nil {
			t.Fatal(err)
		}
	})
	text := v.content(threadsPath)
	for _, want := range []string{"Fix &lt;the&gt; parser", "Second try", "branch after event", `class="state answered"`, "user: Try again.", `class="task in1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("threads lack %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "<svg") || strings.Contains(text, ">"+v.id) {
		t.Error("the list is a picture, or has whole ids")
	}
	text = v.content(tapesPath)
	for _, want := range []string{`>main</a>`, `>side</a>`, overflow, "entry ", `class="task in1"`} {
		if !strings.Contains(text, want) {
			t.Errorf("tapes lack %q:\n%s", want, text)
		}
	}
}
