// Command enginebench measures the stores of handoff. For JetStream it does the same
// work with the plain client library of NATS, in turns with ours:
//
//	enginebench ready URL[,URL…]
//	enginebench jetstream [-n TIMES] URL[,URL…]
//	enginebench files [-n TIMES] FOLDER
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/log/engine"
	"handoff/log/engine/files"
	"handoff/log/engine/jetstream"
	"handoff/measure/bench/internal/bench"
)

func main() { bench.Main("enginebench", run) }

func run(args []string) error {
	var n int
	what, place, err := bench.Args(args, "jetstream or files?", func(f *flag.FlagSet) { f.IntVar(&n, "n", 1000, "appends; other rows have fewer") })
	if err != nil {
		return err
	}
	ctx := context.Background()
	servers := strings.Split(place, ",")
	switch what {
	case "ready": // whether the servers can store anything yet
		e, err := jetstream.Open(ctx, jetstream.Options{Servers: servers, Stream: "bench-ours", Create: true})
		if err == nil {
			e.Close()
		}
		return err
	case "jetstream":
		e, err := jetstream.Open(ctx, jetstream.Options{Servers: servers, Stream: "bench-ours", Create: true})
		if err != nil {
			return err
		}
		defer e.Close()
		raw, err := openRaw(ctx, servers)
		if err != nil {
			return err
		}
		defer raw.nc.Close()
		threads, err := jetstream.Open(ctx, jetstream.Options{Servers: servers, Stream: "bench-threads", Create: true})
		if err != nil {
			return err
		}
		defer threads.Close()
		for ours, theirs := range map[string]string{"bench-ours": "raw-logs", "bench-threads": "raw-threads"} {
			if err := raw.lead(ctx, ours, theirs); err != nil {
				return err
			}
		}
		return measure(ctx, n, contender{"nats.go", raw}, contender{"handoff", ours{e, threads}})
	case "files":
		state := filepath.Join(place, ".handoff")
		if err := os.MkdirAll(state, 0o700); err != nil {
			return err
		}
		e, err := files.Open(files.Options{Root: nofollow.Root(place), State: state})
		if err != nil {
			return err
		}
		defer e.Close()
		return measure(ctx, n, contender{"handoff", ours{e, nil}})
	}
	return fmt.Errorf("unknown benchmark %q: jetstream or files?", what)
}

// client is a contender of the comparison.
type client interface {
	// append adds a record to the log, which has length records.
	append(ctx context.Context, length uint64, record []byte) error
	// tail returns the last record, knowing how many there were before it.
	tail(ctx context.Context, length uint64) ([]byte, error)
	// all returns the number of records that it read.
	all(ctx context.Context) (int, error)
	put(ctx context.Context, id string, data []byte) error
	get(ctx context.Context, id string, size int) ([]byte, error)
}

// ours is a store, and on JetStream another one with a thread.
type ours struct {
	engine.Engine
	threads engine.Engine
}

const log = "tape/bench.jsonl"

func (o ours) append(ctx context.Context, length uint64, record []byte) error {
	return o.Append(ctx, engine.Batch{Log: log, Expected: length, Records: [][]byte{record}})
}

func (o ours) tail(ctx context.Context, length uint64) (last []byte, err error) {
	for record, err := range o.Read(ctx, log, length-1) {
		if err != nil {
			return nil, err
		}
		last = record.Data
	}
	return last, nil
}

func (o ours) all(ctx context.Context) (n int, err error) {
	for _, err := range o.Read(ctx, log, 0) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

func (o ours) put(ctx context.Context, id string, data []byte) error {
	_, err := o.Put(ctx, id, int64(len(data)), bytes.NewReader(data))
	return err
}

func (o ours) get(ctx context.Context, id string, size int) ([]byte, error) {
	b, err := o.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	all := bytes.NewBuffer(make([]byte, 0, size)) // like a caller that knows the size
	_, err = io.Copy(all, b)
	return all.Bytes(), err
}

type contender struct {
	name string
	client
}

// event is a record of a kilobyte.
func event(n uint64) []byte {
	return fmt.Appendf(nil, `{"seq":%d,"kind":"message","text":%q}`, n, strings.Repeat("Apply the lemma. ", 56))
}

// blob is different each time, so that it is not stored yet.
func blob(n, size int) (id string, data []byte) {
	data = make([]byte, size)
	rand.New(rand.NewSource(int64(n))).Read(data)
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), data
}

// check compares the records that were read with those that were written.
func check(got, want []byte, err error) error {
	if err == nil && !bytes.Equal(got, want) {
		err = fmt.Errorf("read %d other bytes than the %d that were written", len(got), len(want))
	}
	return err
}

// clock measures one operation.
func clock(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}
