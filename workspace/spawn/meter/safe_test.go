package meter

import (
	"errors"
	"sync"
	"testing"
	"time"

	"handoff/agents"
	"handoff/internal/testing/waittest"
)

const (
	startsTool = `{"type":"assistant","message":{"id":"a","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"make"}}]}}` + "\n"
	oneResult  = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}` + "\n"
	result     = `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"ok"}]}}` + "\n"
	onlyText   = `{"type":"assistant","message":{"id":"a","usage":{"input_tokens":5},"content":[{"type":"text","text":"I look."}]}}` + "\n"
)

// hurried is an interruption that does not wait.
type hurried struct{ error }

func (hurried) AtOnce() bool { return true }

// TestSafePoint: an agent is interrupted when no tool runs, or when its tool takes too long; and one
// that ends by itself before that was not interrupted.
func TestSafePoint(t *testing.T) {
	enough := errors.New("enough")
	for name, c := range map[string]struct {
		why      error
		lines    []string
		want     int // after which line it is interrupted; -1 for never
		patience time.Duration
	}{
		"no tool runs":            {enough, []string{onlyText}, 0, 0},
		"tools run":               {enough, []string{startsTool, oneResult, result}, 2, 0},
		"another one still runs":  {enough, []string{startsTool, oneResult}, -1, 0},
		"the model speaks again":  {enough, []string{startsTool, onlyText}, 1, 0},
		"it was told to stop":     {hurried{enough}, []string{startsTool}, 0, 0},
		"it ends by itself":       {enough, []string{startsTool}, -1, 0},
		"its tool takes too long": {enough, []string{startsTool}, 0, time.Millisecond},
	} {
		var mu sync.Mutex
		times, stopped := 0, make(chan struct{}, 9)
		m := Start(Options{Agent: agents.Agent{Name: "x", Stream: "claude"}, Event: func(Event) {}, Patience: c.patience, Watch: func(Progress) error { return c.why },
			Interrupt: func(err error) {
				mu.Lock()
				defer mu.Unlock()
				if times++; !errors.Is(err, c.why) {
					t.Errorf("%s: %v", name, err)
				}
				stopped <- struct{}{}
			}})
		now := func() int { mu.Lock(); defer mu.Unlock(); return times }
		for i, line := range c.lines {
			m.Write([]byte(line))
			if c.patience > 0 {
				select {
				case <-stopped:
				case <-time.After(waittest.Limit):
					t.Errorf("%s: never interrupted", name)
				}
			}
			if want := c.want >= 0 && i >= c.want; (now() == 1) != want {
				t.Errorf("%s: after line %d it was interrupted %d times", name, i, now())
			}
		}
		r := m.Close()
		if (r.Stopped != nil) != (c.want >= 0) || now() > 1 {
			t.Errorf("%s: stopped %v, interrupted %d times", name, r.Stopped, now())
		}
	}
}
