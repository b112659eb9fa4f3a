// Package claims has the commands of a successor, who takes a handoff up and finishes it: next, claim, ack, renew,
// release, done, receipts, task, restore and top.
package claims

import (
	"fmt"
	"reflect"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

// Claim is the command `handoff claim`.
func Claim(w *command.Process) *cli.Command {
	g := group(w)
	g.Usage = command.RefHelp
	g.Missing = func(*ops.About) string {
		return oneHandoff + ", issue:311, task:7 or path:GLOB (`handoff next --claim` takes the best one)"
	}
	hold := new(holdOptions)
	g.Special = map[string]operations.Special[handoffops.Place]{handoffops.Claim.Name: operations.Doing(handoffops.Claim, hold.do).
		After(operations.Checking[handoffops.Place](handoffops.Claim, hold.check)).WithFlags(hold.flags).WithCommand()}
	return g.Of(handoffops.Claim)
}

// Step makes the command of another operation on one handoff.
func Step(o handoffops.Operation) func(*command.Process) *cli.Command {
	return func(w *command.Process) *cli.Command { return group(w).Of(o) }
}

const oneHandoff = "one handoff: a path, 259/3 (task/phase), 259 or latest"

// group makes the commands of the operations on one handoff.
func group(w *command.Process) *operations.Group[*handoffops.At, handoffops.Place] {
	return &operations.Group[*handoffops.At, handoffops.Place]{
		W: w, Usage: command.ClaimedHelp, Takes: "takes " + oneHandoff,
		Flags: func(k *operations.Call, of []cli.Flag) []cli.Flag {
			usage := "print JSON: the state of the handoff"
			if !k.About.Records {
				usage += ", and its steps"
			}
			return command.Flags(of, operations.JSONFlag(k, usage, printed), operations.ServerFlags(&k.Server, operations.OurServer))
		},
		With: func(k *operations.Call, ref string, do func(handoffops.Place, string) error) error {
			return command.SayRefused(w, operations.WithHandoffs(k, w, &k.Server, k.About.Records, func(p handoffops.Place) error {
				if k.Server.Given && ref == "" {
					return fmt.Errorf("%s needs %s: a server does not know what you have claimed here", k.Command, oneHandoff)
				}
				if claim := reflect.ValueOf(k.Request).Elem().FieldByName("Claim"); k.Server.Given && claim.IsValid() {
					claim.SetString(w.Claim())
				}
				return do(p, ref)
			}))
		},
		Print: printStep,
	}
}

// printStep prints what became of a handoff.
func printStep(k *operations.Call, v any) error {
	if h, ok := v.(handoffops.History); ok {
		return printReceipts(k, h)
	}
	w, r := k.W, v.(receipts.Record)
	switch {
	case r.Said:
		w.Say("the relay now checks whether the work is done, and asks again if it is not: stop here")
	case r.Evidence != nil:
		w.Say("done: %s", command.Plain(r.Evidence.String()))
		if r.Unshared {
			w.Say("in other clones it still waits: %s has no metadata that git could share (delete it or write the next one, and commit that; `store: git:REMOTE` in .handoff.yaml shares claims)", command.Plain(r.Path))
		}
	}
	command.SayStepQueued(w, r)
	if !k.JSON && !r.Later() {
		sayStep(w, k.About.Name, r)
	}
	w.Complain(r.Unlinked)
	if r.Forgotten != nil {
		w.Say("claimed, but later commands will not find it: %s (`export HANDOFF_CLAIM=%s`)", command.Plain(r.Forgotten.Error()), command.Plain(r.Claim))
	}
	if name := k.About.Name; name == handoffops.Claim.Name || name == handoffops.Ack.Name {
		sayUnderstand(w, r)
	}
	if r.Doubt != "" {
		w.Say("%s: this is %s", command.Plain(r.Doubt), command.Plain(w.Shown(w.Workspace, r.Path)))
	}
	return printRecord(w, r, k.About.Name == handoffops.Claim.Name, k.JSON)
}

// sayStep reports on which handoff a step was done, because its ref may be left out, and what it is now: a step that was
// repeated, and has no further effect, has the time of the first one.
func sayStep(w *command.Process, name string, r receipts.Record) {
	path := command.Plain(r.Path)
	switch {
	case name == handoffops.Ack.Name:
		w.Say("acknowledged %s", path)
	case name == handoffops.Renew.Name:
		w.Say("renewed the claim of %s until %s", path, r.Until.Format(time.RFC3339))
	case name == handoffops.Release.Name:
		w.Say("%s is %s%s: anybody may claim it", path, r.State, until(r))
	case name == handoffops.Done.Name && r.Evidence == nil && !r.Said:
		w.Say("%s is %s%s", path, r.State, until(r))
	}
}

// sayUnderstand repeats what the author wants to be understood before the work starts.
func sayUnderstand(w *command.Process, r receipts.Record) {
	for _, text := range r.Understand {
		w.Say("its author says to understand first: %s", command.Plain(text))
	}
}

// printRecord prints the new record of a handoff. It prints a new claim alone
// on stdout, for HANDOFF_CLAIM=$(handoff claim …).
func printRecord(w *command.Process, r receipts.Record, claims, asJSON bool) error {
	if asJSON {
		return command.WriteJSON(w.Stdout, r)
	}
	if !claims {
		return nil
	}
	w.Say("claimed %s until %s (token %d)", command.Plain(r.Path), r.Until.Format(time.RFC3339), r.Token)
	if command.IsTerminal(w.Stdout) { // where later commands find the claim
		return w.Print("elsewhere than in this terminal: export HANDOFF_CLAIM=" + r.Claim + "\n")
	}
	return w.Print(r.Claim + "\n")
}
