package tape_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"handoff/log/tape"
)

// A context begins after the last anchor, whose state says what came before it.
func ExampleTape_Handoff() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	store, err := tape.Open(filepath.Join(root, ".handoff"), tape.Options{})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	main, err := store.Tape(tape.Main)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	say := func(text string) {
		e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": text}, nil)
		if err == nil {
			_, err = main.Append(ctx, e)
		}
		if err != nil {
			panic(err)
		}
	}
	say("Prove case 1.")
	if _, err := main.Handoff(ctx, "phase-2", json.RawMessage(`{"summary":"Case 1 is proved."}`), nil); err != nil {
		panic(err)
	}
	say("Prove case 2.")
	part, err := main.Slice(tape.FromLastAnchor())
	if err != nil {
		panic(err)
	}
	fmt.Println(part.Boundary.Name(), string(part.Boundary.State()))
	for _, e := range part.Entries {
		if e.Kind == tape.KindMessage {
			fmt.Println(string(e.Payload))
		}
	}
	// Output:
	// phase-2 {"summary": "Case 1 is proved."}
	// {"content": "Prove case 2.", "role": "user"}
}
