package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/surface/command"
)

// fullAt is a number of tokens in an agent's context at which the relay asks it
// for a handoff.
var fullAt = map[string]int{"claude": 150_000, "codex": 210_000, "gemini": 470_000, "opencode": 150_000, "qwen": 85_000, "copilot": 95_000, "pi": 170_000}

func init() {
	if realagents.DefaultModels() { // its own have 1,000,000 tokens
		fullAt["claude"] = 940_000
	}
}

// linkScript is what the model of one link of a relay does: in its first turn, and
// after it was asked for a handoff, or to correct one. Each answer is for one
// request; after the last one it reports that it has finished.
type linkScript struct {
	agent       string
	begin, asks []scriptedmodel.Answer
}

// relayScript plays the model of all links. A request with a prompt of the relay
// moves it on; those after it get the answers of that turn, one by one.
type relayScript struct {
	links   []linkScript
	begun   []scriptedmodel.Request // with which each link began
	asked   []int                   // how often each link was asked
	resumed int
	forgot  []string // prompts to a session that was resumed without what it did before
	queue   []scriptedmodel.Answer
}

// The texts with which a prompt of the relay is recognised.
const (
	beginsWork  = "Rules:\n1. "
	asksHandoff = "rite a handoff" // "Please write a handoff now", "write a handoff with"
	asksFix     = "Please fix this file"
	continues   = "The program that started you was interrupted"
)

func (s *relayScript) answer(r scriptedmodel.Request) scriptedmodel.Answer {
	switch last := r.Last; {
	case r.Turn == 0:
		return scriptedmodel.Answer{Text: "A title"}
	case strings.Contains(last, continues):
		if s.resumed++; !r.Contains(beginsWork) {
			s.forgot = append(s.forgot, last)
		}
		s.queue = slices.Clone(s.link().begin)
	case strings.Contains(last, beginsWork):
		s.begun, s.asked = append(s.begun, r), append(s.asked, 0)
		s.queue = slices.Clone(s.link().begin)
	case strings.Contains(last, asksHandoff) || strings.Contains(last, asksFix):
		if !r.Contains(beginsWork) {
			s.forgot = append(s.forgot, last)
		}
		if s.asked[len(s.asked)-1]++; s.asked[len(s.asked)-1] == 1 {
			s.queue = slices.Clone(s.link().asks)
		}
	}
	if len(s.queue) == 0 {
		return scriptedmodel.Answer{Text: "That is all.", Input: 20_000}
	}
	a := s.queue[0]
	s.queue = s.queue[1:]
	return a
}

func (s *relayScript) link() linkScript { return s.links[min(len(s.begun), len(s.links))-1] }

// fillsUp is the model of a link whose context fills up, and which then writes a
// handoff from a file. ack is its first command. While the relay interrupts it,
// its next request gets no answer.
func fillsUp(agent, handoff, ack, from string) linkScript {
	full := fullAt[agent]
	return linkScript{
		agent: agent,
		begin: []scriptedmodel.Answer{
			{Input: 20_000, Calls: []scriptedmodel.Call{realagents.Shell(agent, ack)}},
			{Input: full, Calls: []scriptedmodel.Call{realagents.Shell(agent, "echo more")}},
			{Hang: true},
		},
		asks: []scriptedmodel.Answer{
			{Input: full, Calls: []scriptedmodel.Call{realagents.Shell(agent, handoff+" new --task 1 --phase 1 --slug parser --from "+from)}},
			{Input: full, Text: "Handed over."},
		},
	}
}

// handsOver is the model of a link that writes a handoff without being asked: the
// prompt contains how. OpenCode reports its tokens over ACP only when a turn ends,
// so the relay cannot ask it in time.
func handsOver(agent, handoff, ack, from string) linkScript {
	l := fillsUp(agent, handoff, ack, from)
	return linkScript{agent: agent, begin: slices.Concat(l.begin[:2], l.asks)}
}

// finishes is the model of a link that acknowledges and finishes the work.
func finishes(agent, handoff, ack string) linkScript {
	return linkScript{agent: agent, begin: []scriptedmodel.Answer{
		{Input: 20_000, Calls: []scriptedmodel.Call{realagents.Shell(agent, ack)}},
		{Input: 21_000, Calls: []scriptedmodel.Call{realagents.Shell(agent, handoff+" done")}},
		{Input: 22_000, Text: "The parser works."},
	}}
}

