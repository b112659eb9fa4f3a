package main

import (
	"context"
	"fmt"

	"handoff/internal/journal"
	"handoff/measure/bench/internal/bench"
)

// once does one operation on an existing journal and ends.
func once(what, path string) error {
	j, err := journal.Open(context.Background(), path, frames, journal.Options{Progress: bench.Progress})
	if err != nil {
		return err
	}
	defer j.Close()
	switch what {
	case "open":
		return nil
	case "index", "last":
		rec, _, err := j.Last()
		fmt.Println(rec.Pos)
		return err
	case "append":
		n, err := j.Append(context.Background(), journal.Any(), func(next uint64) ([]journal.Line, error) { return journal.Lines([][]byte{message(next)}), nil })
		fmt.Println(n)
		return err
	}
	n, err := j.Len()
	if err != nil {
		return err
	}
	return ask(j, what, n)
}

// ask reads from the middle of a journal of n records.
func ask(j *journal.Journal, what string, n uint64) error {
	rec, err := j.Get(n / 2)
	if err != nil {
		return err
	}
	switch what {
	case "get":
		fmt.Printf("%.60s\n", rec.Line)
	case "find":
		facts, err := readFrame(rec.Line)
		if err != nil {
			return err
		}
		found, err := j.Find(facts.Keys[0])
		if err != nil || len(found) != 1 {
			return fmt.Errorf("%s was found at %v, %w", facts.Keys[0], found, err)
		}
		fmt.Println(found)
	case "list":
		count, err := j.Count("message")
		if err != nil {
			return err
		}
		pos, _, err := j.LastOn("message", n/2)
		if err != nil {
			return err
		}
		fmt.Println(count, pos)
	default:
		return fmt.Errorf("%q is nothing that can be measured", what)
	}
	return nil
}
