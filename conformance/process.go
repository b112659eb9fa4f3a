package conformance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxLine is the most bytes of an answer.
const maxLine = 16 << 20

// Over returns the implementation at the other end of two pipes: a question is a line
// of JSON to it, its answer a line of JSON from it. It answers in the order of the
// questions.
func Over(to io.Writer, from io.Reader) Implementation {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	return func(q Question) (a Answer, err error) {
		line, err := json.Marshal(q)
		if err != nil {
			return a, err
		}
		_, refused := to.Write(append(line, '\n'))
		if !lines.Scan() { // a program that has already ended may still have output to read
			if refused != nil {
				return a, fmt.Errorf("it does not take the question: %w", refused)
			}
			return a, errors.Join(errors.New("it ended without an answer"), lines.Err())
		}
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			return a, fmt.Errorf("its answer is not JSON: %w", err)
		}
		if a.ID != q.ID {
			return a, fmt.Errorf("it answers %q", a.ID)
		}
		return a, nil
	}
}

// Serve answers the questions of a reader until it ends: the other end of [Over].
func Serve(from io.Reader, to io.Writer, answer Implementation) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxLine)
	out := json.NewEncoder(to)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var q Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("a question is not JSON: %w", err)
		}
		a, err := answer(q)
		if err != nil {
			return fmt.Errorf("%s: %w", q.ID, err)
		}
		if err := out.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}