// relayTest is a relay of real agents in a folder of its own.
type relayTest struct {
	t        *testing.T
	bin, dir string
	handoff  string // the command, for the agents' shells
	script   *relayScript
	model    *scriptedmodel.Server
	env      []string
}

func newRelay(t *testing.T) *relayTest {
	t.Helper()
	r := &relayTest{t: t, bin: commandDir(t), dir: t.TempDir(), script: &relayScript{}}
	t.Cleanup(func() {
		if forgot := r.script.forgot; len(forgot) > 0 {
			t.Errorf("%d sessions were resumed without what they did before; asked: %.300s", len(forgot), forgot)
		}
	})
	r.handoff = "handoff" // as the prompts have it: the agent's shell has to find it
	stdoutOf(t, r.bin, r.dir, "init")
	writeFile(t, r.dir, "parse/parse.go", "package parse\n")
	writeFile(t, r.dir, ".handoff/agents/opencode.yaml", "context: {windows: [200000]}\n") // its command line reports none
	for i, action := range nextActions {
		writeFile(t, r.dir, fmt.Sprintf("values%d.yaml", i+1), "next_action: "+action+"\n"+
			"state: {file: parse/parse.go, location: Line 1, goal: all tests pass}\ndecisions: [None]\ndead_ends: [None]\ncontext: [None]\nreferences: [parse/parse.go]\n")
	}
	return r
}

// nextActions are those of the handoffs that the first and the second link write.
var nextActions = []string{"Run `go test ./parse`.", "Fix the number in parse/parse.go."}

// ack is the command that acknowledges the handoff of a link, from 1.
func (r *relayTest) ack(link int) string {
	return fmt.Sprintf("%s ack --first-action '%s'", r.handoff, nextActions[link-1])
}

