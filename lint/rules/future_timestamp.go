package rules

import (
	"fmt"
	"time"

	"handoff"
	"handoff/lint"
)

// FutureTimestamp flags a document dated later than now.
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
		m := momentOf(p.Name)
		if ahead := m.ahead(p.Now); ahead > 0 {
			p.File("time in the file name is %s, %s ahead%s: "+clockHint, nameTime(p.Name), inWords(ahead), m.where())
		}
		return
	}
	if m, ok := findMoment(p.Doc.Title.Text); ok {
		if ahead := m.ahead(p.Now); ahead > 0 {
			p.At(p.Doc.Title.Lines, "time in the title is %s, %s ahead%s: "+clockHint, m.text, inWords(ahead), m.where())
		}
	}
}

const clockHint = "use date -u +%%Y%%m%%dT%%H%%M%%SZ"

// ahead is how far after now the moment is; 0 if it is not, or if clocks can
// differ by that. A time without a zone, or a date, is in the future only if it
// is in every zone.
func (m moment) ahead(now time.Time) time.Duration {
	const slack, east = 2 * time.Minute, 14 * time.Hour
	if m.unit == day {
		today := now.UTC().Add(east).Truncate(day)
		return max(m.time.Sub(today), 0)
	}
	if ahead := (handoff.Moment{Time: m.time, Unit: m.unit, Zoned: m.zoned}).Earliest().Sub(now); ahead > slack {
		return ahead
	}
	return 0
}

// where says in which zone a time without one was measured.
func (m moment) where() string {
	if m.zoned || m.unit == day {
		return ""
	}
	return " in every time zone"
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
