package agents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/agents/transcript/gauge"
	"handoff/agents/windows"
	"handoff/internal/text/say"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/delivery"
	"handoff/workspace/notes"
)

// gaugeOptions are the options of gauge.
type gaugeOptions struct {
	command.NamedSession
	at                               int
	note, watch, intervalGiven, json bool
	interval                         time.Duration
}

// Gauge is the command `handoff gauge`.
func Gauge(w *command.Process) *cli.Command {
	o := new(gaugeOptions)
	return &cli.Command{
		Name:      "gauge",
		Usage:     "show how many tokens are left until an agent's session is compacted",
		UsageText: "handoff gauge [flags]\n\nWithout --session or --transcript it reads the session that it runs in, or the newest one in this folder.",
		Description: "The transcript shows what the context holds, and the table of agents (`handoff agents`) when it is\n" +
			"compacted. Exit status: 1 if it is time for a handoff, 0 if not, or if one was saved since the last\n" +
			"compaction. --note is for hooks: it prints a line and exits with 1 only if it is time for a handoff\n" +
			"and no earlier call with --note has said so.",
		Flags: command.Flags(command.SessionFlags(&o.NamedSession, "transcript or saved stream"),
			command.AtLeast(1, &cli.IntFlag{Name: "at", Destination: &o.at, Usage: "`N`  tokens at which the session is compacted", DefaultText: "what the table of agents says"}),
			&cli.BoolFlag{Name: "note", Destination: &o.note, Usage: "print a line only when it is time for a handoff, once for each reason, also over several calls"},
			&cli.BoolFlag{Name: "watch", Destination: &o.watch, Usage: "keep reading, and print a line when it is time for a handoff, once for each reason"},
			&cli.DurationFlag{Name: "interval", Destination: &o.interval, Action: command.Noting[time.Duration](&o.intervalGiven), Value: 2 * time.Second, Usage: "`TIME`  time between two readings of --watch"},
			cli.JSON(&o.json, "print one line of JSON for each reading", cli.PrintsLines[gaugeLine]("gauge"))),
		Action: command.Alone(func(c *cli.Context) error { return runGauge(c.Context, w, o) }),
	}
}

// gaugeLine is a reading as --json prints it.
type gaugeLine struct {
	Agent      string `json:"agent"`
	Session    string `json:"session"`
	Transcript string `json:"transcript"`
	Model      string `json:"model"`
	gauge.Reading
	Partial bool       `json:"partial"` // there may be more compactions: see [tail.File]
	Kind    gauge.Kind `json:"kind"`    // why it is time for a handoff, "" if it is not
	Note    string     `json:"note"`    // the reason in words
}

func runGauge(ctx context.Context, w *command.Process, o *gaugeOptions) error {
	if err := gaugeUsage(o); err != nil {
		return err
	}
	root, table, err := known(w)
	if err != nil {
		return err
	}
	q := sessions.Query{Session: o.Session, Agent: o.Agent, Dirs: []string{w.Dir, root}, Getenv: w.Getenv}
	if o.Transcript != "" {
		q.Transcript = w.Path(o.Transcript)
	}
	s, err := sessions.Find(table, q)
	if err != nil {
		return err
	}
	read := func() gauge.Reading { return s.Read(o.at, sessions.ReadProgress(root), w.Getenv) }
	switch {
	case o.watch:
		return watchGauge(ctx, w, o, s, read)
	case o.note:
		return noteGauge(ctx, w, o, s, read())
	}
	r := read()
	// Nothing was reported before, so every reason that applies now is new.
	_, kind, note := gauge.State{Begun: true, Done: r.Done, Compactions: r.Compactions - 1}.Step(r)
	return cmp.Or(printReading(w, o.json, s, r, kind, note), command.Found(note))
}

func gaugeUsage(o *gaugeOptions) error {
	if o.Session != "" && o.Transcript != "" {
		return errors.New("--session and --transcript exclude each other")
	}
	switch {
	case o.note && o.watch:
		return errors.New("--note and --watch exclude each other")
	case o.intervalGiven && !o.watch:
		return errors.New("--interval requires --watch")
	case o.interval < 100*time.Millisecond:
		return errors.New("--interval: want 100ms or more, like 2s")
	}
	return nil
}

// known returns the root of the workspace and its table of agents. It reports
// an entry that it cannot read, and still returns the others.
func known(w *command.Process) (root string, table []agents.Agent, err error) {
	ws, err := w.Here()
	if err != nil {
		return "", nil, err
	}
	table, err = sessions.Table(ws.Root)
	if table == nil {
		return "", nil, err
	}
	w.Complain(err)
	return ws.Root, table, nil
}

