package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// raw does with the plain library what the store does: an append waits for its
// confirmation and names the message before it, the end is read from the leader, and
// blobs are cut into chunks that are written once and verified.
type raw struct {
	nc           *nats.Conn
	js           jetstream.JetStream
	logs, blobs  jetstream.Stream
	last         uint64 // sequence number of the last message of the log
	subject, cas string

	threads jetstream.Stream
	ends    map[string]uint64            // of the logs of threads: the last sequence number
	have    map[string]map[string]uint64 // the same, of what a folder has
}

const rawChunk = 512 << 10

func openRaw(ctx context.Context, servers []string) (*raw, error) {
	r := &raw{subject: "raw.log", cas: "raw.cas.", ends: map[string]uint64{}, have: map[string]map[string]uint64{}}
	o := nats.GetDefaultOptions()
	o.Servers = servers
	var err error
	if r.nc, err = o.Connect(); err != nil {
		return nil, err
	}
	if r.js, err = jetstream.New(r.nc); err != nil {
		return nil, err
	}
	c := jetstream.StreamConfig{Name: "raw-logs", Subjects: []string{r.subject}, Replicas: 1, Discard: jetstream.DiscardNew, DenyDelete: true}
	if r.nc.ConnectedClusterName() != "" {
		c.Replicas = 3
	}
	if r.logs, err = r.js.CreateStream(ctx, c); err != nil { // without direct reads, so that its leader answers
		return nil, err
	}
	c.Name, c.Subjects = "raw-threads", []string{rawThreads + ">"}
	if r.threads, err = r.js.CreateStream(ctx, c); err != nil {
		return nil, err
	}
	c.Name, c.Subjects, c.AllowDirect = "raw-blobs", []string{r.cas + ">"}, true
	r.blobs, err = r.js.CreateStream(ctx, c)
	return r, err
}

func (r *raw) append(ctx context.Context, _ uint64, record []byte) error {
	ack, err := r.js.Publish(ctx, r.subject, record, jetstream.WithExpectLastSequencePerSubject(r.last))
	if err == nil {
		r.last = ack.Sequence
	}
	return err
}

func (r *raw) tail(ctx context.Context, _ uint64) ([]byte, error) {
	m, err := r.logs.GetLastMsgForSubject(ctx, r.subject)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

func (r *raw) all(ctx context.Context) (n int, err error) {
	return n, r.read(ctx, "raw-logs", r.subject, 1, r.last, func(jetstream.Msg) error { n++; return nil })
}

// read passes on the messages of a subject with an ordered consumer.
func (r *raw) read(ctx context.Context, stream, subject string, from, last uint64, each func(jetstream.Msg) error) error {
	c, err := r.js.OrderedConsumer(ctx, stream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{subject}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: from})
	if err != nil {
		return err
	}
	messages, err := c.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		m, err := messages.Next()
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err == nil {
			err = each(m)
		}
		if err != nil || meta.Sequence.Stream == last {
			return err
		}
	}
}

func (r *raw) put(ctx context.Context, id string, data []byte) error {
	sum := sha256.Sum256(data)
	if hex.EncodeToString(sum[:]) != id {
		return errors.New("wrong id")
	}
	if len(data) <= rawChunk {
		_, err := r.js.Publish(ctx, r.cas+id, data, jetstream.WithExpectLastSequencePerSubject(0))
		return err
	}
	var manifest []byte
	var sent []jetstream.PubAckFuture
	for ; len(data) > 0; data = data[min(len(data), rawChunk):] {
		chunk := data[:min(len(data), rawChunk)]
		sum := sha256.Sum256(chunk)
		manifest = append(manifest, sum[:]...)
		ack, err := r.js.PublishAsync(r.cas+hex.EncodeToString(sum[:]), chunk, jetstream.WithExpectLastSequencePerSubject(0))
		if err != nil {
			return err
		}
		sent = append(sent, ack)
	}
	for _, ack := range sent {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return err
		}
	}
	_, err := r.js.Publish(ctx, r.cas+id, manifest, jetstream.WithExpectLastSequencePerSubject(0))
	return err
}

func (r *raw) get(ctx context.Context, id string, _ int) ([]byte, error) {
	m, err := r.blobs.GetLastMsgForSubject(ctx, r.cas+id)
	if err != nil {
		return nil, err
	}
	data := m.Data
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) == id {
		return data, nil
	}
	chunks, errs := make([][]byte, len(data)/sha256.Size), make([]error, len(data)/sha256.Size)
	var fetching sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i := range chunks {
		limit <- struct{}{}
		fetching.Go(func() {
			defer func() { <-limit }()
			hash := data[i*sha256.Size : (i+1)*sha256.Size]
			m, err := r.blobs.GetLastMsgForSubject(ctx, r.cas+hex.EncodeToString(hash))
			if err != nil {
				errs[i] = err
				return
			}
			if sum := sha256.Sum256(m.Data); !bytes.Equal(sum[:], hash) {
				errs[i] = errors.New("wrong bytes")
			}
			chunks[i] = m.Data
		})
	}
	fetching.Wait()
	all := bytes.Join(chunks, nil)
	if sum := sha256.Sum256(all); hex.EncodeToString(sum[:]) != id {
		errs = append(errs, errors.New("wrong bytes"))
	}
	return all, errors.Join(errs...)
}
