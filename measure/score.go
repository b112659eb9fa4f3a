package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// scorer is a program that knows how likely a language model takes a text: it answers each line on its standard
// input, {"text": …, "calls": […]}, with one, {"bits": […]}. benchmark/replay/score.py is one.
type scorer struct {
	to   io.WriteCloser
	from *json.Decoder
	cmd  *exec.Cmd
}

func startScorer(ctx context.Context, program string) (*scorer, error) {
	cmd := exec.CommandContext(ctx, program)
	cmd.Stderr = os.Stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("-score: %w", err)
	}
	return &scorer{to, json.NewDecoder(bufio.NewReader(from)), cmd}, nil
}

func (s *scorer) bits(text string, calls []string) ([]float64, error) {
	line, err := json.Marshal(map[string]any{"text": text, "calls": calls})
	if err != nil {
		return nil, err
	}
	if _, err := s.to.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("-score: %w", err)
	}
	var answer struct {
		Bits []float64 `json:"bits"`
	}
	if err := s.from.Decode(&answer); err != nil {
		return nil, fmt.Errorf("-score: %w", err)
	}
	return answer.Bits, nil
}

func (s *scorer) close() error { return errors.Join(s.to.Close(), s.cmd.Wait()) }