// watchGauge reads the gauge until it is interrupted, and prints each reason
// for a handoff once.
func watchGauge(ctx context.Context, w *command.Process, o *gaugeOptions, s sessions.Session, read func() gauge.Reading) error {
	var state gauge.State
	ticks := time.NewTicker(o.interval)
	defer ticks.Stop()
	for {
		r := read()
		next, kind, note := state.Step(r)
		if state = next; note {
			if err := printNote(w, o.json, s, r, kind); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		}
		if _, err := s.File.Update(); err != nil {
			return err
		}
	}
}

// noteGauge prints a note that is due and that no earlier call has printed.
func noteGauge(ctx context.Context, w *command.Process, o *gaugeOptions, s sessions.Session, r gauge.Reading) error {
	ws, err := w.Here()
	if err != nil {
		return err
	}
	book, err := notes.Open(ws)
	if err != nil {
		return err
	}
	id := cmp.Or(s.File.Session.ID, s.File.Path) // a stream may have no id
	kind, note, err := book.Step(ctx, s.Agent.Name, id, r, notes.Seen{})
	if err != nil || !note {
		return err
	}
	desk, err := delivery.Open(ws, delivery.Desk{Session: receipt.Session{Host: s.Agent.Name, ID: id}, Claim: w.Claim(), Relay: w.Getenv(agents.RelayVar) != ""})
	if err != nil {
		return err
	}
	if owes, err := desk.Owes(ctx); !owes {
		return err
	}
	if err := printNote(w, o.json, s, r, kind); err != nil {
		return err
	}
	return command.Exit(command.Findings)
}

func printNote(w *command.Process, asJSON bool, s sessions.Session, r gauge.Reading, kind gauge.Kind) error {
	if asJSON {
		return printReading(w, asJSON, s, r, kind, true)
	}
	return w.Print(command.Plain(r.Text(kind)) + "\n")
}

func printReading(w *command.Process, asJSON bool, s sessions.Session, r gauge.Reading, kind gauge.Kind, note bool) error {
	t := s.File.Session
	line := gaugeLine{Agent: s.Agent.Name, Session: t.ID, Transcript: s.File.Path, Model: t.Model, Reading: r, Partial: s.File.Partial}
	if note {
		line.Kind, line.Note = kind, r.Text(kind)
	}
	if asJSON {
		return command.WriteLine(w.Stdout, line)
	}
	return w.Print(strings.Join(line.text(), "\n") + "\n")
}

// fromWords says from where a window is known.
var fromWords = map[string]string{
	string(windows.Session): "as the session reported",
	string(windows.Host):    "as the agent last reported for this model",
	string(windows.Table):   "by the table of agents",
}

// text formats a reading for people.
func (l gaugeLine) text() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, command.Plain(fmt.Sprintf(format, args...))) }
	begin := fmt.Sprintf("%s session %s: ", l.Agent, l.Session)
	switch {
	case l.Used == 0:
		add("%sno tokens are recorded yet", begin)
	case l.Limit == 0 && l.Window == 0:
		add("%s%s tokens used; the window of %s is not known, so no note says when few are left", begin, say.Number(l.Used), cmp.Or(l.Model, "its model"))
		add("to name it: --at N, or context: {windows: [N]} in %s/%s.yaml; a status line with `handoff statusline` reports it", sessions.Overrides, l.Agent)
	case l.Limit == 0:
		add("%s%s tokens used; where %s compacts is not known: --at N names it", begin, say.Number(l.Used), l.Agent)
	default:
		add("%s%s of %s tokens left until it is compacted, %s used", begin, say.Number(l.Left), say.Number(l.Limit), say.Number(l.Used))
	}
	if l.Window > 0 {
		add("window: %s tokens, %s", say.Number(l.Window), fromWords[l.From])
	}
	if l.Pace > 0 {
		add("pace: %s tokens a call, over the last 3 of %s", say.Number(l.Pace), command.Plural(l.Calls, "call"))
	}
	if l.Compactions > 0 {
		more := ""
		if l.Partial {
			more = " or more"
		}
		add("compacted: %s%s", command.Plural(l.Compactions, "time"), more)
	}
	for _, f := range l.Repeated {
		add("read %d times without a change: %s", f.Times, f.File)
	}
	if l.Objectives > 0 {
		add("objectives: %d of %d done", l.Done, l.Objectives)
	}
	if l.Saved {
		add("a handoff was saved in this context")
	}
	if l.Note != "" {
		add("%s", l.Note)
	}
	return lines
}
