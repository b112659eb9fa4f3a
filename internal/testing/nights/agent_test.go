//go:build linux

package nights

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/internal/uuid"
)

// nightVar names the folder with the plan and the journals of a night. It is outside of the repository.
const nightVar = "NIGHT"

// agent is one that was started. It knows what its session did, what its prompt says and what the tree has.
type agent struct {
	mouth
	plan    plan
	night   string
	vendor  string
	session string
	prompt  string
	tokens  int
	n       int
}

// agentMain is the program of a vendor.
func agentMain(vendor string, overACP bool) {
	if slices.Contains(os.Args, "--version") {
		fmt.Println("2.1.330")
		return
	}
	a := &agent{night: os.Getenv(nightVar), vendor: vendor, tokens: 2000}
	a.plan = readPlan(a.night)
	a.mouth = map[string]mouth{"claude": &claudeMouth{}, "codex": &codexMouth{}}[vendor]
	var id string
	var resumes bool
	if overACP {
		m := newACPMouth(vendor)
		id, resumes, a.prompt = m.open(uuid.New)
		a.mouth = m
	} else {
		prompt, _ := io.ReadAll(os.Stdin)
		a.prompt = string(prompt)
		id, resumes = sessionOf(vendor, os.Args)
		id = cmp.Or(id, uuid.New())
	}
	a.alone()
	a.session = id
	if resumes && a.remembers("begun") == "" {
		a.wrong("session %s is resumed, which was not begun", id)
	}
	a.remember("begun", "yes")
	a.log("turn", fmt.Sprintf("%s, resumes: %t: %.60q", id, resumes, a.prompt))
	a.begin(id)
	a.says("I look at it.", a.tokens)
	a.turn()
	a.ends()
	a.log("ended", "")
}

// turn does what the prompt asks for.
func (a *agent) turn() {
	has := func(text string) bool { return strings.Contains(a.prompt, text) }
	a.bringBack()
	if has("Before that, run `handoff ack") {
		if a.remembers("acked") != "" {
			a.wrong("asked to acknowledge again")
		}
		a.acknowledge()
	}
	switch {
	case has("Please fix this file"):
		if a.remembers("bad") != string(worse) {
			a.remove(a.remembers("document"))
			a.handOff()
		}
	case has("Please write a handoff now"):
		a.handOff()
	case has("You have stopped, but the work is neither"):
		if a.remembers("question") == "" && a.remembers("bad") != "" { // it was killed while it corrected a handoff
			a.handOff()
			return
		}
		if a.remembers("question") == "" {
			a.wrong("asked what it owes, but it did not stop by itself")
		}
		a.says("Which base do you mean? Please tell me before I go on.", a.tokens)
	case has("You have recorded the work as finished, but it was checked"):
		if a.remembers("lie") == string(liar) {
			a.command("handoff done")
			return
		}
		a.work()
	case has("A person has answered your question"):
		if !has(answer) {
			a.wrong("the answer is not in the prompt")
		}
		a.work()
	case has("The program that started you was interrupted"):
		a.work()
	default:
		a.take()
		a.work()
	}
}

// nextStep is what a handoff of these agents asks for first.
var nextStep = regexp.MustCompile("Run `sh step\\.sh (\\d+)`")

// take begins a link: it takes the handoff up, if there is one.
func (a *agent) take() {
	if os.Getenv("HANDOFF_REF") == "" {
		return
	}
	a.acknowledge()
	a.wipe()
	if m := nextStep.FindStringSubmatch(a.prompt); m != nil && !strings.Contains(strings.ToLower(a.prompt), "draft") {
		if want := fmt.Sprint(a.next()); m[1] != want {
			a.wrong("the handoff says step %s, but step %s is next", m[1], want)
		}
	}
}

// acknowledge says that the agent has read the handoff.
func (a *agent) acknowledge() {
	a.command("handoff ack")
	a.remember("acked", "yes")
}

// wipe plays a person, or an agent, that resets the tree between two links. What the agents before
// have not committed must be kept; then it is brought back.
func (a *agent) wipe() {
	link := 2
	for a.plan.Wipe > 0 && !a.first(fmt.Sprint("link-", link)) {
		link++
	}
	if link != a.plan.Wipe {
		return
	}
	a.log("reset", "")
	newest := 0
	for ref := range strings.Lines(a.shell("git for-each-ref --format='%(refname)' refs/handoff/work/1/")) {
		n, _ := strconv.Atoi(filepath.Base(strings.TrimSpace(ref)))
		newest = max(newest, n)
	}
	if newest == 0 {
		a.wrong("the tree is reset, and no work is kept")
		return
	}
	pending := fmt.Sprintf("%d %d", newest, len(lines("src/squares.txt")))
	a.keep("reset", pending)
	a.shell(unlock + "git checkout -q -- . && git clean -fdq -e .handoff -e specs")
	a.bringBack()
}

// bringBack brings back what a reset has removed, also if it was killed meanwhile.
func (a *agent) bringBack() {
	path := filepath.Join(a.night, "reset")
	src, err := os.ReadFile(path)
	if err != nil {
		return
	}
	ref, before := 0, 0
	fmt.Sscan(string(src), &ref, &before)
	a.command(fmt.Sprintf("handoff restore work/1/%d --yes", ref))
	if after := len(lines("src/squares.txt")); after != before {
		a.wrong("%d lines before the reset, %d after work/1/%d was restored", before, after, ref)
	}
	os.Remove(path)
}

