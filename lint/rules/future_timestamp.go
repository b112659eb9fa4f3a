package rules

import (
	"fmt"
	"time"

	"handoff/document/handoff"
	"handoff/lint"
)

// futureTimestamp flags a document dated later than now.
func futureTimestamp(p *lint.Pass) {
	if p.Now.IsZero() {
		return
	}
	if m, ok := p.Name.Moment(); ok && p.Path != "" {
		if ahead := aheadOf(p.Now, m); ahead > 0 {
			p.File("time in the file name is %s, %s ahead%s: "+clockHint, nameTime(p.Name), inWords(ahead), where(m))
		}
		return
	}
	if m, found := handoff.FindMoment(p.Doc.Title.Text); found != "" {
		if ahead := aheadOf(p.Now, m); ahead > 0 {
			p.At(p.Doc.Title.Lines, "time in the title is %s, %s ahead%s: "+clockHint, found, inWords(ahead), where(m))
		}
	}
}

const clockHint = "use date -u +%%Y%%m%%dT%%H%%M%%SZ"

// aheadOf is how far after now the moment is; 0 if it is not, or if clocks can
// differ by that. A time without a zone, or a date, is in the future only if it
// is in every zone.
func aheadOf(now time.Time, m handoff.Moment) time.Duration {
	const slack, east = 2 * time.Minute, 14 * time.Hour
	if m.Unit == handoff.Day {
		today := now.UTC().Add(east).Truncate(handoff.Day)
		return max(m.Time.Sub(today), 0)
	}
	if ahead := m.Earliest().Sub(now); ahead > slack {
		return ahead
	}
	return 0
}

// where says in which zone a time without one was measured.
func where(m handoff.Moment) string {
	if m.Zoned || m.Unit == handoff.Day {
		return ""
	}
	return " in every time zone"
}

func inWords(d time.Duration) string {
	switch {
	case d >= 2*handoff.Day:
		return fmt.Sprintf("%d days", d/handoff.Day)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}
