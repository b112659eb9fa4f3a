package rules

import (
	"fmt"
	"time"

	"handoff/lint"
)

// FutureTimestamp flags a document that says it was written later than now.
var FutureTimestamp = lint.Rule{
	Name:     "future-timestamp",
	Severity: lint.Error,
	Check:    futureTimestamp,
}

func futureTimestamp(p *lint.Pass) {
	if p.Now.IsZero() {
		return
	}
	if p.Path != "" && !p.Name.Time.IsZero() {
		if ahead := momentOf(p.Name).ahead(p.Now); ahead > 0 {
			p.File("file name says %s, %s later than now: "+clockHint, nameTime(p.Name), inWords(ahead))
		}
		return
	}
	if m, ok := findMoment(p.Doc.Title.Text); ok {
		if ahead := m.ahead(p.Now); ahead > 0 {
			p.At(p.Doc.Title.Lines, "title says %s, %s later than now: "+clockHint, m.text, inWords(ahead))
		}
	}
}

const clockHint = "take the time from date -u +%%Y%%m%%dT%%H%%M%%SZ"

// ahead is how far after now the moment lies; 0 when it does not, or by no more than clocks differ. A date is today's if it is
// anywhere on earth.
func (m moment) ahead(now time.Time) time.Duration {
	const slack, east = 2 * time.Minute, 14 * time.Hour
	if m.unit == day {
		today := now.UTC().Add(east).Truncate(day)
		return max(m.time.Sub(today), 0)
	}
	if ahead := m.time.Sub(now); ahead > slack {
		return ahead
	}
	return 0
}

func inWords(d time.Duration) string {
	switch {
	case d >= 2*day:
		return fmt.Sprintf("%d days", d/day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}