// work does the steps that are missing, until the work is done or something goes wrong.
func (a *agent) work() {
	if m, err := os.ReadFile(filepath.Join(a.night, "owes")); err == nil {
		a.suffer(mishap(m), a.next()) // its context is still full
		return
	}
	for step := a.next(); step <= a.plan.Steps; step = a.next() {
		if m := a.plan.Mishaps[step]; m != "" && a.first(fmt.Sprint("mishap-", step)) {
			a.log("mishap", string(m))
			if a.suffer(m, step) {
				return
			}
		}
		a.command(fmt.Sprintf("sh step.sh %d", step))
		if slices.Contains(a.plan.Commits, step) {
			a.commit()
		}
	}
	a.commit()
	a.command("handoff done")
	a.says("All of it is done.", a.tokens)
}

// suffer is a mishap before a step. over: the turn is.
func (a *agent) suffer(m mishap, step int) (over bool) {
	if m == low || m == handover {
		a.owes(m)
	}
	switch m {
	case limitFar, limitSoon:
		wait := 3 * time.Hour
		if m == limitSoon {
			wait = time.Second
		}
		a.limited(time.Now().Add(wait))
		os.Exit(1)
	case hang, deaf:
		if m == deaf {
			a.deaf()
		}
		time.Sleep(waittest.Limit)
	case overloaded:
		a.fails(`529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		os.Exit(1)
	case serverError:
		a.fails("500 Internal server error")
		os.Exit(1)
	case cutStream:
		a.cut()
		os.Exit(1)
	case crashInTool:
		a.calls("t", fmt.Sprintf("sh step.sh %d", step), a.tokens)
		a.start(fmt.Sprintf("sh step.sh %d 2", step))
		time.Sleep(50 * time.Millisecond)
		a.die()
	case crash:
		a.die()
	case exits:
		os.Exit(7)
	case bad, worse:
		a.remember("bad", string(m))
		a.remember("document", a.badHandoff())
	case lie, liar:
		a.remember("lie", string(m))
		a.commit()
		a.command("handoff done")
	case lieUnkept:
		for step := a.next(); step <= a.plan.Steps; step = a.next() {
			a.command(fmt.Sprintf("sh step.sh %d", step))
		}
		a.command("handoff done")
	case question:
		a.remember("question", "yes")
		a.says("Which base do you mean? Please tell me before I go on.", a.tokens)
	case handover:
		a.handOff()
	case low:
		interrupted := a.interrupted()
		a.tokens = map[string]int{"claude": 155_000, "codex": 215_000}[a.vendor]
		a.says("There is much to read.", a.tokens)
		select {
		case <-interrupted:
		case <-time.After(waittest.Limit):
			a.wrong("never interrupted, although its context is full")
		}
		a.givesWay()
		os.Exit(0)
	}
	return true
}

// handOff writes a handoff for the step that is next.
func (a *agent) handOff() {
	file := filepath.Join(a.night, fmt.Sprintf("values-%d.yaml", os.Getpid()))
	text := fmt.Sprintf("next_action: Run `sh step.sh %d`. Then run `sh test.sh`.\nstate: {file: src/squares.txt, location: the last line, goal: all tests pass}\n"+
		"decisions: [None]\ndead_ends: [None]\ncontext: [None]\nreferences: [test.sh]\n", a.next())
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		panic(err)
	}
	a.command("handoff new --task 1 --phase 1 --slug squares --from " + file)
	os.Remove(filepath.Join(a.night, "owes"))
}

// owes keeps that a handoff has to be written, also by an agent that is resumed: without it a miss would
// follow on a miss.
func (a *agent) owes(m mishap) {
	a.keep("owes", string(m))
}

// badHandoff writes a document with errors, in the way of an agent that does not use the command.
func (a *agent) badHandoff() (path string) {
	dirs, _ := filepath.Glob("specs/1_*")
	dirs = append(dirs, "specs/1_squares")
	for at := time.Now().UTC(); ; at = at.Add(time.Second) { // a name that is free: two in a second
		stamp := at.Format("20060102T150405Z")
		path = filepath.Join(dirs[0], "handoffs", "phase-1-handoff-"+stamp+".md")
		if _, err := os.Stat(path); err != nil {
			break
		}
	}
	a.shell(fmt.Sprintf("mkdir -p '%s' && printf '# Phase 1\\n\\n## Immediate Next Action\\nContinue.\\n' > '%s'", filepath.Dir(path), path))
	return path
}

func (a *agent) remove(path string) { os.Remove(path) }

// next is the step that is next, as the tree shows it.
func (a *agent) next() int { return len(lines("src/squares.txt")) + 1 }

// unlock removes the locks that a killed git has left, as people and agents do.
const unlock = "rm -f .git/*.lock .git/refs/heads/*.lock; "

// commit commits what the agents have written, and nothing of the user's.
func (a *agent) commit() {
	a.command(unlock + "git add src && { git diff --cached --quiet -- src || git commit -q -m work -- src; }")
}

// command runs a command as a tool does, and says so.
func (a *agent) command(text string) {
	a.n++
	a.tokens += 100
	id := fmt.Sprintf("t_%d_%d", os.Getpid(), a.n)
	a.calls(id, text, a.tokens)
	cmd := a.start(text)
	err := cmd.Wait()
	a.returns(id, text, cmd.ProcessState.ExitCode())
	if err != nil {
		a.wrong("%s: %v: %s", text, err, cmd.Stdout)
	}
}

// start starts a command, which some hosts do in a session of its own.
func (a *agent) start(text string) *exec.Cmd {
	cmd := exec.Command("sh", "-c", text)
	cmd.Env = append(os.Environ(), nightVar+"="+a.night)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: a.plan.Away}
	out := new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}

// shell runs a command of which the stream shows nothing.
func (a *agent) shell(text string) string {
	out, err := exec.Command("sh", "-c", text).CombinedOutput()
	if err != nil {
		a.wrong("%s: %v: %s", text, err, out)
	}
	return string(out)
}

func (a *agent) die() {
	syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {}
}
