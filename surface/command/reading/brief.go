package reading

import (
	"cmp"
	"errors"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
)

// Brief is the command `handoff brief`.
func Brief(w *command.Process) *cli.Command {
	g := group(w, "print JSON: the fields of ls --json, the text as brief, and its sections", func(k *operations.Call, p handoffops.Place, ref string) (string, error) {
		here, local := p.(handoffops.Here)
		switch {
		case !local && (k.JSON || k.Request.(*handoffops.BriefRequest).As != ""):
			return "", errors.New("--json and --as cannot be combined with --server, which sends only the text")
		case local && len(k.Args) == 0:
			found, err := command.ClaimedRef(k, w, here.Workspace, k.Args)
			return cmp.Or(found, "latest"), err
		}
		return cmp.Or(ref, "latest"), nil
	})
	g.Usage, g.Takes = command.RefHelp+" Without it: the one that you have claimed here, else the latest.", "needs "+command.WantsHandoff
	g.Special = map[string]operations.Special[handoffops.Place]{handoffops.Brief.Name: operations.Doing(handoffops.Brief, runBrief)}
	return g.Of(handoffops.Brief)
}

// group makes commands that read handoffs, which find finds.
func group(w *command.Process, usage string, find func(k *operations.Call, p handoffops.Place, ref string) (string, error)) *operations.Group[*handoffops.At, handoffops.Place] {
	return &operations.Group[*handoffops.At, handoffops.Place]{
		W: w,
		Flags: func(k *operations.Call, of []cli.Flag) []cli.Flag {
			return command.Flags(of, operations.JSONFlag(k, usage, nil), operations.ServerFlags(&k.Server, operations.OurServer))
		},
		With: func(k *operations.Call, ref string, do func(handoffops.Place, string) error) error {
			return operations.WithHandoffs(k, w, &k.Server, false, func(p handoffops.Place) error {
				ref, err := find(k, p, ref)
				if err != nil {
					return err
				}
				return do(p, ref)
			})
		},
	}
}

func runBrief(k *operations.Call, p handoffops.Place, ref string, r handoffops.BriefRequest) error {
	b, err := handoffops.Brief.On(k, p, ref, r)
	here, local := p.(handoffops.Here)
	if local {
		sayDoubt(k.W, b.Doubt, k.W.Shown(here.Workspace, b.Path))
	}
	if err == nil && local {
		err = command.Delivered(k, k.W, here.Workspace, b.Path, r.As)
	}
	if err != nil {
		return err
	}
	return k.W.Answer(k.JSON, b, b.Brief)
}
