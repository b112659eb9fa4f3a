package threadops

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"handoff/internal/text/say"
	"handoff/log/thread"
	"handoff/log/thread/frame"
)

// Usage are the tokens that a run has reported, by their names, such as input_tokens: the sums of all reports.
type Usage map[string]uint64

// maxCounts is how many names of tokens are counted: they come from outside.
const maxCounts = 8

// reported is a source that has what the commands of runs have reported of their providers.
type reported interface {
	ProviderEvents(ctx context.Context, run string) iter.Seq2[thread.Event, error]
}

// usageOf sums the reports of a run, as far as they can be read; nil without any.
func usageOf(ctx context.Context, t reported, run string) (sum Usage) {
	for e, err := range t.ProviderEvents(ctx, run) {
		if err != nil {
			return sum
		}
		p, ok := e.Payload.(*frame.Other)
		if !ok || text(p, "event_name") != "usage" {
			continue
		}
		var counts map[string]json.RawMessage
		if json.Unmarshal(p.Field("data"), &counts) != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			var n uint64
			if _, known := sum[name]; !isCount(name) || json.Unmarshal(counts[name], &n) != nil || !known && len(sum) == maxCounts {
				continue
			}
			if sum == nil {
				sum = Usage{}
			}
			sum[name] += n
		}
	}
	return sum
}

func text(p *frame.Other, name string) (s string) {
	_ = json.Unmarshal(p.Field(name), &s) // "" for anything else
	return s
}

func isCount(name string) bool {
	return strings.HasSuffix(name, "_tokens") && len(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
}

// String is the usage for people: "1,200 input, 80 output tokens"; "" for none.
func (u Usage) String() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(u)) {
		all = append(all, say.Number(int(u[name]))+" "+strings.ReplaceAll(strings.TrimSuffix(name, "_tokens"), "_", " "))
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, ", ") + " tokens"
}

// Ended is how a run ended, for people: "" if it completed or runs.
func (s *Said) Ended() string {
	if s.Partial {
		return s.Reason + ", the answer may be a part"
	}
	if s.Reason == completed {
		return ""
	}
	return s.Reason
}

const completed = "completed"
