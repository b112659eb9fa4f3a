package tapes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/log/tape"
	"handoff/log/tape/comma"
)

// Executed is the result of a comma command.
type Executed struct {
	Command string          `json:"command" doc:"its full name"`
	Output  string          `json:"output" doc:"what Bub's tool prints, without a line end"`
	Result  json.RawMessage `json:"result,omitempty" doc:"what the route of the same operation answers, which depends on the command"`
}

// Exec runs a comma command on the tape, and records it there. Text that is not a command for tapes is an error:
// no shell is started. If only the record could not be written, x is still the result.
func (t *Tape) Exec(ctx context.Context, r ExecRequest) (x Executed, err error) {
	c, ok, err := comma.Parse(r.Command)
	if err == nil && !ok {
		err = notCommand(r.Command)
	}
	if err != nil {
		return x, err
	}
	start := t.all.options.Now()
	if x, err = t.run(ctx, c, r.Confirm); err != nil {
		x = Executed{Command: c.Name}
	}
	if r.NoRecord {
		return x, err
	}
	now := t.all.options.Now()
	o := comma.Outcome{Output: x.Output, Elapsed: now.Sub(start), At: now}
	if err != nil {
		o.Failed, o.Output = true, strings.ReplaceAll(err.Error(), ": "+handoff.ErrInvalid.Error(), "")
	}
	return x, errors.Join(err, t.record(ctx, c, o))
}

// record appends the event of a command, as Bub does. It does not create a tape.
func (t *Tape) record(ctx context.Context, c comma.Command, o comma.Outcome) error {
	if exists, err := t.Exists(); err != nil || !exists {
		return err
	}
	event, err := c.Event(o)
	if err == nil {
		_, err = t.Append(ctx, tape.AppendRequest{Entries: []tape.Entry{event}})
	}
	return err
}

func (t *Tape) run(ctx context.Context, c comma.Command, confirm string) (x Executed, err error) {
	x.Command = c.Name
	switch c.Name {
	case comma.Handoff:
		err = x.handoff(ctx, t, c)
	case comma.Anchors:
		err = x.anchors(t, c)
	case comma.Info:
		err = x.info(t, c)
	case comma.Search:
		err = x.search(t.all, t, c)
	case comma.Reset:
		err = x.reset(ctx, t, c, confirm)
	case comma.Fork:
		err = x.fork(ctx, t, c)
	case comma.Intention:
		err = x.intention(t, c)
	}
	return x, err
}

func (x *Executed) handoff(ctx context.Context, one *Tape, c comma.Command) error {
	r, err := c.AsHandoff()
	if err != nil {
		return err
	}
	a, err := one.handOff(ctx, r, tape.AppendRequest{})
	x.Output, x.Result = "anchor added: "+r.Name, asJSON(a.Entries)
	return err
}

func (x *Executed) anchors(one *Tape, c comma.Command) error {
	limit, err := c.AsAnchors()
	if err != nil {
		return err
	}
	anchors, err := one.Tape.Anchors(limit)
	if len(anchors) == 0 {
		x.Output = "(no anchors)"
		return err
	}
	var lines []string
	for _, a := range anchors {
		lines = append(lines, "- "+a.Name)
	}
	x.Output, x.Result = strings.Join(lines, "\n"), asJSON(anchors)
	return err
}

func (x *Executed) info(one *Tape, c comma.Command) error {
	if err := c.None(); err != nil {
		return err
	}
	info, err := one.Tape.Info()
	x.Output, x.Result = InfoText(info, "None"), asJSON(info)
	return err
}

// InfoText is a tape's info as Bub's tool prints it. none is printed for unknown
// values; Bub prints "None".
func InfoText(i tape.Info, none string) string {
	last, tokens, rate := none, none, none
	if i.LastAnchor != nil {
		last = *i.LastAnchor
	}
	if i.LastTokens != nil {
		tokens = fmt.Sprint(*i.LastTokens)
	}
	if i.CacheHitRate != nil {
		rate = fmt.Sprintf("%.2f%%", 100**i.CacheHitRate)
	}
	return fmt.Sprintf("name: %s\nentries: %d\nanchors: %d\nlast_anchor: %s\nentries_since_last_anchor: %d\nlast_token_usage: %s\nlast_token_cache_hit_rate: %s",
		i.Name, i.Entries, i.Anchors, last, i.SinceLastAnchor, tokens, rate)
}

// searched marks the output of a search, which later searches skip.
const searched = "[tape.search]"

func (x *Executed) search(t *Tapes, one *Tape, c comma.Command) error {
	s, all, err := c.AsSearch()
	if err != nil {
		return err
	}
	if len(s.Kinds) == 0 {
		s.Kinds = []string{tape.KindMessage, tape.KindToolResult} // Bub's
	}
	var hits []tape.Hit
	switch {
	case all && t.Home != nil:
		return fmt.Errorf("all_tapes searches the tapes of this workspace, not those of Bub: %w", handoff.ErrInvalid)
	case all:
		hits, err = t.Store.SearchAll(s)
	default:
		hits, err = one.Tape.Search(s)
	}
	if err != nil {
		return err
	}
	var lines []string
	var kept []tape.Hit
	for _, h := range hits {
		line := string(jsontext.AppendText([]byte(`{"date": `), h.Entry.Date)) + `, "content": ` + string(jsontext.Python.AppendValue(nil, string(h.Entry.Payload))) + "}"
		if strings.Contains(line, searched) {
			continue
		}
		lines, kept = append(lines, line), append(kept, h)
	}
	first := fmt.Sprintf("%s: %d matches (%d filtered)", searched, len(lines), len(hits)-len(lines))
	x.Output = strings.Join(append([]string{first}, lines...), "\n")
	x.Result = asJSON(hitsOf(kept))
	return nil
}

func (x *Executed) reset(ctx context.Context, one *Tape, c comma.Command, confirm string) error {
	r, err := c.AsReset()
	if err != nil {
		return err
	}
	done, err := one.Reset(ctx, ResetRequest{Archive: new(!r.NoArchive), Confirm: confirm})
	done.Tape = one.Name()
	x.Output, x.Result = done.Text(), asJSON(done)
	return err
}

func (x *Executed) fork(ctx context.Context, one *Tape, c comma.Command) error {
	r, err := c.AsFork()
	if err != nil {
		return err
	}
	f, err := one.Tape.Fork(ctx, r)
	from := "start"
	if r.FromAnchor != nil {
		from = *r.FromAnchor
	}
	x.Output, x.Result = "forked session: "+f.Tape+" from anchor: "+from, asJSON(f)
	return err
}

func (x *Executed) intention(one *Tape, c comma.Command) error {
	if err := c.None(); err != nil {
		return err
	}
	r, err := one.Tape.Recover()
	if err != nil {
		return err
	}
	var i tape.Intention
	if r.Intention == nil || json.Unmarshal(r.Intention, &i) != nil {
		x.Output = "(no intention set)"
		return nil
	}
	x.Output, x.Result = "next_steps: "+i.NextSteps+"\ncontext_summary: "+i.ContextSummary, r.Intention
	if i.TriggerOnComplete != nil {
		x.Output += "\ntrigger_on_complete: " + *i.TriggerOnComplete
	}
	return nil
}

// asJSON is the result of an operation, which has a JSON form.
func asJSON(v any) json.RawMessage {
	src, _ := jsontext.Marshal(v)
	return src
}

// notCommand is the error for text that is not a command.
func notCommand(text string) error {
	return fmt.Errorf("%.60q is not a command: commands start with a comma, like ,handoff name=phase-1 summary=\"…\": %w", text, handoff.ErrInvalid)
}
