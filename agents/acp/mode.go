package acp

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// opened is what an agent answers when a session is open. Agents list modes and
// models in one of two forms, or in both.
type opened struct {
	Session string `json:"sessionId"`
	Modes   struct {
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Models struct {
		Current string `json:"currentModelId"`
	} `json:"models"`
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

func (o opened) option(category string) option {
	at := slices.IndexFunc(o.Options, func(one option) bool { return one.Category == category })
	if at < 0 {
		return option{}
	}
	return o.Options[at]
}

func (o opened) model() string {
	if o.Models.Current != "" {
		return o.Models.Current
	}
	model, _ := o.option("model").Current.(string)
	return model
}

// setMode sets the mode of the session, in the form in which the agent offers it.
func (t *turn) setMode(ctx context.Context, o opened) error {
	if t.Mode == "" {
		return nil
	}
	var offered []string
	for _, m := range o.Modes.Available {
		if m.ID == t.Mode {
			return t.within(ctx, t.Start, "session/set_mode", object{"sessionId": t.session, "modeId": m.ID}, nil)
		}
		offered = append(offered, m.ID)
	}
	modes := o.option("mode")
	for _, m := range modes.Options {
		if m.Value == t.Mode {
			return t.within(ctx, t.Start, "session/set_config_option", object{"sessionId": t.session, "configId": modes.ID, "value": m.Value}, nil)
		}
		offered = append(offered, m.Value)
	}
	slices.Sort(offered)
	return fmt.Errorf("the agent has no mode %q (it has: %s)", t.Mode, strings.Join(slices.Compact(offered), ", "))
}
