package ending

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // hosts name time zones, and small containers have no list of them
)

// The limits of what is believed of a time: an allowance comes back within a month, and what is a little
// past is now, by another clock.
const (
	furthest = 40 * 24 * time.Hour
	skew     = 2 * time.Minute
)

// believed is a time that can be one at which a limit resets; zero if it cannot.
func believed(t, now time.Time) time.Time {
	if t.After(now.Add(furthest)) || t.Before(now.Add(-furthest)) {
		return time.Time{}
	}
	return t
}

// Reset is when a message says that the agent works again; zero if it does not say. Numbers of the
// provider come before words, and a date or a duration before a time of day, which is the next one.
func Reset(text string, now time.Time, zone *time.Location) time.Time {
	text = strings.NewReplacer("’", "'", "\u00a0", " ", "\u202f", " ").Replace(text)
	if zone == nil {
		zone = time.Local
	}
	for _, read := range []func(string, time.Time, *time.Location) time.Time{numbers, inWords} {
		if t := believed(read(text, now, zone), now); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// quoted is what may stand between a name and its value in JSON, in JSON within JSON, and in headers.
const quoted = `[\\"']*\s*[:=|]\s*[\\"']*`

var (
	epoch    = lazy(`(?i)(?:reset(?:s|_|-)*at|resets_at|reset_time|resettime|x-ratelimit-reset|limit reached)` + quoted + `(\d{10}|\d{13})\b`)
	stamp    = lazy(`(?i)(?:reset(?:s|_|-)*at|reset_?time(?:stamp)?|quotaresettimestamp|retry-after)` + quoted + `(\d{4}-\d\d-\d\d[t ][\d:.]+(?:z|[+-]\d\d:?\d\d)?)`)
	httpDate = lazy(`(?i)retry-after` + quoted + `((?:mon|tue|wed|thu|fri|sat|sun), \d\d \w{3} \d{4} [\d:]+ gmt)`)
	seconds  = lazy(`(?i)(?:retry[-_]?after(?:[-_](ms))?|resets?_in(?:_seconds)?|reset[-_]after[-_]seconds|retry after)(?:` + quoted + `|\s+)(\d+(?:\.\d+)?)\s*(ms|m|h)?(?:s|sec|seconds?)?(?:[^\w.:]|$)`)
	delay    = lazy(`(?i)(?:retrydelay|quotaresetdelay)` + quoted + `((?:\d+(?:\.\d+)?(?:ms|h|m|s))+)`)
)

// numbers reads what providers report for programs.
func numbers(text string, now time.Time, zone *time.Location) time.Time {
	if m := epoch().FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseInt(m[1], 10, 64)
		if len(m[1]) > len("1777936568") {
			return time.UnixMilli(n)
		}
		return time.Unix(n, 0)
	}
	if m := stamp().FindStringSubmatch(text); m != nil {
		at := strings.ToUpper(strings.Replace(m[1], " ", "T", 1))
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04"} {
			if t, err := time.ParseInLocation(layout, at, zone); err == nil {
				return t
			}
		}
	}
	if m := httpDate().FindStringSubmatch(text); m != nil {
		if t, err := time.Parse(time.RFC1123, titled(m[1])); err == nil {
			return t
		}
	}
	if m := delay().FindStringSubmatch(text); m != nil {
		if d, err := time.ParseDuration(strings.ToLower(m[1])); err == nil {
			return now.Add(d)
		}
	}
	if m := seconds().FindStringSubmatch(text); m != nil {
		n, _ := strconv.ParseFloat(m[2], 64)
		unit := map[string]time.Duration{"ms": time.Millisecond, "": time.Second, "m": time.Minute, "h": time.Hour}[strings.ToLower(m[1]+m[3])]
		if n*float64(unit) <= float64(furthest) {
			return now.Add(time.Duration(n * float64(unit)))
		}
	}
	return time.Time{}
}

// titled is an HTTP date as package time wants it.
func titled(s string) string {
	words := strings.Fields(strings.ToLower(s))
	for i, w := range words {
		words[i] = strings.ToUpper(w[:1]) + w[1:]
	}
	return strings.Replace(strings.Join(words, " "), "Gmt", "GMT", 1)
}

// lead are the words before a time, and what may follow them.
var lead = lazy(`(?i)(?:\bresets?\b|\bresetting\b|\breset on\b|\brenews?\b|\btry(?:ing)? again\b|\bretry(?:ing)?\b|\bavailable(?: again)?\b|\bwait(?:ing)?\b|\bback\b|\bresume[sd]?\b|\bregain access\b|\buntil\b|\bcontinue\b)` +
	`(?: for your limit to reset)?[:,]?\s*((?:at|on|in|after|until|for|by|is|about|around|approximately|~|the)\s+)*`)

// inWords reads what hosts write for people. Of several times in a message the first counts.
func inWords(text string, now time.Time, zone *time.Location) time.Time {
	for _, at := range lead().FindAllStringIndex(text, -1) {
		rest := text[at[1]:]
		if d, ok := duration(rest); ok {
			return now.Add(d)
		}
		if t, ok := moment(rest, now, zone); ok {
			return t
		}
	}
	return time.Time{}
}

var part = lazy(`(?i)^(?:less than |up to |~)?(an?\s|\d+(?:\.\d+)?)\s*(milliseconds?|ms|weeks?|w|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)\b[.]?\s*,?\s*(?:and\s)?\s*`)

// glued splits "4h22m10s".
var glued = lazy(`(?i)(\d)(ms|w|d|h|m|s)(\d)`)

var units = map[string]time.Duration{"ms": time.Millisecond, "mi": time.Minute, "w": 7 * 24 * time.Hour, "d": 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second}

// duration reads "2 hours 13 minutes", "4h22m10s" or "a minute" at the beginning of a text.
func duration(text string) (sum time.Duration, ok bool) {
	end := min(len(text), 80)
	text = glued().ReplaceAllString(glued().ReplaceAllString(text[:end], "$1$2 $3"), "$1$2 $3")
	for {
		m := part().FindStringSubmatch(text)
		if m == nil {
			return sum, ok && sum <= furthest
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil { // a, an
			n = 1
		}
		sum += time.Duration(n * float64(unit(m[2])))
		text, ok = text[len(m[0]):], true
	}
}

// unit is the unit with this name.
func unit(name string) time.Duration {
	name = strings.ToLower(name)
	switch {
	case strings.HasPrefix(name, "ms"), strings.HasPrefix(name, "milli"):
		return time.Millisecond
	case strings.HasPrefix(name, "min"):
		return time.Minute
	}
	return units[name[:1]]
}
