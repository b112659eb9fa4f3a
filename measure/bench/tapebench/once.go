//go:build unix

package main

import (
	"context"
	"fmt"

	"handoff/log/tape"
	"handoff/log/tape/chat"
	"handoff/measure/bench/internal/bench"
)

// once asks a tape one question and ends.
func once(what, folder string) error {
	s, err := tape.Open(folder, tape.Options{Progress: func(_ string, done, total int64) { bench.Progress(done, total) }})
	if err != nil {
		return err
	}
	defer s.Close()
	t, err := s.Tape(tape.Main)
	if err != nil {
		return err
	}
	n := 0
	switch what {
	case "index":
		info, infoErr := t.Info()
		n, err = info.Entries, infoErr
	case "context":
		slice, sliceErr := t.Slice(tape.FromLastAnchor())
		messages, _ := chat.Messages(slice, chat.Options{})
		n, err = len(messages), sliceErr
		fmt.Println(chat.Tokens(messages))
	case "anchors":
		anchors, anchorsErr := t.Anchors(20)
		n, err = len(anchors), anchorsErr
	case "append":
		_, err = t.Append(context.Background(), message(0))
		n = 1
	case "recover":
		r, recoverErr := t.Recover()
		n, err = len(r.Entries), recoverErr
	default:
		err = fmt.Errorf("%q is nothing that can be measured", what)
	}
	if err == nil && n == 0 {
		err = fmt.Errorf("%s: the tape has none", what)
	}
	fmt.Println(n)
	return err
}
