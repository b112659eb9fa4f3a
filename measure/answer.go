package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"handoff/measure/own"
	"handoff/sdk/conformance"
)

// answer answers the questions of `handoff conformance` until they end. The files of this
// implementation are in a folder that is removed.
func answer(s streams) (err error) {
	folder, err := os.MkdirTemp("", "handoff-conformance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	return serve(s.in, s.out, own.New(folder).Answer)
}

// maxQuestion is the most bytes of a question.
const maxQuestion = 16 << 20

// serve answers the questions of a reader until it ends: the other end of
// [conformance.Over].
func serve(from io.Reader, to io.Writer, ask conformance.Implementation) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxQuestion)
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q conformance.Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("a question is not JSON: %w", err)
		}
		a, err := ask(q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.ID, err)
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}
