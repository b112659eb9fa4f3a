package jetstream

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// consumeFrom is from how many messages on a consumer is faster than direct
	// requests: the server puts six headers on each message that it sends directly,
	// which costs three times as much as sending it through a consumer, but a consumer
	// has to be created.
	consumeFrom = 500
	// pullMost and pullBytes are the most messages of one request to a consumer.
	pullMost  = 4096
	pullBytes = 8 << 20
	// abandoned is the time after which the server deletes a consumer without a reader.
	abandoned = 30 * time.Second
)

// consumer is a consumer of the messages of one log, in the words of the server. It is
// in memory and on one node, and remembers nothing: the reader knows what it lacks.
type consumer struct {
	Name      string        `json:"name"`
	Policy    string        `json:"deliver_policy"`
	From      uint64        `json:"opt_start_seq"`
	Ack       string        `json:"ack_policy"`
	Subject   string        `json:"filter_subject"`
	Replay    string        `json:"replay_policy"`
	Replicas  int           `json:"num_replicas"`
	InMemory  bool          `json:"mem_storage"`
	Abandoned time.Duration `json:"inactive_threshold"`
}

// pull is a request for the next messages of a consumer.
type pull struct {
	Batch    int  `json:"batch"`
	MaxBytes int  `json:"max_bytes"`
	NoWait   bool `json:"no_wait"`
}

// consume passes on messages through a consumer, as far as they follow each other.
// Without the permission to create one, or if its node lacks messages, r.seq stays
// where it is, and the other ways are left.
func (r *reader) consume(ctx context.Context) error {
	name := strings.TrimPrefix(nats.NewInbox(), nats.InboxPrefix)
	if !r.create(ctx, name) {
		return ctx.Err()
	}
	defer r.e.nc.Publish("$JS.API.CONSUMER.DELETE."+r.e.o.Stream+"."+name, nil)
	for before := uint64(0); before < r.seq && r.seq <= r.last.seq; {
		before = r.seq
		batch := int(min(r.left(), pullMost))
		err := r.request(ctx, "$JS.API.CONSUMER.MSG.NEXT."+r.e.o.Stream+"."+name, pull{batch, pullBytes, true}, batch, consumed)
		if err != nil {
			return err
		}
	}
	return nil
}

// create creates a consumer of the messages from r.seq on. If the user may not create
// one, it tries once a connection, because a refusal interrupts all requests.
func (r *reader) create(ctx context.Context, name string) bool {
	if r.e.noConsumers.Load() {
		return false
	}
	stream := r.e.o.Stream
	request, err := json.Marshal(map[string]any{"stream_name": stream, "action": "create", "config": consumer{
		Name: name, Policy: "by_start_sequence", From: r.seq, Ack: "none", Subject: r.subject, Replay: "instant", Replicas: 1, InMemory: true, Abandoned: abandoned}})
	if err != nil {
		return false
	}
	var answer failed
	to := "$JS.API.CONSUMER.CREATE." + stream + "." + name + "." + r.subject
	m, err := r.e.ask(ctx, to, request)
	if r.e.refused(to) != nil {
		r.e.noConsumers.Store(true)
	}
	return err == nil && json.Unmarshal(m.Data, &answer) == nil && answer.Error == nil
}

// consumed is the sequence number of a message of a consumer.
func consumed(m *nats.Msg) uint64 {
	meta, err := m.Metadata()
	if err != nil {
		return 0
	}
	return meta.Sequence.Stream
}
