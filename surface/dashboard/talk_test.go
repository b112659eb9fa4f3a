package dashboard

import (
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

var tags = regexp.MustCompile(`<[^>]*>`)

// seen is the text of a page.
func (s *site) seen(path string) string {
	s.t.Helper()
	return html.UnescapeString(tags.ReplaceAllString(s.content(path), ""))
}

// answer adds a run to a message, and its output.
func (v *talk) answer(message, text string) (run string) {
	v.t.Helper()
	v.threads(func(all *threads.Threads) {
		ctx := v.t.Context()
		_, id, err := all.SpawnRun(ctx, v.id, thread.RunRequest{MessageID: message})
		if err != nil {
			v.t.Fatal(err)
		}
		if _, err := all.StartSession(ctx, id, "question"); err != nil {
			v.t.Fatal(err)
		}
		if _, err := all.AppendSession(ctx, id, &thread.OutputDelta{Delta: text}); err != nil {
			v.t.Fatal(err)
		}
		if _, err := all.EndRun(ctx, v.id, id, runner.Completed, "", ""); err != nil {
			v.t.Fatal(err)
		}
		run = id
	})
	return run
}

// TestConversation: the page of a thread has each part that `handoff thread show` prints: messages,
// answers of runs, branches and handoffs, with titles and short ids.
func TestConversation(t *testing.T) {
	v := talking(t)
	run := v.answer(v.messages[0], "Three lemmas:\n<b>a</b>, b and c")
	title := "Second try"
	child := ""
	v.threads(func(all *threads.Threads) {
		b, err := all.Branch(t.Context(), v.id, thread.BranchRequest{Title: &title, FromMessageID: &v.messages[0], ActorID: "user", Origin: "test"})
		if err != nil {
			t.Fatal(err)
		}
		child = b.ThreadID
		info, err := all.Get(t.Context(), v.id)
		if err != nil {
			t.Fatal(err)
		}
		talk, _, _, err := conversation(t.Context(), all, info, mostSaid)
		talk.Answers(t.Context(), all, mostAnswer, func(err error) error { return err })
		if err != nil || len(talk.Said) < 4 {
			t.Fatalf("%+v, %v", talk.Said, err)
		}
		text := v.seen(threadURL(v.id))
		for _, s := range talk.Said {
			if part := lines(s.Text); !strings.Contains(text, part) || part == "" {
				t.Errorf("the page lacks %q (%s):\n%s", part, s.Kind, text)
			}
		}
	})
	text := v.seen(threadURL(v.id))
	if !strings.Contains(text, "run "+run[:8]) || !strings.Contains(text, "branch to Second try") || strings.Contains(text, child) {
		t.Errorf("marks:\n%s", text)
	}
	if text := v.seen(threadURL(child)); !strings.Contains(text, "branch of Fix <the> parser") {
		t.Errorf("the branch:\n%s", text)
	}
	v.post("After the cut.")
	page := v.content(threadURL(child)) // it has what it inherits, and nothing from after the cut
	if strings.Count(page, "inherited from <a") != 3 || !strings.Contains(page, "Three lemmas:") || strings.Contains(page, "After the cut.") {
		t.Errorf("the branch:\n%s", page)
	}
	if from := html.EscapeString(cutURL(v.id, v.messages[0], "")); !strings.Contains(page, from) {
		t.Errorf("an inherited message does not lead to %s:\n%s", from, page)
	}
	for last, older := range map[string]bool{"1": true, "2": true, "1000": false, "nonsense": false} {
		page := v.content(threadURL(child) + "&last=" + last)
		if strings.Contains(page, ">show more</a>") != older || older && !strings.Contains(page, threadURL(child)[len(threadsPath):]+"&amp;last="+map[string]string{"1": "2", "2": "4"}[last]+`"`) {
			t.Errorf("the last %s:\n%s", last, page)
		}
	}
	if text := v.content(threadURL(v.id)); strings.Contains(text, "<b>a</b>") {
		t.Errorf("an answer is markup:\n%s", text)
	}
}

// TestTapeConversation: the page of a tape has the text of each entry that `handoff tape read`
// prints, and folds what tools say.
func TestTapeConversation(t *testing.T) {
	v := talking(t)
	v.tapes(func(one *tape.Tape) {
		for _, e := range []tape.Entry{
			{Kind: tape.KindMessage, Payload: json.RawMessage(`{"role":"assistant","content":"I read <b>scan.go</b>."}`)},
			{Kind: tape.KindToolCall, Payload: json.RawMessage(`{"calls":[{"name":"bash","arguments":"go test"}]}`)},
		} {
			if _, err := one.Append(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		text := v.seen(tapeURL("main"))
		for e, err := range one.Query(tape.Query{}) {
			if err != nil {
				t.Fatal(err)
			}
			gist := strings.TrimPrefix(tapes.Gist(e), "assistant: ")
			gist = strings.TrimPrefix(gist, e.Name()+" ")
			if !strings.Contains(text, gist) || !strings.Contains(text, fmt.Sprintf("entry %d", e.ID)) {
				t.Errorf("the page lacks entry %d, %q:\n%s", e.ID, gist, text)
			}
		}
	})
	if page := v.content(tapeURL("main")); !strings.Contains(page, "<details hx-morph-skip><summary><span class=\"quiet\">tool call") || strings.Contains(page, "<b>scan") {
		t.Errorf("the page:\n%s", page)
	}
}
