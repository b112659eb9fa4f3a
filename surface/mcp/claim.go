package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/log/receipt"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// claimArguments are the arguments of handoff_claim.
type claimArguments struct {
	Ref         string `yaml:"ref" about:"As in handoff_current"`
	Action      string `yaml:"action" enum:"claim,ack,renew,release,done" needed:"true"`
	FirstAction string `yaml:"first_action" about:"For ack: first sentence of its next action, verbatim"`
	Claim       string `yaml:"claim" about:"As the action claim returned it"`
	Why         string `yaml:"why" about:"For release"`
}

// claimValue is the result of handoff_claim.
type claimValue struct {
	receipts.Record
	Warning string `json:"warning,omitempty"` // warnings about what was not done

	called string // how the text names the handoff
	known  bool   // whether later calls find the claim
}

// target is a handoff for a step of the caller.
func (c *call) target(path string) receipts.Target {
	return receipts.Target{Dir: c.ws.Root, Ref: path, Claim: c.who.Claim, Who: c.who}
}

// handoffs are the handoffs of the caller, who passes a claim; "" for none. No tests are run: a host does not wait
// as long for an answer.
func (c *call) handoffs(claim string) *handoffops.At {
	who := c.who
	who.Claim = claim
	at := &handoffops.At{Workspace: c.ws, Who: who, Session: c.session, Level: c.level, Tests: func() ([][]string, string) {
		return nil, "no tests are run over MCP"
	}}
	if c.config.Seen != nil {
		at.Seen = func() string { return c.config.Seen(c.ws) }
	}
	return at
}

// claim is the tool handoff_claim.
func claim(c *call) (answer, error) {
	var in claimArguments
	if err := c.arguments(&in); err != nil {
		return answer{}, err
	}
	c.setClaim(in.Claim)
	b, err := receipts.Open(c.ws)
	if err != nil {
		return answer{}, err
	}
	t := c.target("")
	if _, work, _ := receipt.ParseWork(in.Ref); work { // which has no document
		t.Ref = in.Ref
	} else if in.Ref != "" {
		e, err := c.find(in.Ref)
		if err != nil {
			return answer{}, err
		}
		t.Ref = e.Path
	}
	r, err := c.step(b, t, in)
	if err != nil {
		return answer{}, err
	}
	if in.Action != "claim" && in.Action != "ack" {
		r.Understand = nil
	}
	v := claimValue{Record: r, called: c.ws.NameOf(r.Path).Called(r.Path), known: c.who.Known() && r.Forgotten == nil}
	if problem := errors.Join(r.Unlinked, r.Forgotten); problem != nil {
		v.Warning = foreign(problem.Error())
	}
	return answer{text: v.text(), value: v}, nil
}

// step records what the arguments ask for.
func (c *call) step(b *receipts.Book, t receipts.Target, in claimArguments) (receipts.Record, error) {
	if t.Ref == "" && (in.Action == "claim" || t.Claim == "" && !t.Who.Known()) {
		return receipts.Record{}, fmt.Errorf("%w: which handoff? Pass ref: the path that handoff_current returned, 259/3 or 259", handoff.ErrInvalid)
	}
	if t.Claim == "" && !t.Who.Known() && (in.Action == "renew" || in.Action == "release") {
		return receipts.Record{}, fmt.Errorf("%w: %s needs your claim, because this server has many clients: pass as claim what the action claim returned", handoff.ErrInvalid, in.Action)
	}
	by := c.client
	if t.Claim == "" && t.Who.Known() && in.Action != "claim" {
		var err error
		if t.Claim, err = b.ClaimOn(c, t); err != nil {
			return receipts.Record{}, err
		}
	}
	if t.Claim != "" {
		by = "" // the holder of the claim
	}
	here := handoffops.Here{At: c.handoffs(t.Claim)}
	switch in.Action {
	case "claim":
		// A client cannot choose its name, so a claim of its session under another name is its own, too.
		if mine, err := b.ClaimOn(c, t); err == nil && mine != "" {
			if r, _, err := b.Life(c, t); err == nil && r.State == receipt.Claimed && r.Claim == mine {
				by = r.By
			}
		}
		return handoffops.Claim.On(c, here, t.Ref, receipts.ClaimRequest{As: cmp.Or(by, c.client)})
	case "ack":
		if in.FirstAction == "" {
			return receipts.Record{}, fmt.Errorf("%w: ack needs first_action: the next action of the handoff or its first sentence, verbatim", handoff.ErrInvalid)
		}
		return handoffops.Ack.On(c, here, t.Ref, receipts.AckRequest{As: by, FirstAction: in.FirstAction})
	case "renew":
		return handoffops.Renew.On(c, here, t.Ref, receipts.RenewRequest{})
	case "release":
		return handoffops.Release.On(c, here, t.Ref, receipts.ReleaseRequest{Why: in.Why})
	case "done":
		return handoffops.Done.On(c, here, t.Ref, receipts.DoneRequest{As: by})
	}
	return receipts.Record{}, fmt.Errorf("action %q: %w: want claim, ack, renew, release or done", in.Action, handoff.ErrInvalid)
}

func (v claimValue) text() string {
	if v.Said {
		return "The relay that runs you now checks whether the work is done, and asks again if it is not. Stop here."
	}
	text := fmt.Sprintf("%s: %s", v.called, v.State)
	if v.By != "" {
		text += " by " + inert.Name(v.By, "an agent")
	}
	if v.State == receipt.Claimed {
		text += " until " + v.Until.UTC().Format(time.RFC3339)
		if !v.known {
			text += fmt.Sprintf("\nYour claim is %s. Pass it as claim to handoff_claim (ack, renew, release, done) and handoff_new.", v.Claim)
		}
	}
	if q := v.NotRecorded; q != nil {
		text += fmt.Sprintf("\nThe store is away: %s is not recorded yet. It is queued, and sent when the store answers; continue your work.", q.Step)
	}
	if len(v.Understand) > 0 {
		text += "\n" + strings.TrimSuffix(inert.Quote("list of what to understand first", v.Understand...), "\n")
	}
	if v.Warning != "" {
		return text + "\n" + inert.Quote("warning", v.Warning)
	}
	return text + "\n"
}
