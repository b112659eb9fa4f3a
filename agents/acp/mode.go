package acp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/agents"
)

// opened is what an agent answers when a session is open. Agents list modes and
// models in one of two forms, or in both.
type opened struct {
	Session string `json:"sessionId"`
	Modes   struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
	options
}

// options are settings of a session.
type options struct {
	Options []option `json:"configOptions"`
}

type option struct {
	ID       string `json:"id"`
	Category string `json:"category"`
	Current  any    `json:"currentValue"` // a text, or a flag
	Options  []struct {
		Value string `json:"value"`
	} `json:"options"`
}

func (o options) option(category string) option {
	at := slices.IndexFunc(o.Options, func(one option) bool { return one.Category == category })
	if at < 0 {
		return option{}
	}
	return o.Options[at]
}

// text is the value of an option that has a text.
func (o option) text() string {
	text, _ := o.Current.(string)
	return text
}

func (o opened) model() string {
	if o.Models.Current != "" {
		return o.Models.Current
	}
	return o.option("model").text()
}

// offered are the modes that the agent has.
func (o opened) offered() (modes []string) {
	for _, m := range o.Modes.Available {
		modes = append(modes, m.ID)
	}
	for _, m := range o.option("mode").Options {
		modes = append(modes, m.Value)
	}
	slices.Sort(modes)
	return slices.Compact(modes)
}

// reportTime is how long an agent may take to report its new mode.
const reportTime = 5 * time.Second

// setMode sets the first of the wanted modes that the agent has, and reads it back: in
// another mode the agent may do what it likes without asking.
func (t *turn) setMode(ctx context.Context, o opened) error {
	offered := o.offered()
	at := slices.IndexFunc(t.Modes, func(mode string) bool { return slices.Contains(offered, mode) })
	switch {
	case at >= 0:
		return t.confirm(ctx, o, t.Modes[at])
	case len(offered) == 0 && (len(t.Modes) == 0 || t.Level == agents.All), len(t.Modes) == 0 && t.Level == agents.All:
		return nil
	case len(t.Modes) == 0:
		return fmt.Errorf("the agent works in a mode of its own, %q: name one in which it asks before it acts with --mode, or in acp.modes of .handoff/agents/NAME.yaml (it has: %s)", o.mode(), strings.Join(offered, ", "))
	}
	return fmt.Errorf("the agent has no mode %s (it has: %s)", quoted(t.Modes), strings.Join(offered, ", "))
}

func quoted(modes []string) string {
	list := make([]string, len(modes))
	for i, m := range modes {
		list[i] = fmt.Sprintf("%q", m)
	}
	return strings.Join(list, " or ")
}

// mode is the mode that the agent reports, "" for none.
func (o opened) mode() string {
	if mode := o.option("mode").text(); mode != "" {
		return mode
	}
	return o.Modes.Current
}

// confirm sets a mode, in the form whose answer has the new one if the agent has that.
func (t *turn) confirm(ctx context.Context, o opened, mode string) error {
	t.reported = o.mode()
	var err error
	switch way := o.option("mode"); {
	case t.reported == mode:
	case len(way.Options) > 0:
		var now options
		err = t.within(ctx, t.Start, "session/set_config_option", object{"sessionId": t.session, "configId": way.ID, "value": mode}, &now)
		if is := now.option("mode").text(); is != "" {
			t.reported = is
		}
	default:
		t.reported = ""
		err = t.within(ctx, t.Start, "session/set_mode", object{"sessionId": t.session, "modeId": mode}, nil)
	}
	if err == nil && t.reported != mode {
		t.awaitMode(ctx, mode)
	}
	if err == nil && t.reported != mode {
		err = fmt.Errorf("the agent was asked to work in mode %q and reports %q: its level is not certain, so it gets no prompt", mode, t.reported)
	}
	t.set = mode
	return err
}

// awaitMode handles messages until the agent reports a mode, or the time is over.
func (t *turn) awaitMode(ctx context.Context, mode string) {
	limit := time.After(min(t.Start, reportTime))
	for t.reported != mode {
		select {
		case <-ctx.Done():
			return
		case <-limit:
			return
		case m, ok := <-t.in:
			if !ok {
				return
			}
			if m.Method != "" {
				t.handle(m)
			}
		}
	}
}

// modeReport notes the mode in a report of the agent. An agent that leaves the mode of its
// level is stopped.
func (t *turn) modeReport(kind string, update json.RawMessage) {
	mode := ""
	switch kind {
	case "current_mode_update":
		mode = decode[struct {
			Current string `json:"currentModeId"`
		}](update).Current
	case "config_option_update":
		mode = decode[options](update).option("mode").text()
	}
	if mode == "" {
		return
	}
	t.reported = mode
	if t.set != "" && mode != t.set && t.Level != agents.All {
		t.stop(fmt.Errorf("the agent went from mode %q to %q, in which its level is not certain: it was stopped", t.set, mode))
	}
}