// serve starts the model, and prepares the agents of all links.
func (r *relayTest) serve(links ...linkScript) {
	r.t.Helper()
	r.script.links = links
	r.model = scriptedmodel.Start(r.t, r.script.answer)
	prepared := map[string]bool{}
	for _, l := range links {
		if !prepared[l.agent] {
			prepared[l.agent] = true
			r.env = append(r.env, realagents.Prepare(r.t, l.agent, r.dir, r.model).Env...)
		}
	}
	r.env = append(r.env, realagents.Relaunch...) // a relay ends an agent with all of its processes
	r.env = append(r.env, clockVar+"=", "PATH="+r.bin+string(filepath.ListSeparator)+os.Getenv("HANDOFF_AGENTS")+string(filepath.ListSeparator)+os.Getenv("PATH"), "AGENT_PATH="+r.bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// run runs `handoff relay`, and returns its log and exit code.
func (r *relayTest) run(args ...string) (log string, code int) {
	r.t.Helper()
	cmd := programIn(r.t, r.bin, r.dir, append([]string{"relay"}, args...)...)
	cmd.Env = append(cmd.Environ(), r.env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	stuck := time.AfterFunc(8*time.Minute, func() { cmd.Process.Signal(os.Interrupt) }) // on a busy machine OpenCode takes 40 s to start
	defer stuck.Stop()
	if err := cmd.Wait(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			r.t.Fatal(err)
		}
	}
	log = out.String() + errs.String()
	r.t.Cleanup(func() {
		if r.t.Failed() {
			r.t.Logf("handoff relay %q: exit code %d\n%s", args, cmd.ProcessState.ExitCode(), log)
		}
	})
	return log, cmd.ProcessState.ExitCode()
}

// start starts a relay with the agents of its script.
func (r *relayTest) start(flags ...string) (log string, code int) {
	args := append(flags, "--task", "1", "--slug", "parser", "--level", "all", "--agent", r.script.links[0].agent)
	for _, l := range r.script.links[1:] {
		args = append(args, "--then", l.agent)
	}
	return r.run(append(args, "--", "Make the parser work.")...)
}

// documents are the handoffs of the task, the oldest first.
func (r *relayTest) documents() []string {
	paths, _ := filepath.Glob(filepath.Join(r.dir, "specs/1_parser/handoffs/*.md"))
	for i, path := range paths {
		paths[i] = "specs/1_parser/handoffs/" + filepath.Base(path)
	}
	return paths
}

// checkPassedOn checks a handoff from one link to the next: the first request of
// the next one holds the brief word for word, and the receipts have every step.
func (r *relayTest) checkPassedOn(document string, to int, steps ...string) {
	r.t.Helper()
	// Without its frame, which also has its age and what is out of date.
	_, brief, _ := strings.Cut(stdoutOf(r.t, r.bin, r.dir, "brief", document, "--level", "3"), "## ")
	brief, _, _ = strings.Cut(brief, "[end of report")
	brief = strings.TrimSpace(brief)
	if brief == "" || len(r.script.begun) < to || !r.script.begun[to-1].Contains(brief) {
		r.t.Errorf("the first request of link %d of %d does not hold\n%s", to, len(r.script.begun), brief)
	}
	receipts := stdoutOf(r.t, r.bin, r.dir, "receipts", document)
	for _, step := range append([]string{"  claimed ", "  delivered ", "first action matched"}, steps...) {
		if strings.Count(receipts, step) != 1 {
			r.t.Errorf("%q is not in the receipts of %s once:\n%s", step, document, receipts)
		}
	}
}

// reason is why the relay ended, as the list of relays has it.
func (r *relayTest) reason() string {
	r.t.Helper()
	var list []struct{ Reason string }
	if err := json.Unmarshal([]byte(stdoutOf(r.t, r.bin, r.dir, "relay", "--list", "--json")), &list); err != nil || len(list) != 1 {
		r.t.Fatalf("the list of relays: %+v, %v", list, err)
	}
	return list[0].Reason
}

// TestRelayRealAgents has each real agent run a relay of three links: the context
// of the first one fills up, it is asked for a handoff and writes one with the
// command, and so does the second one, which has acknowledged it; the third one
// finishes. In one case another agent continues, and in some it is over ACP.
func TestRelayRealAgents(t *testing.T) {
	for _, c := range []string{"cli claude claude claude", "cli codex codex codex", "cli gemini gemini gemini", "cli opencode opencode opencode", "cli claude codex",
		"acp claude claude claude", "acp gemini gemini", "acp opencode opencode"} {
		t.Run(c, func(t *testing.T) {
			via, names := strings.Fields(c)[0], strings.Fields(c)[1:]
			t.Parallel()
			r := newRelay(t)
			var links []linkScript
			for i, name := range names {
				first := "echo begun"
				if i > 0 {
					first = r.ack(i)
				}
				from := fmt.Sprintf("values%d.yaml", i+1)
				switch {
				case i == len(names)-1:
					links = append(links, finishes(name, r.handoff, first))
				case via == "acp" && name == "opencode":
					links = append(links, handsOver(name, r.handoff, first, from))
				default:
					links = append(links, fillsUp(name, r.handoff, first, from))
				}
			}
			r.serve(links...)
			flags := []string{"--via", via}
			if c == "cli opencode opencode opencode" {
				flags = append(flags, "--level", "all") // its command line keeps no lower one
			}
			log, code := r.start(flags...)
			documents := r.documents()
			if code != 0 || len(documents) != len(names)-1 || len(r.script.begun) != len(names) {
				t.Fatalf("exit code %d, handoffs %q, %d links: %s", code, documents, len(r.script.begun), log)
			}
			for i, document := range documents {
				end := "superseded since"
				if i == len(documents)-1 {
					end = "done since"
				}
				r.checkPassedOn(document, i+2, end)
			}
			if reason := r.reason(); reason != "done" {
				t.Errorf("ended as %q", reason)
			}
		})
	}
}

// relayEnd is how a relay that something goes wrong in ends.
type relayEnd struct {
	code   int
	reason string
	links  int
	log    []string // what the log contains
}

// TestRelayRealAgentsGoneWrong plays what goes wrong with an agent: it is killed,
// it writes a bad handoff twice, it never stops, its model fails.
func TestRelayRealAgentsGoneWrong(t *testing.T) {
	const name = "claude"
	shell := func(tokens int, command string) scriptedmodel.Answer {
		return scriptedmodel.Answer{Input: tokens, Calls: []scriptedmodel.Call{realagents.Shell(name, command)}}
	}
	full := fullAt[name]
	bad := func(stamp string) string {
		return "mkdir -p specs/1_parser/handoffs; printf '# Phase 1\\n\\n## Immediate Next Action\\nContinue.\\n' > specs/1_parser/handoffs/phase-1-handoff-" + stamp + ".md"
	}
	for _, c := range []struct {
		name   string
		links  func(r *relayTest) []linkScript
		resume bool // it is resumed when it was killed
		want   relayEnd
	}{
		{
			name: "the agent is killed",
			links: func(r *relayTest) []linkScript {
				dies := linkScript{agent: name, begin: []scriptedmodel.Answer{shell(20_000, "echo '// found it' >> parse/parse.go"), shell(21_000, "kill -9 $CLAUDE_PID; sleep 5")}}
				last := finishes(name, r.handoff, r.handoff+" ack")
				return []linkScript{dies, last}
			},
			want: relayEnd{code: 0, reason: "done", links: 2, log: []string{"died", "wrote the draft", "is done"}},
		},
		{
			name: "the relay is killed",
			links: func(r *relayTest) []linkScript {
				first := fillsUp(name, r.handoff, "echo begun", "values1.yaml")
				second := finishes(name, r.handoff, r.ack(1))
				// The second answer is given twice: to the killed agent, and after the resumption.
				second.begin = slices.Insert(second.begin, 1, shell(20_500, "test -e killed || { touch killed; kill -9 $(ps -o ppid= -p $CLAUDE_PID); sleep 5; }"))
				return []linkScript{first, second}
			},
			resume: true,
			want:   relayEnd{code: 0, reason: "done", links: 2, log: []string{"resumed", "is done"}},
		},
		{
			name: "bad handoffs",
			links: func(r *relayTest) []linkScript {
				link := fillsUp(name, r.handoff, "echo begun", "none")
				link.asks = []scriptedmodel.Answer{shell(full, bad("20260212T143022Z")), {Input: full, Text: "Handed over."}, shell(full, bad("20260212T143022Z")), {Input: full, Text: "Fixed."}}
				return []linkScript{link, link}
			},
			want: relayEnd{code: command.Findings, reason: "refused", links: 2, log: []string{"asked to fix its handoff", "not-a-handoff", "left a handoff with errors: wrote the draft", "two handoffs in a row"}},
		},
		{
			name: "a bad handoff that is fixed",
			links: func(r *relayTest) []linkScript {
				link := fillsUp(name, r.handoff, "echo begun", "none")
				fixed := "rm specs/1_parser/handoffs/*; " + r.handoff + " new --task 1 --phase 1 --slug parser --from values1.yaml"
				link.asks = []scriptedmodel.Answer{shell(full, bad("20260212T143022Z")), {Input: full, Text: "Handed over."}, shell(full, fixed), {Input: full, Text: "Fixed."}}
				return []linkScript{link, finishes(name, r.handoff, r.ack(1))}
			},
			want: relayEnd{code: 0, reason: "done", links: 2, log: []string{"asked to fix its handoff", "is done"}},
		},
		{
			name: "it never stops",
			links: func(r *relayTest) []linkScript {
				link := fillsUp(name, r.handoff, "echo begun", "none")
				link.asks = slices.Repeat([]scriptedmodel.Answer{shell(full, "echo on and on")}, 100)
				return []linkScript{link, finishes(name, r.handoff, r.handoff+" ack")}
			},
			want: relayEnd{code: 0, reason: "done", links: 2, log: []string{"did not stop", "wrote the draft", "is done"}},
		},
		{
			name: "the model fails",
			links: func(r *relayTest) []linkScript {
				fails := linkScript{agent: name, begin: append([]scriptedmodel.Answer{shell(20_000, "echo begun")},
					slices.Repeat([]scriptedmodel.Answer{{Status: 400, Text: "the-quota-is-used-up"}}, 20)...)} // it may try again
				return []linkScript{fails, fails}
			},
			want: relayEnd{code: command.Findings, reason: "died", links: 2, log: []string{"the-quota-is-used-up"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRelay(t)
			r.serve(c.links(r)...)
			log, code := r.start()
			if c.resume {
				if code != -1 {
					t.Errorf("exit code %d of the relay that is killed", code)
				}
				log, code = r.run("--resume", "latest")
				r.checkPassedOn(r.documents()[0], 2, "done since")
				if r.script.resumed != 1 {
					t.Errorf("%d sessions were resumed", r.script.resumed)
				}
			}
			if code != c.want.code || len(r.script.begun) != c.want.links {
				t.Errorf("exit code %d, %d links; want %+v", code, len(r.script.begun), c.want)
			}
			for _, text := range c.want.log {
				if !strings.Contains(log, text) {
					t.Errorf("%q is not in the log", text)
				}
			}
			if reason := r.reason(); reason != c.want.reason {
				t.Errorf("ended as %q, want %q", reason, c.want.reason)
			}
		})
	}
}
