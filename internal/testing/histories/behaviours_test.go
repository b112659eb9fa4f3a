//go:build unix

package histories

import (
	"fmt"
	"os"
	"path"
	"strings"
	"time"
)

// behaviours are the ways in which the agents of a task, their clocks and their users act.
var behaviours = []struct {
	name string
	do   func(*team)
}{
	{"good", func(b *team) { b.works() }},
	{"only_document", onlyDocument},
	{"metadata_first", metadataFirst},
	{"dies_silently", func(b *team) { b.begins(1) }},
	{"bad_document", badDocument},
	{"twenty_chunks", twentyChunks},
	{"slow_pause", slowPause},
	{"two_in_one_phase", twoInOnePhase},
	{"resumes_next_phase", func(b *team) { b.resumes(2, true) }},
	{"resumes_same_phase", func(b *team) { b.resumes(1, true) }},
	{"resumes_no_times", func(b *team) { b.resumes(2, false) }},
	{"resumes_same_phase_no_times", func(b *team) { b.resumes(1, false) }},
	{"three_links", threeLinks},
	{"completes_then_edits", func(b *team) { p := b.works(); b.nap(300, 600); b.typo(p) }},
	{"completes_then_late_handoff", func(b *team) { b.works(); b.nap(300, 600); b.document(2) }},
	{"blocked", blocked},
	{"blocked_with_review", blockedWithReview},
	{"two_phases_in_one_second", twoPhasesInOneSecond},
	{"no_metadata_at_all", noMetadata},
	{"wave_of_two", waveOfTwo},
	{"truncated", truncated},
	{"lead_deletes_then_typo", func(b *team) { p := b.works(); b.processed(); b.typo(p) }},
	{"lead_deletes_then_fix", leadDeletesThenFix},
	{"lead_deletes_then_mv", leadDeletesThenMove},
	{"lead_deletes_then_copy", leadDeletesThenCopy},
	{"lies_path", liesPath},
	{"clock_forward", clockForward},
	{"clock_back", clockBack},
	{"absolute_path", absolutePath},
	{"draft", draft},
}

// onlyDocument: the writer dies before it writes metadata.
func onlyDocument(b *team) {
	b.begins(1)
	p := b.document(1)
	b.startedWith(p)
	b.begins(2)
	b.nap(100, 400)
	b.completes()
}

func metadataFirst(b *team) {
	b.begins(1)
	at := b.moment()
	b.metadata(handingOff(b.r, b.n, 1, path.Join(b.dir, documentName(1, at))))
	b.nap(50, 400)
	p := b.documentAt(1, at, document(1, at, b.n))
	b.startedWith(p)
	b.begins(2)
	b.completes()
}

// badDocument has no next action, so a successor would not know what to do.
func badDocument(b *team) {
	b.begins(1)
	at := b.moment()
	parts := sections(1, at, b.n)
	b.documentAt(1, at, fmt.Sprintf("# Phase 1 Handoff - %s\n", at.UTC().Format(nameTime))+strings.Join(parts[1:], ""))
}

// twentyChunks: a slow writer, for three seconds.
func twentyChunks(b *team) {
	b.begins(1)
	at := b.moment()
	text := document(1, at, b.n)
	var parts []string
	for i := range 20 {
		parts = append(parts, text[len(text)*i/20:len(text)*(i+1)/20])
	}
	p := b.chunks(1, at, parts, func(int) { time.Sleep(150 * time.Millisecond) })
	b.startedWith(p)
	b.begins(2)
	b.completes()
}

// slowPause: a writer that pauses after three of six sections.
func slowPause(b *team) {
	b.begins(1)
	at := b.moment()
	p := b.chunks(1, at, sections(1, at, b.n), func(i int) {
		if i == 2 {
			time.Sleep(2500 * time.Millisecond)
		}
	})
	b.startedWith(p)
	b.begins(2)
	b.completes()
}

func twoInOnePhase(b *team) {
	b.begins(1)
	b.startedWith(b.handsOff(1))
	b.begins(1)
	b.startedWith(b.handsOff(1))
	b.begins(2)
	b.completes()
}

// resumes has the successor work for a while, in some phase, with or without times.
func (b *team) resumes(phase int, timed bool) {
	b.begins(1)
	p := b.document(1)
	b.startedWith(p)
	at := b.moment()
	if !timed {
		at = time.Time{}
	}
	b.beginsAt(phase, at)
	time.Sleep(2500 * time.Millisecond)
	b.completes()
}

func threeLinks(b *team) {
	b.begins(1)
	for phase := 1; phase <= 3; phase++ {
		b.startedWith(b.handsOff(phase))
		b.begins(phase + 1)
	}
	b.completes()
}

func blocked(b *team) {
	b.begins(1)
	b.moment()
	b.metadata(finished(b.r, b.n, "blocked").set("partial_progress", object{{"stage", "blocked"}, {"details", "Needs a key."}}))
	b.nap(100, 300)
	b.document(1)
}

func blockedWithReview(b *team) {
	b.begins(1)
	b.moment()
	b.metadata(object{{"status", "partial"}, {"requires_user_review", true}, {"partial_progress", object{{"stage", "blocked"}, {"details", "Which key?"}}}})
	b.nap(100, 300)
	b.document(1)
}

