package copy_test

import (
	"context"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/jetstream"
)

const stream = "COPY"

func openStream(ctx context.Context, server string) (engine.Engine, error) {
	return jetstream.Open(ctx, jetstream.Options{Servers: []string{server}, Stream: stream, Create: true})
}

// TestJetStream copies a workspace to a stream in a process that is killed over and
// over, and back to another workspace, killed as well.
func TestJetStream(t *testing.T) {
	events, blobs := figures()
	server := natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0]
	from, back := t.TempDir(), t.TempDir()
	fill(t, from, events, blobs)
	kills := killed(t, from, server, blobs)
	e, err := openStream(waittest.Context(t), server)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r := mustCopy(t, open(t, from), e, copy.Options{})
	if r.Copied != 0 || r.BlobsCopied != 0 || r.Records != uint64(events) || r.Blobs != blobs {
		t.Errorf("after the copy something was left: %+v", r)
	}
	kills += killed(t, server, back, blobs)
	leftovers(t, back)
	sameTrees(t, back, from)
	t.Logf("%d records and %d artifacts there and back, %d kills", r.Records, r.Blobs, kills)
}
