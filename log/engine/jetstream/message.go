package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// A message on the subject of a log has one append to it: its records with newlines
// between them. An append that is longer than a message may be is split into parts,
// which are written as an atomic batch.
const (
	// headerRecords is FIRST-END: the number of the first record of the append, and the
	// number of records that the log has after it.
	headerRecords = "Handoff-Records"
	// headerPart is N/OF: the number of this part, from 1 on, and how many there are. A
	// message without it has all records.
	headerPart = "Handoff-Part"

	headerExpected = "Nats-Expected-Last-Subject-Sequence"
	headerSequence = "Nats-Sequence"
	headerStatus   = "Status"
)

// message is a stored message of a log.
type message struct {
	seq        uint64
	first, end uint64 // of the whole append
	part, of   int
	data       []byte
}

// errForeign: a message is not one of ours.
var errForeign = errors.New("was not written by handoff")

// parse reads the headers of a message.
func parse(seq uint64, h nats.Header, data []byte) (message, error) {
	m := message{seq: seq, part: 1, of: 1, data: data}
	first, end, _ := strings.Cut(h.Get(headerRecords), "-")
	var err [4]error
	m.first, err[0] = strconv.ParseUint(first, 10, 64)
	m.end, err[1] = strconv.ParseUint(end, 10, 64)
	if part, of, ok := strings.Cut(h.Get(headerPart), "/"); ok {
		m.part, err[2] = strconv.Atoi(part)
		m.of, err[3] = strconv.Atoi(of)
	}
	for _, err := range err {
		if err != nil || m.end <= m.first || m.part < 1 || m.part > m.of {
			return m, fmt.Errorf("message %d of the stream %w: its header %s is %.60q", seq, errForeign, headerRecords, h.Get(headerRecords))
		}
	}
	return m, nil
}

// stored is the answer to STREAM.MSG.GET.
type stored struct {
	failed
	Message struct {
		Subject string `json:"subject"`
		Seq     uint64 `json:"seq"`
		Headers []byte `json:"hdrs"`
		Data    []byte `json:"data"`
		Time    string `json:"time"`
	} `json:"message"`
}

// get is a request for the last message of a subject, for the first one from a sequence
// number on, or for the last messages of several subjects up to one.
type get struct {
	Last     string `json:"last_by_subj,omitempty"`
	Next     string `json:"next_by_subj,omitempty"`
	Seq      uint64 `json:"seq,omitempty"`
	Batch    int    `json:"batch,omitempty"`
	MaxBytes int    `json:"max_bytes,omitempty"`

	Lasts []string `json:"multi_last,omitempty"`
	UpTo  uint64   `json:"up_to_seq,omitempty"`
}

// fromLeader asks the leader of the stream for a message. ok: there is one.
func (e *Engine) fromLeader(ctx context.Context, request get) (seq uint64, h nats.Header, data []byte, ok bool, err error) {
	var s stored
	err = e.api(ctx, "STREAM.MSG.GET", request, &s)
	if code(err) == codeNoMessage {
		return 0, nil, nil, false, nil
	}
	if err == nil && len(s.Message.Headers) > 0 {
		if h, err = nats.DecodeHeadersMsg(s.Message.Headers); err != nil {
			err = fmt.Errorf("message %d of the stream %w: %w", s.Message.Seq, errForeign, err)
		}
	}
	return s.Message.Seq, h, s.Message.Data, err == nil, err
}

// logMessage is fromLeader for a message of a log.
func (e *Engine) logMessage(ctx context.Context, request get) (m message, ok bool, err error) {
	seq, h, data, ok, err := e.fromLeader(ctx, request)
	if ok {
		m, err = parse(seq, h, data)
	}
	return m, ok && err == nil, err
}

// tail returns the last message of a log, if there is one, and remembers where the
// log ends.
func (e *Engine) tail(ctx context.Context, log string) (m message, ok bool, err error) {
	m, ok, err = e.logMessage(ctx, get{Last: e.logSubject(log)})
	if err == nil {
		e.ends.set(log, end{m.end, m.seq})
	}
	return m, ok, err
}

// assembler makes records of the messages of a log.
type assembler struct {
	begun bool
	next  message // first: the number of the next record; part: of the next message
	text  []byte
}

// add returns the records of an append when its last part is added. fits is false if
// the message does not follow the one before.
func (a *assembler) add(m message) (records [][]byte, fits bool) {
	if !a.begun {
		a.begun, a.next = true, message{first: m.first, part: 1}
	}
	if m.first != a.next.first || m.part != a.next.part || m.part > 1 && (m.end != a.next.end || m.of != a.next.of) {
		return nil, false
	}
	if m.part < m.of {
		a.text = append(a.text, m.data...)
		a.next.part, a.next.end, a.next.of = m.part+1, m.end, m.of
		return nil, true
	}
	text := m.data
	if m.of > 1 {
		text = append(a.text, m.data...)
	}
	records = bytes.Split(text, []byte{'\n'})
	a.next, a.text = message{first: m.end, part: 1}, nil
	return records, uint64(len(records)) == m.end-m.first
}
