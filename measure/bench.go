package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"handoff/lint/rules"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/continuity"
	"handoff/measure/benchmark/texts"
	"handoff/measure/planted"
	"handoff/measure/trials"
	"handoff/workspace"
	"handoff/workspace/trust"
)

// lab has what a suite needs.
type lab struct {
	*trials.Lab
	transcripts []string
	planted     planted.Request
	runs        string // a folder with the runs of a study
	score       string // a program that asks a language model, see [scorer]
	every       int    // of so many cuts of sessions next asks for one
	say         func(string)
}

// suite is what `measure NAME` measures.
type suite struct {
	name string
	run  func(context.Context, lab) (benchmark.Suite, error)
}

func suites() []suite {
	return []suite{
		{"findable", func(ctx context.Context, l lab) (benchmark.Suite, error) { return l.Findable(ctx) }},
		{"truth", func(ctx context.Context, l lab) (benchmark.Suite, error) {
			s, _, err := l.Truth(ctx, trials.Repositories)
			return s, err
		}},
		{"planted", plants},
		{"chain", func(_ context.Context, l lab) (benchmark.Suite, error) { return texts.Chain(l.Seed) }},
		{"deliver", func(ctx context.Context, l lab) (benchmark.Suite, error) { return l.Deliver(ctx) }},
		{"budget", func(_ context.Context, l lab) (benchmark.Suite, error) { return texts.Budget(l.Seed) }},
		{"continuity", continues},
		{"replay", replays},
		{"next", nextCalls},
		{"outcome", outcomes},
	}
}

func suiteNames() (names []string) {
	for _, s := range suites() {
		names = append(names, s.name)
	}
	return names
}

// benchJSON is what -json prints: see bench.schema.json.
type benchJSON struct {
	Seed   uint64            `json:"seed"`
	Suites []benchmark.Suite `json:"suites"`
}

// bench measures the selected suites, all if none is, and prints the results.
func bench(ctx context.Context, s streams, o options, selected []string) error {
	for _, name := range selected {
		if !slices.Contains(suiteNames(), name) {
			return fmt.Errorf("unknown suite %q (%s)", name, strings.Join(suiteNames(), ", "))
		}
	}
	results, err := measured(ctx, s, o, selected)
	if err != nil {
		return err
	}
	if o.json {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		return e.Encode(benchJSON{o.seed, results})
	}
	var parts []string
	for _, r := range results {
		if o.markdown {
			parts = append(parts, r.Markdown())
			continue
		}
		parts = append(parts, r.Text())
	}
	_, err = io.WriteString(s.out, strings.Join(parts, "\n"))
	return err
}

// measured runs the selected suites in a folder that is removed.
func measured(ctx context.Context, s streams, o options, selected []string) (results []benchmark.Suite, err error) {
	dir, err := os.MkdirTemp("", "handoff-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	// The workspaces are its own, so their configuration may act.
	options := workspace.Options{Rules: rules.All, Trust: trust.All}
	say := func(text string) { fmt.Fprintln(s.err, "measure:", text) }
	l := lab{&trials.Lab{Rules: options, Dir: dir, Seed: o.seed}, o.transcripts, planted.Request{Repositories: o.repositories, Program: o.program, Dir: dir, Seed: o.seed}, o.runs, o.score, o.every, say}
	if o.misses {
		l.planted.Say = say
	}
	for _, one := range suites() {
		if len(selected) > 0 && !slices.Contains(selected, one.name) {
			continue
		}
		result, err := one.run(ctx, l)
		switch {
		case errors.Is(err, trials.ErrProgram):
			result.Skipped, result.Tables = err.Error(), []benchmark.Table{}
		case err != nil:
			return nil, fmt.Errorf("%s: %w", one.name, err)
		}
		results = append(results, result)
	}
	return results, nil
}

// plants plants false statements in generated repositories, or in clones of real ones if any are named.
func plants(ctx context.Context, l lab) (s benchmark.Suite, err error) {
	if len(l.planted.Repositories) == 0 {
		s, _, err = l.Planted(ctx, trials.Falsehoods)
		return s, err
	}
	s.Name, s.About, s.Limits = "planted", planted.About, planted.Limits
	s.Tables, err = planted.Run(ctx, l.planted)
	return s, err
}

func continues(ctx context.Context, l lab) (benchmark.Suite, error) {
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
