package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/benchmark"
	"handoff/benchmark/continuity"
	"handoff/benchmark/replay"
	"handoff/benchmark/texts"
	"handoff/internal/file/regular"
	"handoff/templates"
	"handoff/transcript/facts"
	"handoff/workspace/draft"
	"handoff/workspace/trials"
	"handoff/workspace/trust"
)

// benchOptions are the options of bench.
type benchOptions struct {
	transcript     []string
	seed           uint64
	json, markdown bool
}

func benchCommand(w *process) *cli.Command {
	o := new(benchOptions)
	return &cli.Command{
		Name:      "bench",
		Usage:     "measure what handoffs do for a successor, beside working without a tool",
		UsageText: "handoff bench [flags] [" + strings.Join(suiteNames(), "|") + " ...]",
		Description: "It runs no model and uses no network; the same seed gives the same figures. The workspaces are generated,\n" +
			"in a folder that is removed; replay reads recorded sessions and needs --transcript. There is no score:\n" +
			"docs/bench.md has the tables, and what they do not show.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "transcript", Action: to(&o.transcript), Usage: "replay the session in `FILE`, or all in a folder; may be repeated"},
			&cli.Uint64Flag{Name: "seed", Destination: &o.seed, Value: 1, Usage: "`NUMBER` from which workspaces are generated"},
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON"},
			&cli.BoolFlag{Name: "markdown", Destination: &o.markdown, Usage: "print Markdown, with the limits of each suite"},
		},
		Action: func(c *cli.Context) error { return runBench(c.Context, w, o, argsOf(c)) },
	}
}

// suite is what `handoff bench NAME` measures.
type suite struct {
	name string
	run  func(ctx context.Context, w *process, o *benchOptions, l *trials.Lab) (benchmark.Suite, error)
}

func suites() []suite {
	return []suite{
		{"findable", func(ctx context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
			return l.Findable(ctx)
		}},
		{"truth", func(ctx context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
			s, _, err := l.Truth(ctx, trials.Repositories)
			return s, err
		}},
		{"chain", func(_ context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
			return texts.Chain(l.Seed)
		}},
		{"deliver", func(ctx context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
			return l.Deliver(ctx)
		}},
		{"budget", func(_ context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
			return texts.Budget(l.Seed)
		}},
		{"continuity", benchContinuity},
		{"replay", benchReplay},
	}
}

func suiteNames() (names []string) {
	for _, s := range suites() {
		names = append(names, s.name)
	}
	return names
}

// benchJSON is what bench --json prints: see schema/bench.schema.json.
type benchJSON struct {
	Seed   uint64            `json:"seed"`
	Suites []benchmark.Suite `json:"suites"`
}

func runBench(ctx context.Context, w *process, o *benchOptions, args arguments) error {
	selected := args
	for _, name := range selected {
		if !slices.Contains(suiteNames(), name) {
			return fmt.Errorf("unknown suite %q (%s)", name, strings.Join(suiteNames(), ", "))
		}
	}
	if o.json && o.markdown {
		return errors.New("--json and --markdown exclude each other")
	}
	results, err := during(w, "measuring", func() ([]benchmark.Suite, error) { return measure(ctx, w, o, selected) })
	if err != nil {
		return err
	}
	var b strings.Builder
	for i, s := range results {
		if i > 0 {
			b.WriteString("\n")
		}
		if o.markdown {
			b.WriteString(s.Markdown())
			continue
		}
		b.WriteString(s.Text())
	}
	return w.answer(o.json, benchJSON{o.seed, results}, b.String())
}

// measure runs the selected suites, all if none is, in a folder that is removed.
func measure(ctx context.Context, w *process, o *benchOptions, selected []string) (results []benchmark.Suite, err error) {
	dir, err := os.MkdirTemp("", "handoff-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	options := w.quietly(nil)
	options.NewID, options.OpenStore, options.Trust = nil, nil, trust.All // the workspaces are its own
	lab := &trials.Lab{Rules: options, Dir: dir, Seed: o.seed}
	for _, s := range suites() {
		if len(selected) > 0 && !slices.Contains(selected, s.name) {
			continue
		}
		result, err := s.run(ctx, w, o, lab)
		switch {
		case errors.Is(err, trials.ErrProgram):
			result.Skipped, result.Tables = err.Error(), []benchmark.Table{}
		case err != nil:
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		results = append(results, result)
	}
	return results, nil
}

func benchContinuity(ctx context.Context, _ *process, _ *benchOptions, l *trials.Lab) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "continuity", About: "public cases of work that is interrupted and goes on in another session", Limits: []string{
		"No model reads the texts. A statement counts as supported if the text has 60 % of its words, so the points compare texts with each other; they cannot be compared with points that models reached.",
		"The cases are of the AI Handoff Continuity Benchmark by 44pixels Ltd (https://handover.sh/benchmark), under CC BY 4.0, unchanged. Three short cases validate a protocol and rank nothing.",
		"The scenarios are those of ContinuityBench v0.1 by lians, in workspaces of our own: they show that each is possible, not how often it works with real agents.",
	}}
	points, err := continuity.Measure()
	if err != nil {
		return s, err
	}
	scenarios, err := l.Contract(ctx)
	s.Tables = append([]benchmark.Table{points}, scenarios...)
	return s, err
}

func benchReplay(ctx context.Context, w *process, o *benchOptions, _ *trials.Lab) (benchmark.Suite, error) {
	r := replay.Replay{Draft: drafted}
	for _, name := range o.transcript {
		if err := w.replayAll(ctx, &r, w.path(name)); err != nil {
			return benchmark.Suite{}, err
		}
	}
	s := r.Suite()
	if o.transcript == nil {
		s.Skipped = "no sessions: `handoff bench replay --transcript FILE` reads one, or a folder of them"
	}
	return s, nil
}

// maxTranscript is the most bytes of a transcript that is replayed.
const maxTranscript = 256 << 20

// replayAll replays the session in a file, or all sessions in a folder except those that
// are not JSON lines.
func (w *process) replayAll(ctx context.Context, r *replay.Replay, path string) error {
	return filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case e.IsDir(), file != path && filepath.Ext(file) != ".jsonl":
			return nil
		}
		src, err := regular.Read(file, nil, maxTranscript)
		if err == nil {
			err = r.Add(src)
		}
		if errors.Is(err, replay.ErrFormat) && file != path {
			w.say("%s: %s; left out", plain(file), err)
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		return nil
	})
}

// drafted is the handoff that `handoff draft` prints, without facts from the workspace of
// the session.
func drafted(f *facts.Facts, all bool) string {
	v := draft.Values(draft.Origin{Agent: f.Format, Source: "session.jsonl", Task: 1, Phase: 1, All: all}, f)
	text, err := templates.Render(v, "", true)
	if err != nil { // the template is our own
		return ""
	}
	return string(text)
}
