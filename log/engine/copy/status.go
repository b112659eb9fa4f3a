package copy

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"handoff/log/engine"
)

// Log is a log of which the copy differs from the store.
type Log struct {
	Log   string `json:"log"`
	Store uint64 `json:"store"` // records there
	Copy  uint64 `json:"copy"`  // records in the copy
}

// Status is the result of a comparison of a copy in a workspace with its store. It compares
// lengths and the last record that both have, not every record: package replica writes a
// copy in order, and [Copy] compares everything.
type Status struct {
	Logs    int    `json:"logs"`    // in the store
	Records uint64 `json:"records"` // of those logs

	// Behind are logs of which the copy lacks the last records. The next command that
	// reads them fetches those.
	Behind []Log `json:"behind"`
	// Ahead are logs of which the store lacks records that the copy has.
	Ahead []Log `json:"ahead"`
	// Differing are logs with another record in the store than in the copy.
	Differing []Log `json:"differing"`
	// Foreign are logs that cannot be read, because another program has written to them.
	Foreign []string `json:"foreign,omitempty"`

	// Artifacts are in the store. Of those that are missing in the copy, each is
	// fetched when it is read.
	Artifacts        int `json:"artifacts"`
	ArtifactsMissing int `json:"artifacts_missing"`
	// ArtifactsAhead are only in the copy.
	ArtifactsAhead []string `json:"artifacts_ahead"`
}

// Clean reports whether the copy is an earlier state of the store.
func (s Status) Clean() bool {
	return len(s.Ahead)+len(s.Differing)+len(s.ArtifactsAhead)+len(s.Foreign) == 0
}

// Lacks is the number of records that the copy lacks.
func (s Status) Lacks() (n uint64) {
	for _, l := range s.Behind {
		n += l.Store - l.Copy
	}
	return n
}

// Compare compares the logs whose names begin with a prefix, and the blobs if the prefix
// is "" and both have them.
func Compare(ctx context.Context, store, local engine.Engine, prefix string) (Status, error) {
	s := Status{Behind: []Log{}, Ahead: []Log{}, Differing: []Log{}, ArtifactsAhead: []string{}}
	// The copy first: if the store grows meanwhile, the copy counts as behind, and
	// never as ahead.
	here, _, err := lengths(ctx, local, prefix)
	if err != nil {
		return s, err
	}
	there, foreign, err := lengths(ctx, store, prefix)
	if err != nil {
		return s, err
	}
	for _, f := range foreign {
		s.Foreign = append(s.Foreign, f.Error())
		delete(here, f.Log) // it cannot be compared
	}
	var common []Log
	for log, n := range there {
		s.Logs++
		s.Records += n
		l := Log{log, n, here[log]}
		if l.Copy > 0 {
			common = append(common, l)
		}
		if l.Copy < n {
			s.Behind = append(s.Behind, l)
		}
	}
	for log, n := range here {
		if n > there[log] {
			s.Ahead = append(s.Ahead, Log{log, there[log], n})
		}
	}
	if s.Differing, err = differing(ctx, store, local, common); err != nil {
		return s, err
	}
	for _, list := range [][]Log{s.Behind, s.Ahead, s.Differing} {
		slices.SortFunc(list, func(a, b Log) int { return strings.Compare(a.Log, b.Log) })
	}
	if prefix == "" {
		err = s.compareBlobs(ctx, store, local)
	}
	return s, err
}

func lengths(ctx context.Context, e engine.Engine, prefix string) (all map[string]uint64, foreign []*engine.ForeignError, err error) {
	all = map[string]uint64{}
	for info, err := range e.List(ctx, prefix) {
		if f := engine.Foreign(err); f != nil {
			foreign = append(foreign, f)
			continue
		}
		if err != nil {
			return nil, nil, engine.About(e.Name(), err)
		}
		if info.Log != engine.IdentityLog {
			all[info.Log] = info.Len
		}
	}
	return all, foreign, nil
}

// requests is how many logs are compared at once.
const requests = 8

// differing returns the logs whose last common record differs.
func differing(ctx context.Context, store, local engine.Engine, common []Log) (differ []Log, err error) {
	differ = []Log{}
	var mu sync.Mutex
	var group sync.WaitGroup
	turns := make(chan struct{}, requests)
	for _, l := range common {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			same, compareErr := sameAt(ctx, store, local, l.Log, min(l.Store, l.Copy)-1)
			mu.Lock()
			defer mu.Unlock()
			if compareErr != nil && err == nil {
				err = compareErr
			} else if compareErr == nil && !same {
				differ = append(differ, l)
			}
		})
	}
	group.Wait()
	return differ, err
}

func sameAt(ctx context.Context, a, b engine.Engine, log string, number uint64) (bool, error) {
	x, err := recordAt(ctx, a, log, number)
	if err != nil {
		return false, err
	}
	y, err := recordAt(ctx, b, log, number)
	return bytes.Equal(x, y), err
}

func recordAt(ctx context.Context, e engine.Engine, log string, number uint64) ([]byte, error) {
	for record, err := range e.Read(ctx, log, number) {
		if err != nil {
			return nil, engine.About(e.Name(), err)
		}
		return record.Data, nil
	}
	return nil, nil // the log was cut off since it was listed
}

func (s *Status) compareBlobs(ctx context.Context, store, local engine.Engine) error {
	there, err := idsIn(ctx, store)
	if errors.Is(err, engine.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	here, err := idsIn(ctx, local)
	if err != nil {
		return err
	}
	s.Artifacts = len(there)
	for id := range there {
		if !here[id] {
			s.ArtifactsMissing++
		}
	}
	for id := range here {
		if !there[id] {
			s.ArtifactsAhead = append(s.ArtifactsAhead, id)
		}
	}
	slices.Sort(s.ArtifactsAhead)
	return nil
}

func idsIn(ctx context.Context, e engine.Engine) (map[string]bool, error) {
	all := map[string]bool{}
	for id, err := range e.IDs(ctx) {
		if err != nil {
			return nil, engine.About(e.Name(), err)
		}
		all[id] = true
	}
	return all, nil
}
