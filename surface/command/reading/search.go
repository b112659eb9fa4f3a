package reading

import (
	"cmp"
	"errors"
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/search"
)

// Search is the command `handoff search`.
func Search(w *command.Process) *cli.Command {
	g := group(w, "print JSON", func(_ *operations.Call, p handoffops.Place, _ string) (string, error) {
		if here, local := p.(handoffops.Here); local {
			return "", search.Missing(here.Workspace)
		}
		return "", nil
	})
	var number *int
	var named *string
	flags := func(of []cli.Flag) []cli.Flag {
		for i, f := range of {
			if f.Names()[0] == "task" {
				of[i] = command.TaskFlag(&number, &named, &cli.StringFlag{Usage: "`N`  only this task: its number, or what the plan of another tool calls it", DefaultText: "all"})
			}
		}
		return of
	}
	g.Special = map[string]operations.Special[handoffops.Place]{handoffops.Search.Name: operations.Doing(handoffops.Search, runSearch).
		After(operations.Checking[handoffops.Place](handoffops.Search, func(k *operations.Call, r *handoffops.SearchRequest) error {
			if len(k.Args) == 0 {
				return errors.New("search needs words to look for (`handoff ls` lists all handoffs)")
			}
			if named != nil {
				if k.Server.Given {
					return errors.New("--task: a server knows the numbers of tasks only")
				}
				r.Named = *named
			}
			r.Query, r.Task = strings.Join(k.Args, " "), number
			return nil
		})).WithFlags(flags)}
	return g.Of(handoffops.Search)
}

func runSearch(k *operations.Call, p handoffops.Place, _ string, req handoffops.SearchRequest) error {
	here, local := p.(handoffops.Here)
	r, err := handoffops.Search.On(k, p, "", req)
	if err != nil && r.Hits == nil {
		return err
	}
	var text strings.Builder
	for _, h := range r.Hits {
		if local {
			h.Path = k.W.Shown(here.Workspace, h.Path)
		}
		text.WriteString(command.Plain(h.String()) + "\n")
	}
	for _, h := range r.Logs {
		text.WriteString(command.Plain(h.String()) + "\n")
	}
	if !k.JSON {
		if rest := r.Total - len(r.Hits); rest > 0 {
			k.W.Say("%s not shown (-n)", command.Plural(rest, "more handoff"))
		}
		if rest := r.LogsTotal - len(r.Logs); rest > 0 {
			k.W.Say("%s or tapes not shown (-n)", command.Plural(rest, "more thread"))
		}
	}
	if r.Stopped != "" {
		k.W.Say("%s", command.Plain(r.Stopped))
	}
	if failed := k.W.Answer(k.JSON, r, text.String()); failed != nil {
		return failed
	}
	if !k.JSON && err == nil && r.Total+r.LogsTotal == 0 {
		k.W.Say("no handoff, thread or tape has all of these words")
	}
	return cmp.Or(err, command.Found(r.Total+r.LogsTotal == 0)) // err comes after the readable handoffs
}
