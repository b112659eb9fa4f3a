package own

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
)

// log is the text of a file, with a time at which it is read.
type log struct {
	Log string    `json:"log"`
	Now time.Time `json:"now"`
}

// receiptLog is that of a handoff, or of work.
type receiptLog struct {
	log
	Handoff string `json:"handoff"` // its name; "" for handoffPath
	Part    string `json:"part"`    // which of its leases
}

// name is what the receipts call it.
func (in receiptLog) name() string { return cmp.Or(in.Handoff, handoffPath) + in.Part }

// file is the path of its log.
func (in receiptLog) file() string {
	sum := sha256.Sum256([]byte(cmp.Or(in.Handoff, handoffPath)))
	key := hex.EncodeToString(sum[:8])
	if receipt.IsWork(in.Handoff) {
		key = "0000" + key[:12]
	}
	return ".handoff/receipts/" + key + ".jsonl"
}

const (
	threadID    = "11111111-1111-4111-8111-111111111111"
	handoffPath = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"
)

// ids are what an implementation would draw at random, in the order of their use.
func ids(id string) func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("%s%012d", id, n)
	}
}

func (o *Own) threads(in log) (s *thread.Store, root string, err error) {
	files := map[string]string{}
	if in.Log != "" {
		files["threads/"+threadID+".jsonl"] = in.Log
	}
	if root, err = o.place(files); err != nil {
		return nil, "", err
	}
	s, err = thread.Open(root, thread.Options{Workspace: "/w", Now: func() time.Time { return in.Now }, NewID: ids("00000000-0000-4000-8000-")})
	return s, root, err
}

type event struct {
	Seq  uint64 `json:"seq"`
	Type string `json:"type"`
}

// readThread is the events of a thread, and the seq of the last one.
func (o *Own) readThread(in log) (any, error) {
	s, _, err := o.threads(in)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	events := []event{}
	for e, err := range s.Events(threadID, 0) {
		if err != nil {
			return refused, nil
		}
		events = append(events, event{e.Seq, e.Payload.Type()})
	}
	return struct {
		Events []event `json:"events"`
	}{events}, nil
}

// postThread is a thread's file after a message was posted.
func (o *Own) postThread(in struct {
	log
	Actor   string `json:"actor"`
	Origin  string `json:"origin"`
	Content string `json:"content"`
}) (any, error) {
	s, root, err := o.threads(in.log)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	_, err = s.PostMessage(context.Background(), threadID, thread.MessageRequest{ActorID: in.Actor, Origin: in.Origin, Content: in.Content})
	if err != nil {
		return refused, nil
	}
	return after(root, "threads/"+threadID+".jsonl")
}

// after is the content of a file once it was written to.
func after(root, path string) (any, error) {
	text, err := content(root, path)
	return struct {
		Log string `json:"log"`
	}{text}, err
}

func (o *Own) tape(in log) (t *tape.Tape, s *tape.Store, root string, err error) {
	files := map[string]string{}
	if in.Log != "" {
		files["tape/main.jsonl"] = in.Log
	}
	if root, err = o.place(files); err != nil {
		return nil, nil, "", err
	}
	if s, err = tape.Open(root, tape.Options{Workspace: "w", Now: func() time.Time { return in.Now }, NewID: ids("fork")}); err != nil {
		return nil, nil, "", err
	}
	t, err = s.Tape(tape.Main)
	return t, s, root, err
}

type anchor struct {
	ID    int64           `json:"id"`
	Name  string          `json:"name"`
	State json.RawMessage `json:"state"`
}

// readTape is a tape's entries, anchors, the entries since the last anchor, and the
// lines that cannot be read.
func (o *Own) readTape(in log) (any, error) {
	t, s, _, err := o.tape(in)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	out := struct {
		Entries    []int64  `json:"entries"`
		Anchors    []anchor `json:"anchors"`
		Since      []int64  `json:"since_last_anchor"`
		Unreadable []int64  `json:"unreadable"`
	}{Entries: []int64{}, Anchors: []anchor{}, Since: []int64{}, Unreadable: []int64{}}
	all, err := t.All(tape.Query{})
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		out.Entries = append(out.Entries, e.ID)
	}
	anchors, err := t.Anchors(0)
	if err != nil {
		return nil, err
	}
	for _, a := range anchors {
		out.Anchors = append(out.Anchors, anchor{a.ID, a.Name, a.State})
	}
	recovered, err := t.Recover()
	if err != nil {
		return nil, err
	}
	for _, e := range recovered.Entries {
		out.Since = append(out.Since, e.ID)
	}
	out.Unreadable = append(out.Unreadable, recovered.Passed...)
	return out, nil
}

// appendTape is a tape's file after an anchor was appended.
func (o *Own) appendTape(in struct {
	log
	Anchor string          `json:"anchor"`
	State  json.RawMessage `json:"state"`
}) (any, error) {
	t, s, root, err := o.tape(in.log)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	_, err = t.Handoff(context.Background(), in.Anchor, in.State, nil)
	if errors.Is(err, handoff.ErrInvalid) {
		return refused, nil
	}
	if err != nil {
		return nil, err
	}
	return after(root, "tape/main.jsonl")
}

func (o *Own) receipts(in receiptLog) (s *receipt.Store, root string, err error) {
	files := map[string]string{}
	if in.Log != "" {
		files[in.file()] = in.Log
	}
	if root, err = o.place(files); err != nil {
		return nil, "", err
	}
	place, err := receipt.Locate(root)
	s = receipt.Open(place)
	s.Unchecked = true
	return s, root, err
}

type holder struct {
	By    string    `json:"by"`
	Token uint64    `json:"token"`
	Until time.Time `json:"until"`
}

// readReceipts is the state of a handoff, and its latest claim.
func (o *Own) readReceipts(in receiptLog) (any, error) {
	s, _, err := o.receipts(in)
	if err != nil {
		return nil, err
	}
	life, err := s.Life(in.name())
	if err != nil {
		return refused, nil
	}
	out := struct {
		State  receipt.State `json:"state"`
		Claim  *holder       `json:"claim"`
		Acked  bool          `json:"acknowledged"`
		Number int           `json:"steps"`
	}{State: life.State(in.Now), Acked: life.Acknowledged != nil, Number: len(life.Steps)}
	if c := life.Claim; c.Token > 0 {
		out.Claim = &holder{c.By, c.Token, c.Until}
	}
	return out, nil
}

// claim is a handoff's file after a claim, or why that was refused.
func (o *Own) claim(in struct {
	receiptLog
	By      string `json:"by"`
	Seconds int    `json:"ttl_seconds"`
	Force   bool   `json:"force"`
	Why     string `json:"why"`
	Random  string `json:"random"`
}) (any, error) {
	s, root, err := o.receipts(in.receiptLog)
	if err != nil {
		return nil, err
	}
	moment := receipt.Moment{Now: in.Now}
	_, err = s.Record(context.Background(), in.name(), moment.Claim(receipt.ClaimRequest{By: in.By, TTL: time.Duration(in.Seconds) * time.Second,
		ID: func() string { return in.Random }, Force: in.Force, Why: in.Why}))
	var held *receipt.HeldError
	var finished *receipt.FinishedError
	switch {
	case errors.As(err, &held):
		return struct {
			Refused string `json:"refused"`
			Holder  holder `json:"holder"`
		}{"held", holder{held.Holder.By, held.Holder.Token, held.Holder.Until}}, nil
	case errors.As(err, &finished):
		return struct {
			Refused string `json:"refused"`
		}{"finished"}, nil
	case err != nil:
		return refused, nil
	}
	return after(root, in.file())
}
