package watch_test

import (
	"fmt"
	"os"
	"path/filepath"

	"handoff/watch"
)

// A watch reports the tasks that exist, and then those that may have changed.
func ExampleOpen() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	handoffs := filepath.Join(root, "specs", "259_completeness", "handoffs")
	if err := os.MkdirAll(handoffs, 0o755); err != nil {
		panic(err)
	}
	w := watch.Open(watch.Options{Root: root})
	defer w.Close()
	for tasks := range w.First {
		fmt.Println("there is", tasks)
	}
	if err := os.WriteFile(filepath.Join(handoffs, "phase-1-handoff-20260212T143022Z.md"), nil, 0o644); err != nil {
		panic(err)
	}
	fmt.Println("look at", <-w.Dirty)
	// Output:
	// there is [specs/259_completeness]
	// look at [specs/259_completeness]
}
