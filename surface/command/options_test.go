package command

import (
	"io"
	"slices"
	"testing"

	"handoff/surface/command/cli"
)

// TestOptionActions: what the actions of flags record, beside destinations.
func TestOptionActions(t *testing.T) {
	type options struct {
		task, never *int
		list        []string
		zone        string
		quiet       bool
		zoneGiven   bool
		least       int
	}
	parse := func(args ...string) (o options, err error) {
		app := &cli.App{
			DisableSliceFlagSeparator: true,
			ExitErrHandler:            func(*cli.Context, error) {},
			Writer:                    io.Discard,
			Flags: []cli.Flag{
				&cli.IntFlag{Name: "task", Action: Some(&o.task)},
				&cli.IntFlag{Name: "never", Action: Some(&o.never)},
				&cli.StringSliceFlag{Name: "list", Aliases: []string{"l"}, Action: To(&o.list)},
				OneOf(&cli.StringFlag{Name: "zone", Value: "utc", Destination: &o.zone, Action: Noting[string](&o.zoneGiven), Usage: "`ZONE`: utc or local"}),
				&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Destination: &o.quiet},
				AtLeast(1, &cli.IntFlag{Name: "least", Value: 3, Destination: &o.least}),
			},
			Action: func(*cli.Context) error { return nil },
		}
		err = app.Run(append([]string{"x"}, args...))
		return o, err
	}
	o, err := parse()
	if err != nil || o.task != nil || o.list != nil || o.zoneGiven || o.zone != "utc" || o.least != 3 {
		t.Errorf("without flags: %+v, %v", o, err)
	}
	o, err = parse("--task", "0", "-l", "a, b", "-l", "c", "--zone", "utc", "-q")
	if err != nil || o.task == nil || *o.task != 0 || o.never != nil || !slices.Equal(o.list, []string{"a, b", "c"}) || !o.zoneGiven || !o.quiet {
		t.Errorf("with flags: %+v, %v", o, err)
	}
	if o, err = parse("--zone", "mars"); err == nil || o.zoneGiven {
		t.Errorf("a refused value is recorded: %+v, %v", o, err)
	}
	if _, err = parse("--least", "0"); err == nil {
		t.Error("a number below the least is accepted")
	}
}
