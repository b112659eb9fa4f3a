package view

import (
	"encoding/json"
	"strconv"

	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
)

// Count is how many entries and anchors the view has. It uses the index, and
// reads only lines that have several entries.
func (v *View) Count() (entries, anchors int, err error) {
	for _, s := range v.Segments {
		if s.Last < s.First {
			continue
		}
		upTo, err := s.listed(Anchors, s.Last+1)
		if err != nil {
			return 0, 0, err
		}
		before, err := s.listed(Anchors, s.First)
		if err != nil {
			return 0, 0, err
		}
		entries += int(s.Last - s.First + 1)
		anchors += upTo - before
	}
	counted := map[Spot]bool{} // lines whose anchor was counted above
	for f, err := range v.Backwards(joined, func(*entry.Entry) bool { return true }) {
		if err != nil {
			return 0, 0, err
		}
		if f.Spot.Part > 0 {
			entries++
		}
		if line := (Spot{f.Spot.Segment, entry.Place{Pos: f.Spot.Pos}}); f.Kind == entry.KindAnchor {
			if counted[line] {
				anchors++
			}
			counted[line] = true
		}
	}
	return entries, anchors, nil
}

// CountFrom is how many entries the view has from a position on, as [View.Count].
func (v *View) CountFrom(from Spot) (n int, err error) {
	for _, s := range v.Clip(Range{from, All().To}) {
		n += int(s.Last - s.First + 1)
	}
	line := Spot{from.Segment, entry.Place{Pos: from.Pos}}
	for e, err := range v.Entries(Range{line, Spot{from.Segment, entry.Place{Pos: from.Pos + 1}}}) { // counted as one above
		if err != nil {
			return 0, err
		}
		if e.At.Part == 0 {
			n--
		}
		if e.At.Part >= from.Part {
			n++
		}
	}
	for f, err := range v.Backwards(joined, func(*entry.Entry) bool { return true }) {
		switch {
		case err != nil:
			return 0, err
		case f.Spot.Segment < from.Segment || f.Spot.Segment == from.Segment && f.Spot.Pos <= from.Pos:
			return n, nil
		case f.Spot.Part > 0:
			n++
		}
	}
	return n, nil
}

// Usage is the token usage of the last model call that reported it, and the
// share of its prompt that came from the cache; nil if it is not known.
func (v *View) Usage() (total *int64, cacheHitRate *float64, err error) {
	for f, err := range v.Backwards(Runs, entry.IsEvent(entry.EventRun)) {
		if err != nil {
			return nil, nil, err
		}
		total, ok := f.Tokens()
		if !ok {
			continue
		}
		usage := entry.Object(f.Data(), "usage")
		prompt, ok := number(usage, "prompt_tokens")
		cached, known := number(entry.Object(usage, "prompt_tokens_details"), "cached_tokens")
		if !ok { // since Bub 0.6
			prompt, _ = number(usage, "input_tokens")
			cached, known = number(usage, "cached_tokens")
		}
		if known && prompt > 0 {
			cacheHitRate = new(float64(cached) / float64(prompt))
		}
		return &total, cacheHitRate, nil
	}
	return nil, nil, nil
}

func number(object json.RawMessage, name string) (int64, bool) {
	n, err := strconv.ParseInt(jsontext.Get(object, name), 10, 64)
	return n, err == nil
}
