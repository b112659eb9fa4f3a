package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/log/engine"
)

// config is what a stream needs to be a store, in the words of the server.
type config struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Subjects    []string      `json:"subjects"`
	Retention   string        `json:"retention"`
	MaxMsgs     int64         `json:"max_msgs"`
	MaxBytes    int64         `json:"max_bytes"`
	MaxAge      time.Duration `json:"max_age"`
	MaxPerLog   int64         `json:"max_msgs_per_subject"`
	Discard     string        `json:"discard"`
	Storage     string        `json:"storage"`
	Replicas    int           `json:"num_replicas"`
	NoAck       bool          `json:"no_ack"`
	AllowDirect bool          `json:"allow_direct"`
	AllowAtomic bool          `json:"allow_atomic"`
	DenyDelete  bool          `json:"deny_delete"`
	DenyPurge   bool          `json:"deny_purge"`
	PersistMode string        `json:"persist_mode,omitempty"`
}

// streamInfo is the answer to STREAM.INFO and STREAM.CREATE.
type streamInfo struct {
	failed
	Config config `json:"config"`
	State  struct {
		Messages uint64            `json:"messages"`
		Bytes    uint64            `json:"bytes"`
		LastSeq  uint64            `json:"last_seq"`
		Subjects map[string]uint64 `json:"subjects"`
	} `json:"state"`
	Cluster *struct {
		Name     string `json:"name"`
		Leader   string `json:"leader"`
		Replicas []struct {
			Name    string `json:"name"`
			Current bool   `json:"current"`
			Offline bool   `json:"offline"`
		} `json:"replicas"`
	} `json:"cluster"`
	Total int `json:"total"`
}

// minVersion is the first version of the server with atomic batches.
const minVersion = "2.12"

// prepare checks the stream, and creates it if the options allow that.
func (e *Engine) prepare(ctx context.Context) error {
	if old(e.nc.ConnectedServerVersion()) {
		return fmt.Errorf("the NATS server has version %s: at least %s is needed", e.nc.ConnectedServerVersion(), minVersion)
	}
	info, err := e.info(ctx, "", 0)
	if errors.Is(err, ErrNoStream) && e.o.Create {
		info, err = e.create(ctx)
	}
	switch {
	case code(err) == codeNoStream:
		return fmt.Errorf("%w: `handoff store copy files %s` creates it", ErrNoStream, e.Name())
	case err != nil:
		return err
	}
	return info.Config.unfit(e.prefix + ">")
}

func old(version string) bool {
	var have, want [2]int
	for i, part := range strings.SplitN(version, ".", 3)[:min(2, 1+strings.Count(version, "."))] {
		have[i], _ = strconv.Atoi(part)
	}
	want = [2]int{2, 12}
	return slices.Compare(have[:], want[:]) < 0
}

// create creates the stream. A cluster refuses that, or does not answer, while it does not
// reach enough of its nodes, as after a start, so it is tried again for a while.
func (e *Engine) create(ctx context.Context) (*streamInfo, error) {
	c := config{Name: e.o.Stream, Description: "handoff store", Subjects: []string{e.prefix + ">"}, Retention: "limits", Storage: "file", Discard: "new",
		MaxMsgs: -1, MaxBytes: -1, MaxPerLog: -1, Replicas: e.o.Replicas, AllowDirect: true, AllowAtomic: true, DenyDelete: true, DenyPurge: true}
	if c.Replicas == 0 {
		c.Replicas = 1
		if e.nc.ConnectedClusterName() != "" {
			c.Replicas = 3
		}
	}
	for until := time.Now().Add(engine.Budget); ; {
		var info streamInfo
		err := e.api(ctx, "STREAM.CREATE", c, &info)
		if !errors.Is(err, engine.ErrUnavailable) || time.Now().After(until) {
			return &info, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// unfit reports a setting with which the stream would lose records, or cannot write
// them at once.
func (c config) unfit(subjects string) error {
	for _, set := range []struct {
		wrong bool
		what  string
	}{
		{!slices.Contains(c.Subjects, subjects), "its subjects do not include " + subjects},
		{c.Retention != "limits", "its retention is " + c.Retention + ", not limits"},
		{c.MaxAge > 0, "max_age: it deletes records after " + c.MaxAge.String()},
		{c.MaxPerLog > 0, "max_msgs_per_subject: it deletes old records"},
		{(c.MaxMsgs > 0 || c.MaxBytes > 0) && c.Discard != "new", "max_msgs or max_bytes, with discard: old: it deletes old records"},
		{c.Storage != "file", "its storage is " + c.Storage + ", not file"},
		{c.NoAck, "no_ack: the server does not confirm records"},
		{!c.AllowAtomic, "allow_atomic is off: set it with `nats stream edit`"},
		{c.PersistMode == "async", "persist_mode is async: it confirms records before they are written"},
	} {
		if set.wrong {
			return fmt.Errorf("the stream %s cannot be a store: %s", c.Name, set.what)
		}
	}
	return nil
}

// info asks for the state of the stream, with the subjects that match a filter, unless
// it is empty, from an offset on.
func (e *Engine) info(ctx context.Context, filter string, offset int) (*streamInfo, error) {
	request := struct {
		Filter string `json:"subjects_filter,omitempty"`
		Offset int    `json:"offset,omitempty"`
	}{filter, offset}
	var info streamInfo
	return &info, e.api(ctx, "STREAM.INFO", request, &info)
}

// subjects returns all subjects that match a filter, in order.
func (e *Engine) subjects(ctx context.Context, filter string) (all []string, err error) {
	for {
		info, err := e.info(ctx, filter, len(all))
		if err != nil {
			return nil, err
		}
		n := len(all)
		for subject := range info.State.Subjects {
			all = append(all, subject)
		}
		if len(all) == n || len(all) >= info.Total {
			slices.Sort(all)
			return slices.Compact(all), nil
		}
	}
}

// Status is the state of a store.
type Status struct {
	Server   string // the address of the server that answers
	Version  string // of that server
	Cluster  string // name of the cluster, "" for a single server
	Leader   string // name of the node that leads the stream
	Replicas int    // copies of the stream
	Current  int    // copies that have all records, the leader's included
	Messages uint64
	Bytes    uint64
	// MaxPayload is the most bytes of a message. Longer records are split.
	MaxPayload int64
	TLS        bool
}

// Status asks the servers. Whether they fsync each record is not visible to clients.
func (e *Engine) Status(ctx context.Context) (Status, error) {
	info, err := e.info(ctx, "", 0)
	if err != nil {
		return Status{}, fmt.Errorf("%s: %w", e.Name(), err)
	}
	s := Status{Server: e.nc.ConnectedAddr(), Version: e.nc.ConnectedServerVersion(), Replicas: info.Config.Replicas, Current: 1,
		Messages: info.State.Messages, Bytes: info.State.Bytes, MaxPayload: e.nc.MaxPayload(), TLS: e.nc.TLSRequired()}
	if c := info.Cluster; c != nil {
		s.Cluster, s.Leader = c.Name, c.Leader
		for _, r := range c.Replicas {
			if r.Current && !r.Offline {
				s.Current++
			}
		}
	}
	return s, nil
}
