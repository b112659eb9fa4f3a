package jetstream

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/internal/testing/natstest"
)

// TestAskAgain: a question that was sent when nobody could answer it, as to a stream without
// a leader, is asked again before its time is over.
func TestAskAgain(t *testing.T) {
	server := natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0]
	e, err := Open(t.Context(), Options{Servers: []string{server}, Stream: "ASK", Create: true, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	var asked atomic.Int32
	_, err = e.nc.Subscribe("question", func(m *nats.Msg) {
		if asked.Add(1) > 1 {
			m.Respond([]byte("answer"))
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	m, err := e.ask(t.Context(), "question", nil)
	if err != nil || string(m.Data) != "answer" {
		t.Fatalf("%v, %v", m, err)
	}
	if took := time.Since(begin); took > 30*time.Second {
		t.Errorf("the answer took %v: the question was not repeated", took)
	}
}
