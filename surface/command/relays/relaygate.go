package relays

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/document/evidence"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// gateOf completes a plan with what must hold before it is believed that the work is done, and
// returns the commands. Those of --until are the user's word; those of the repository count only
// if he trusts it.
func gateOf(w *command.Process, o *relayOptions, ws *workspace.Workspace, p *chain.Plan) ([][]string, error) {
	p.Leave = o.leaveUncommitted
	p.Commits = !p.Leave && mayCommit(p)
	p.Until = o.until
	if len(p.Until) > 0 {
		return untilWords(p.Until)
	}
	tests := ws.Config.Checks.Tests
	if len(tests) == 0 {
		return nil, nil
	}
	if err := ws.MayAct(); err != nil {
		w.Say("the commands of checks.tests do not decide whether the work is done: %s", command.Plain(err.Error()))
		return nil, nil
	}
	p.Tests = true
	return tests, nil
}

// mayCommit reports whether the agents can commit what they change.
func mayCommit(p *chain.Plan) bool {
	return p.Level == agents.All || slices.ContainsFunc(p.Allow, func(c string) bool { return c == "git" || strings.HasPrefix(c, "git commit") })
}

// untilWords are the words of the commands. They are run without a shell.
func untilWords(until []string) (list [][]string, err error) {
	for _, text := range until {
		words, err := evidence.Words(text)
		if err != nil {
			return nil, fmt.Errorf("--until %s: %w (no shell runs it: `sh -c '…'` is a command, and --until can be repeated)", shellword.Quote(text), err)
		}
		list = append(list, words)
	}
	return list, nil
}

// gateAgain returns the commands for a relay that is resumed. The journal is a file of the
// workspace, which agents may write, so a person names the commands again, or still trusts them.
func gateAgain(o *relayOptions, ws *workspace.Workspace, id string, p chain.Plan) ([][]string, error) {
	if !slices.Equal(o.until, p.Until) {
		return nil, fmt.Errorf("--until: a relay that is resumed keeps its commands, which a person names again: `%s`", resumeCommand(id, p))
	}
	if !p.Tests {
		return untilWords(p.Until)
	}
	if err := ws.MayAct(); err != nil {
		return nil, fmt.Errorf("the commands of checks.tests decide whether the work of relay %s is done: %w", id, err)
	}
	return ws.Config.Checks.Tests, nil
}

// maxAnswer is the most bytes of an answer: it is a part of each prompt that follows.
const maxAnswer = 16 << 10

// answerOf reads what a relay is resumed with: the answer of a person, or nothing.
func answerOf(w *command.Process, o *relayOptions, args command.Arguments) (text string, err error) {
	switch set := o.kept; {
	case set != nil:
		return "", fmt.Errorf("%s: a relay that is resumed keeps what it was started with", set[0])
	case o.answer == "" && len(args) > 0:
		return "", errors.New("a relay that is resumed keeps its objective: leave it out")
	case o.answer == "":
		return "", nil
	case o.resume != "":
		return "", errors.New("--answer continues the relay, too: leave --resume out")
	case len(args) != 1:
		return "", errors.New("--answer needs the answer, one text: handoff relay --answer latest -- 'The first one.'")
	}
	if text = args.First(); text == "-" {
		src, _, err := w.Read("-", maxAnswer)
		if err != nil {
			return "", err
		}
		text = string(src)
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", errors.New("the answer is empty")
	}
	return text, nil
}

// sayAsks prints the question of a relay, and the command that answers it.
func sayAsks(w *command.Process, id string, s chain.State) {
	w.Say("%s asks: %s", command.Plain(s.Agent), command.Plain(s.Asks))
	w.Say("to answer: `%s`", command.Plain(answerCommand(id, s.Plan)))
}

// answerCommand answers the question of a relay. What chooses commands is named again.
func answerCommand(id string, p chain.Plan) string {
	return shellword.Join(append([]string{"handoff"}, answerArgs(id, p)...)...) + " -- TEXT"
}

func answerArgs(id string, p chain.Plan) []string { return continueArgs("--answer", id, p) }

// Answering returns how a relay that asks continues, for a person who answers on a page: what an answer starts, the
// command for a terminal, and the arguments of this program up to the answer. The page shows what chooses commands,
// and so names it again.
func Answering(ws *workspace.Workspace, id string) (says, command string, args []string, err error) {
	s, err := log.Read(ws, id)
	if err != nil {
		return "", "", nil, err
	}
	says = fmt.Sprintf("Sends your answer to relay %s, and continues it on this machine: it starts %s at the level %s", id[:min(len(id), 8)], strings.Join(s.Plan.Agents, ", then "), s.Plan.Level)
	if len(s.Plan.Allow) > 0 {
		says += fmt.Sprintf(", which may also run `%s`", strings.Join(s.Plan.Allow, "`, `"))
	}
	if len(s.Plan.Until) > 0 {
		says += fmt.Sprintf("; `%s` decides whether the work is done", strings.Join(s.Plan.Until, "`, `"))
	}
	return says + ".", answerCommand(id, s.Plan), append(answerArgs(id, s.Plan), "--"), nil
}

func untilArgs(commands []string) (args []string) {
	for _, command := range commands {
		args = append(args, "--until", command)
	}
	return args
}
