package task

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
)

// Form is the form of a path, with placeholders for what differs:
//
//	{task}    a task: 1478, ENG-1478, general
//	{time}    a date, with or without a time of day
//	{slug}    words
//	{number}  a number: of a session, for example
//	*         anything
//
// No placeholder matches a slash. Letters are compared without regard to case.
type Form string

// Placeholders are those that a form can have.
var Placeholders = []string{"{task}", "{time}", "{slug}", "{number}", "*"}

// MaxForm is the most placeholders of a form. Reading takes time that grows with the
// length of the path for each of them.
const MaxForm = 6

// Parts are the parsed parts of a path.
type Parts struct {
	Task, Slug, Number string
	Time               time.Time
	Count              int           // see [handoff.Slot]
	UTC                bool          // the time has a zone
	Unit               time.Duration // precision of the time; 0 without one
}

// TimeForm is how a new document writes the time, in UTC. Hundredths may follow, see
// [handoff.Slot].
const TimeForm = "2006-01-02_15-04-05"

// timeForms are the times that names have, the longest first.
var timeForms = [...]struct {
	layout string
	unit   time.Duration
	utc    bool
}{
	{"2006-01-02T15-04-05Z", time.Second, true},
	{"2006-01-02_15-04-05Z", time.Second, true},
	{"2006-01-02T15-04-05", time.Second, false},
	{"2006-01-02_15-04-05", time.Second, false},
	{"2006-01-02-15-04-05", time.Second, false},
	{"2006-01-02-150405", time.Second, false},
	{"2006-01-02_150405", time.Second, false},
	{handoff.Stamp, time.Second, true},
	{"20060102T150405", time.Second, false},
	{"20060102-150405", time.Second, false},
	{"20060102_150405", time.Second, false},
	{"2006-01-02T15-04", time.Minute, false},
	{"2006-01-02_15-04", time.Minute, false},
	{"2006-01-02-15-04", time.Minute, false},
	{"2006-01-02T1504", time.Minute, false},
	{"2006-01-02_1504", time.Minute, false},
	{"2006-01-02-1504", time.Minute, false},
	{"20060102T1504", time.Minute, false},
	{"20060102-1504", time.Minute, false},
	{"20060102_1504", time.Minute, false},
	{"2006-01-02", handoff.Day, false},
	{"2006_01_02", handoff.Day, false},
	{"20060102", handoff.Day, false},
}

// class is the class of a name with these parts.
func (p Parts) class() handoff.Class {
	switch p.Unit {
	case time.Second:
		return handoff.NoZone
	case time.Minute:
		return handoff.Minutes
	case handoff.Day:
		return handoff.DateOnly
	}
	return handoff.Timeless
}

// longest is the longest path that is read.
const longest = 400

// Match reads a path; ok is false if it does not have the form.
func (f Form) Match(path string) (p Parts, ok bool) {
	if len(path) > longest {
		return p, false
	}
	ok = match(string(f), path, &p)
	return p, ok
}

func match(form, path string, p *Parts) bool {
	at := strings.IndexAny(form, "{*")
	if at < 0 {
		return strings.EqualFold(form, path)
	}
	if len(path) < at || !strings.EqualFold(form[:at], path[:at]) {
		return false
	}
	token, rest := cutToken(form[at:])
	path = path[at:]
	if token == "{time}" {
		return matchTime(rest, path, p)
	}
	end := strings.IndexByte(path, '/')
	if end < 0 {
		end = len(path)
	}
	for n := min(1, end); n <= end; n++ { // the shortest text first: the slug has the rest
		if text := path[:n]; (n > 0 || token == "*") && fits(token, text) {
			if match(rest, path[n:], p) {
				p.set(token, text)
				return true
			}
		}
	}
	return false
}

// matchTime reads a time at the start of a path. A digit after it would make it part of
// a longer number.
func matchTime(rest, path string, p *Parts) bool {
	for _, form := range timeForms {
		if len(path) < len(form.layout) {
			continue
		}
		if after := path[len(form.layout):]; after != "" && '0' <= after[0] && after[0] <= '9' {
			continue
		}
		t, err := time.Parse(form.layout, path[:len(form.layout)])
		if err != nil {
			continue
		}
		count, after := 0, path[len(form.layout):]
		if form.unit == time.Second && !form.utc {
			count, after = handoff.CutCount(after)
		}
		if !match(rest, after, p) {
			continue
		}
		p.Time, p.Count, p.Unit, p.UTC = t, count, form.unit, form.utc
		return true
	}
	return false
}

func cutToken(form string) (token, rest string) {
	for _, t := range Placeholders {
		if strings.HasPrefix(form, t) {
			return t, form[len(t):]
		}
	}
	return form[:1], form[1:] // a brace that CheckForm refuses
}

func fits(token, text string) bool {
	switch token {
	case "{number}":
		return len(text) <= 9 && strings.Trim(text, "0123456789") == ""
	case "{task}", "{slug}", "*":
		return true
	}
	return token == text
}

func (p *Parts) set(token, text string) {
	switch token {
	case "{task}":
		p.Task = text
	case "{slug}":
		p.Slug = text
	case "{number}":
		p.Number = text
	}
}

// Check returns an error for a form that is not valid.
func (f Form) Check() error {
	rest, count := string(f), 0
	for {
		at := strings.IndexAny(rest, "{}*")
		if at < 0 {
			break
		}
		i := slices.IndexFunc(Placeholders, func(t string) bool { return strings.HasPrefix(rest[at:], t) })
		if i < 0 {
			return fmt.Errorf("unknown placeholder in %q (%s)", string(f), strings.Join(Placeholders, ", "))
		}
		rest = rest[at+len(Placeholders[i]):]
		if count++; count > MaxForm {
			return fmt.Errorf("%q has more than %d placeholders", string(f), MaxForm)
		}
	}
	return nil
}

// Fill replaces the placeholders of a form, or of another text.
func (f Form) Fill(p Parts) string {
	hundredths := handoff.Slot{Count: p.Count}.Hundredths()
	return strings.NewReplacer("{task}", p.Task, "{slug}", p.Slug, "{number}", p.Number,
		"{time}", p.Time.UTC().Format(TimeForm)+hundredths, "{date}", p.Time.UTC().Format(time.RFC3339),
		"{stamp}", p.Time.UTC().Format(handoff.Stamp)).Replace(string(f))
}
