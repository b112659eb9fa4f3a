package dashboard

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"

	"handoff/internal/testing/needs"
	"handoff/log/receipt"
	"handoff/workspace"
)

// act clicks on an act of the page that is open, and waits for what it will do.
func (b *tab) act(label, says string) {
	b.t.Helper()
	link := `a[aria-label="` + label + `"]`
	b.until(label+" is offered", `document.querySelector('`+link+`')`)
	b.do(label, chromedp.Click(chromedp.CSS(link)))
	b.until(label+" says what it will do", `document.querySelector("#do[open] .will")?.textContent.includes(`+strconv.Quote(says)+`)`)
}

// sends clicks on the button of an act, and waits for the page that it leads to.
func (b *tab) sends() {
	b.t.Helper()
	eval[bool](b, `window.before = true`)
	b.do("the button", chromedp.Click(chromedp.CSS(`#act form.act button`)))
	b.until("the next page is open", `!window.before && document.readyState === "complete"`)
}

func (b *tab) fill(field, text string) {
	b.t.Helper()
	b.do(field, chromedp.SendKeys(chromedp.CSS(`#act [name="`+field+`"]`), text))
}

// TestActsInBrowser clicks each act in a row or on a page, in both themes and on a narrow screen, and reads
// from the disk what it did.
func TestActsInBrowser(t *testing.T) {
	axe := needs.File(t, "HANDOFF_AXE")
	s := populated(t, nil)
	b := browse(t, s)
	b.open("/?state=waiting")
	b.act("claim 12/2", "Claims phase 2 of task 12 for you for 2 hours")
	b.looks("act-claim", axe)
	b.fill("name", "ann")
	b.sends()
	if step := s.last(waits); step.Kind != receipt.StepClaimed || step.By != "ann" {
		t.Errorf("claim: %+v", step)
	}
	b.open("/")
	b.looks("now-acts", axe)
	b.act("release 12/2", "Gives phase 2 of task 12 back")
	b.fill("why", "out of time")
	b.sends()
	if step := s.last(waits); step.Kind != receipt.StepReleased || step.Why != "out of time" {
		t.Errorf("release: %+v", step)
	}
	const held = "specs/31_prove_completeness/handoffs/phase-3-handoff-20260212T120000Z.md"
	b.open("/")
	b.act("take over 31/3", "Takes phase 3 of task 31 over for ann from claude 9c1e")
	b.looks("act-take-over", axe)
	b.fill("why", "its session is gone")
	b.sends()
	if step := s.last(held); step.Kind != receipt.StepClaimed || step.By != "ann" || step.Why != "its session is gone" {
		t.Errorf("take over: %+v", step)
	}
	b.open("/view/task?n=31")
	b.looks("task-acts", axe)
	b.act("done 31/3", "Records for ann that the work of phase 3 of task 31 is finished")
	b.sends()
	if step := s.last(held); step.Kind != receipt.StepDone || step.By != "ann" {
		t.Errorf("done: %+v", step)
	}
	b.open("/view/waiting")
	b.act("done 12/2", "is finished")
	b.do("back", chromedp.Click(chromedp.CSS("#do [data-back]")))
	b.until("the dialog is closed", `!document.querySelector("#do").open && location.pathname === "/view/waiting"`)
	if step := s.last(waits); step.Kind != receipt.StepReleased {
		t.Errorf("an act that is not confirmed: %+v", step)
	}
}

// TestRefusedInBrowser: another one was faster. The page shows the problem, and what can be done now.
func TestRefusedInBrowser(t *testing.T) {
	axe := needs.File(t, "HANDOFF_AXE")
	s := populated(t, nil)
	b := browse(t, s)
	b.open("/?state=waiting")
	b.act("claim 12/2", "Claims phase 2")
	b.fill("name", "ann")
	s.claim(waits, "gemini 1d1d", 1<<40)
	b.sends()
	b.until("the problem is shown", `document.querySelector("[role=alert]")?.textContent.includes("another claim holds the handoff")`)
	b.until("it can be taken over", `document.querySelector(".will").textContent.includes("from gemini 1d1d")`)
	b.looks("act-refused", axe)
	b.mu.Lock() // Chromium logs each answer of 4xx
	b.bad = nil
	b.mu.Unlock()
}

// TestAnswerInBrowser and restore: the acts that no route does.
func TestAnswerInBrowser(t *testing.T) {
	axe := needs.File(t, "HANDOFF_AXE")
	s, lost := worked(t)
	got := make(chan string, 1)
	s.Continue = func(_ context.Context, _ *workspace.Workspace, id string) (Continuation, error) {
		return Continuation{Says: "Sends your answer to relay 7c1e0000, and continues it on this machine: it starts claude at the level edit.", Command: "handoff relay --answer 7c1e -- TEXT",
			Answer: func(_ context.Context, text string) error { got <- text; return nil }}, nil
	}
	b := browse(t, s)
	b.open("/view/task?n=12")
	b.act("restore the work kept with 12/2", "Brings back 1 file")
	b.looks("act-restore", axe)
	b.sends()
	if text, err := os.ReadFile(lost); string(text) != "package parse\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	const id = "7c1e0000-0000-4000-8000-000000000000"
	s.write(".handoff/relays/"+id+".jsonl", "")
	s.write(".handoff/relays/"+id+".asks", fmt.Sprintf(`{"relay": %q, "task": 12, "agent": "claude", "question": "Which database do you mean?", "at": "2026-02-12T16:00:00Z"}`, id))
	b.open("/")
	b.act("answer parser", "Sends your answer to relay 7c1e0000")
	b.looks("act-answer", axe)
	b.fill("text", "The one in eu-west.")
	b.sends()
	if text := <-got; text != "The one in eu-west." {
		t.Errorf("%q", text)
	}
}

// looks checks the page as it is, in both themes and on a narrow screen.
func (b *tab) looks(name string, axe []byte) {
	b.t.Helper()
	for _, width := range []int64{1280, 360} {
		for _, theme := range []string{"light", "dark"} {
			b.theme(theme)
			b.do("size", chromedp.EmulateViewport(width, 800))
			full := fmt.Sprintf("%s-%d-%s", name, width, theme)
			b.picture(full)
			if got := eval[int64](b, `document.documentElement.scrollWidth`); got > width {
				b.t.Errorf("%s: %d pixels wide", full, got)
			}
			b.accessible(full, axe)
		}
	}
}
