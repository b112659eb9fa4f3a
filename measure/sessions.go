package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/agents/transcript/facts"
	"handoff/internal/file/regular"
	"handoff/internal/text/visible"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/replay"
	"handoff/templates"
	"handoff/workspace/draft"
)

func replays(ctx context.Context, l lab) (benchmark.Suite, error) {
	r := replay.Replay{Draft: drafted}
	for _, name := range l.transcripts {
		if err := l.replayAll(ctx, &r, name); err != nil {
			return benchmark.Suite{}, err
		}
	}
	s := r.Suite()
	if len(l.transcripts) == 0 {
		s.Skipped = "no sessions: -transcript FILE reads one, or all in a folder"
	}
	return s, nil
}

// maxTranscript is the most bytes of a transcript that is replayed.
const maxTranscript = 256 << 20

// replayAll replays the session in a file, or all sessions in a folder except those that
// are not JSON lines.
func (l lab) replayAll(ctx context.Context, r *replay.Replay, path string) error {
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
