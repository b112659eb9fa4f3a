package documents

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
)

// ParseSince parses the earliest time to include: an age (90m, 12h, 7d), a date, an RFC
// 3339 time or the time of a file name. "" is the zero time.
func ParseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, handoff.Stamp} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return time.Time{}, fmt.Errorf("%q: %w: want an age (90m, 12h, 7d) or a date (2026-02-12)", text, handoff.ErrInvalid)
	}
	return now.Add(-d), nil
}