// twoPhasesInOneSecond: one agent closes a phase and hands off the next one.
func twoPhasesInOneSecond(b *team) {
	b.begins(1)
	at := b.moment()
	first := b.documentAt(1, at, document(1, at, b.n))
	second := b.documentAt(2, at, document(2, at, b.n))
	b.metadata(handingOff(b.r, b.n, 2, second))
	if b.startedWith(first, second) == first {
		b.startedWith(second)
	}
	b.begins(3)
	b.completes()
}

// noMetadata: agents write documents only, the successor too.
func noMetadata(b *team) {
	b.startedWith(b.document(1))
	b.startedWith(b.document(2))
}

// waveOfTwo: two tasks at the same time.
func waveOfTwo(b *team) {
	one, two := b.dir, fmt.Sprintf("specs/%d_wave", b.number+100)
	b.begins(1)
	at := b.moment()
	a := b.documentAt(1, at, document(1, at, b.n))
	b.dir = two
	c := b.documentAt(1, at, document(1, at, b.n+1))
	b.metadataIn(one, handingOff(b.r, b.n, 1, a))
	b.metadataIn(two, handingOff(b.r, b.n, 1, c))
	b.startedWith(a, c)
	b.startedWith(a, c)
	b.begins(2)
	b.dir = one
	b.begins(2)
	b.nap(100, 400)
	b.metadataIn(two, finished(b.r, b.n, "completed"))
	b.completes()
}

// truncated: metadata is cut off for a while, as by an agent that writes it slowly.
func truncated(b *team) {
	b.begins(1)
	p := b.document(1)
	text := handingOff(b.r, b.n, 1, p).text(b.r)
	b.say("an agent writes half of its metadata")
	write(b.t, b.full(path.Join(b.dir, metadataName)), text[:len(text)/2])
	time.Sleep(1500 * time.Millisecond)
	b.say("and the other half")
	write(b.t, b.full(path.Join(b.dir, metadataName)), text)
	b.startedWith(p)
	b.begins(2)
	b.completes()
}

func leadDeletesThenFix(b *team) {
	b.begins(1)
	at := b.moment()
	p := b.documentAt(1, at, strings.Replace(document(1, at, b.n), "## What NOT to Try", "## What not to try:", 1))
	b.startedWith(p)
	b.begins(2)
	b.completes()
	b.processed()
	b.shell(program + " lint --fix " + p)
}

func leadDeletesThenMove(b *team) {
	b.works()
	b.processed()
	b.shell(fmt.Sprintf("mv %s %s_v2", b.dir, b.dir))
}

func leadDeletesThenCopy(b *team) {
	b.works()
	b.processed()
	b.shell(fmt.Sprintf("cp -r %s ../away && rm -rf %s", b.dir, b.dir))
	b.nap(300, 1500)
	b.shell(fmt.Sprintf("cp -r ../away %s", b.dir))
}

// liesPath names a document that does not exist, beside one that does: with another
// time or phase, below another folder, or with a word instead of the time.
func liesPath(b *team) {
	b.begins(1)
	at := b.moment()
	lie := []string{path.Join(b.dir, documentName(1, at.Add(-7*time.Second))), documentName(1, at), path.Join(b.dir, "handoffs/phase-1-handoff-final.md"), path.Join(b.dir, documentName(2, at))}[b.r.IntN(4)]
	b.metadata(handingOff(b.r, b.n, 1, lie))
	b.nap(50, 300)
	p := b.documentAt(1, at, document(1, at, b.n))
	b.metadata(handingOff(b.r, b.n, 1, lie))
	b.startedWith(p)
	b.begins(2)
	b.completes()
}

// clockForward: the name of the first handoff is two hours ahead.
func clockForward(b *team) {
	b.begins(1)
	at := b.moment().Add(2 * time.Hour)
	b.startedWith(b.documentAt(1, at, document(1, at, b.n)))
	b.begins(2)
	b.nap(300, 600)
	b.startedWith(b.document(2))
	b.begins(3)
	b.nap(600, 1200)
	b.completes()
}

// clockBack: the name of a handoff is two hours behind.
func clockBack(b *team) {
	b.begins(1)
	at := b.moment().Add(-2 * time.Hour)
	b.startedWith(b.documentAt(1, at, document(1, at, b.n)))
	b.begins(2)
	b.nap(600, 1200)
	b.completes()
}

// absolutePath: the writer names its handoff by an absolute path.
func absolutePath(b *team) {
	b.begins(1)
	at := b.moment()
	p := path.Join(b.dir, documentName(1, at))
	b.metadata(handingOff(b.r, b.n, 1, b.full(p)))
	b.documentAt(1, at, document(1, at, b.n))
	b.startedWith(p)
	b.nap(600, 1200)
	b.begins(2)
	b.completes()
}

// draft: a template of placeholders is filled in later.
func draft(b *team) {
	os.RemoveAll(b.full(b.dir))
	at := b.moment()
	p := strings.TrimSpace(b.shell(fmt.Sprintf("%s new --task %d --slug draft --phase 1 --draft 2>/dev/null", program, b.number)))
	p = p[strings.LastIndex(p, "\n")+1:]
	time.Sleep(1500 * time.Millisecond)
	b.say("an agent fills in %s", p)
	write(b.t, b.full(p), document(1, at, b.n))
	b.startedWith(p)
	b.begins(2)
	b.completes()
}
