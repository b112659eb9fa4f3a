package checkup

import (
	"context"
	"errors"
	"strings"

	"handoff/agents/doctor"
	"handoff/internal/text/shellword"
	"handoff/workspace/trust"
)

// trusted reports what of the workspace connects to other machines or runs, and whether the
// user has trusted it. A workspace that does nothing of that is not worth a line, nor are
// agents, which the user names himself.
func trusted(_ context.Context, p place) (lines []doctor.Line) {
	ws, err := p.open()
	if err != nil {
		return nil // reported as the configuration
	}
	file := ws.Config.Path
	if off := ws.Config.SwitchedOff(); len(off) > 0 {
		lines = bad(doctor.Warning, "the configuration switches off "+strings.Join(off, ", ")+": such text is not reported", file, "remove that from rules, if you did not write it")
	}
	var acts []string
	for _, a := range trust.Acts(ws.Root, ws.Config) {
		if a.Kind != trust.Agent {
			acts = append(acts, a.Kind+" "+a.Typed())
		}
	}
	switch refused := ws.MayAct(); {
	case errors.Is(refused, trust.ErrStranger):
		return append(lines, bad(doctor.Warning, "it belongs to another user, whom you have not trusted: hooks deliver nothing", ws.Root, shellword.Join("handoff", "trust", ws.Root))...)
	case len(acts) == 0:
		return lines
	case refused != nil:
		return append(lines, bad(doctor.Warning, "not trusted, so these are not used: "+strings.Join(acts, ", "), file, shellword.Join("handoff", "trust", ws.Root))...)
	}
	return append(lines, good("trusted: "+strings.Join(acts, ", "), file)...)
}
