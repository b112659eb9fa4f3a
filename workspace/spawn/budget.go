package spawn

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"handoff/internal/text/say"
	"handoff/log/thread/runner"
	"handoff/workspace/spawn/meter"
	"handoff/workspace/spawn/prompt"
)

// The limits of a turn in which an agent only writes a handoff: calls of the model,
// and time. An agent that has not stopped by then is interrupted.
const (
	AskCalls = 25
	AskTime  = 10 * time.Minute
)

// withBudget runs the job until it ends or has used up its budget of tokens. Then the
// agent is asked for a handoff, if its session can be resumed.
func (j *Job) withBudget(ctx context.Context, w *Work, budget int) (out Outcome, err error) {
	over := fmt.Errorf("its budget of %s tokens is used up", say.Number(budget))
	out, err = w.Turn(ctx, Turn{Prompt: j.Prompt, Watch: func(p meter.Progress) error {
		if p.Turn.Tokens >= budget {
			return over
		}
		return nil
	}})
	if err != nil || out.Stopped == nil || !w.CanResume() || ctx.Err() != nil || !w.owes(ctx) {
		return out, err
	}
	late := errors.New("it did not stop after it was asked for a handoff")
	within, cancel := context.WithTimeoutCause(ctx, AskTime, runner.Signal{Signal: os.Interrupt})
	defer cancel()
	asked, err := w.Turn(within, Turn{Prompt: j.ask(budget), Resume: true, Watch: func(p meter.Progress) error {
		if p.Turn.Calls > AskCalls {
			return late
		}
		return nil
	}})
	if asked.Stopped == nil {
		asked.Stopped = over
	}
	return asked, err
}

// ask asks for a handoff when the budget is used up.
func (j *Job) ask(budget int) string {
	next := prompt.Place{Task: j.name.Task, Phase: j.name.Phase}.Command()
	return fmt.Sprintf("The budget of %s tokens for this work is used up. If the work is finished, run `handoff done`. If not, write a handoff with `%s --from FILE` "+
		"(`handoff new --help` shows the form). Then stop. The work continues later from your handoff; do not resume other work now.\n", say.Number(budget), next)
}
