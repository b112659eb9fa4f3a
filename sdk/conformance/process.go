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
