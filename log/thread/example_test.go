package thread_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"handoff/log/artifact"
	"handoff/log/thread"
)

// Messages are posted to a thread and read again; a handoff starts a new thread from a summary.
func ExampleStore_PostMessage() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	blobs, err := artifact.Open(root)
	if err != nil {
		panic(err)
	}
	defer blobs.Close()
	threads, err := thread.Open(filepath.Join(root, ".handoff"), thread.Options{Artifacts: blobs})
	if err != nil {
		panic(err)
	}
	defer threads.Close()
	ctx := context.Background()
	info, err := threads.Ensure(ctx)
	if err != nil {
		panic(err)
	}
	for _, text := range []string{"Prove case 1.", "Prove case 2."} {
		if _, err := threads.PostMessage(ctx, info.ThreadID, thread.MessageRequest{Content: text, ActorID: "anna", Origin: "example"}); err != nil {
			panic(err)
		}
	}
	for event, err := range threads.Events(info.ThreadID, 0) {
		if err != nil {
			panic(err)
		}
		if m, ok := event.Payload.(*thread.Message); ok {
			fmt.Println(event.Seq, m.ActorID, m.Content)
		}
	}
	summary := "Case 1 is proved."
	next, err := threads.Handoff(ctx, info.ThreadID, thread.HandoffRequest{SummaryMarkdown: &summary, ActorID: "anna", Origin: "example"})
	fmt.Println(next.FromThreadID == info.ThreadID, next.FromSeq, err)
	// Output:
	// 1 anna Prove case 1.
	// 2 anna Prove case 2.
	// true 2 <nil>
}
