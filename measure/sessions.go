package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/agents/transcript/facts"
	"handoff/document/brief"
	"handoff/internal/file/regular"
	"handoff/internal/text/visible"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/replay"
	parser "handoff/parse"
	"handoff/templates"
	"handoff/workspace/draft"
)

func replays(ctx context.Context, l lab) (benchmark.Suite, error) {
	r := replay.Replay{Draft: drafted}
	if err := l.eachSession(ctx, r.Add); err != nil {
		return benchmark.Suite{}, err
	}
	s := r.Suite()
	if len(l.transcripts) == 0 {
		s.Skipped = noSessions
	}
	return s, nil
}

const noSessions = "no sessions: -transcript FILE reads one, or all in a folder"

// nextCalls asks the model of -score.
func nextCalls(ctx context.Context, l lab) (s benchmark.Suite, err error) {
	n := replay.Next{Draft: drafted, Brief: briefed, Seed: l.Seed, Every: l.every}
	if err := l.eachSession(ctx, n.Add); err != nil {
		return s, err
	}
	if l.score == "" || len(l.transcripts) == 0 {
		if s, err = new(replay.Next).Suite(); l.score == "" {
			s.Skipped = "no model: -score FILE is a program that asks one (benchmark/replay/score.py)"
			return s, err
		}
		s.Skipped = noSessions
		return s, err
	}
	model, err := startScorer(ctx, l.score)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	n.Bits = model.bits
	return n.Suite()
}

// eachSession reads all sessions of -transcript.
func (l lab) eachSession(ctx context.Context, add func([]byte) error) error {
	for _, name := range l.transcripts {
		if err := l.replayAll(ctx, add, name); err != nil {
			return err
		}
	}
	return nil
}

// maxTranscript is the most bytes of a transcript that is replayed.
const maxTranscript = 256 << 20

// replayAll adds the session in a file, or all sessions in a folder except those that
// are not JSON lines.
func (l lab) replayAll(ctx context.Context, add func([]byte) error, path string) error {
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
			err = add(src)
		}
		if errors.Is(err, replay.ErrFormat) && file != path {
			l.say(fmt.Sprintf("%s: %s; left out", visible.Text(file), err))
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

// briefed is what a successor is told of such a draft, in as many bytes as the other texts have.
func briefed(text string) string {
	doc := parser.Document([]byte(text))
	told, err := brief.Make(brief.Source{Doc: doc}, brief.Escape, replay.Size)
	if err != nil {
		return ""
	}
	return told
}
