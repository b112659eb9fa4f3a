package tape

import (
	"encoding/json"
	"strconv"

	"handoff/internal/json/jsontext"
)

// Info is what is known of a tape at a glance.
type Info struct {
	Name            string  `json:"name"`
	Entries         int     `json:"entries"`
	Anchors         int     `json:"anchors"`
	LastAnchor      *string `json:"last_anchor"` // nil if there is none
	SinceLastAnchor int     `json:"entries_since_last_anchor"`
	// LastTokens and CacheHitRate are what the last model call of which it is
	// known has used, as its event "run" says.
	LastTokens   *int64   `json:"last_token_usage"`
	CacheHitRate *float64 `json:"last_token_cache_hit_rate"`
	Title        *string  `json:"title,omitempty"`
	// Owner is to whom the tape was handed over, or who has taken something over
	// by it, last; nil if neither was done.
	Owner  *string `json:"owner,omitempty"`
	Passed int     `json:"passed,omitempty"` // lines that could not be read
	URI    string  `json:"uri,omitempty"`    // tape://…, "" for a file that is of no store
}

// Info tells about the tape, by what the index knows. A linked fork counts
// what it reads from others.
func (t *Tape) Info() (Info, error) {
	info := Info{Name: t.name, URI: t.uri()}
	v, err := t.view()
	if err != nil {
		return info, err
	}
	defer v.close()
	for i := range v.segments {
		if err := v.segments[i].count(&info); err != nil {
			return info, err
		}
	}
	if err := v.sinceLast(&info); err != nil {
		return info, err
	}
	if err := v.usage(&info); err != nil {
		return info, err
	}
	own := v.own()
	if own == nil {
		return info, nil
	}
	if info.Title, err = titleOf(own.j); err != nil {
		return info, err
	}
	owner, err := v.owner()
	if err != nil {
		return info, err
	}
	if owner != "" {
		info.Owner = &owner
	}
	passed, err := own.j.Passed()
	info.Passed = len(passed)
	return info, err
}

// titleOf is the tape's title, nil if it has none. That of the tape which it
// was copied from is not its own.
func titleOf(j records) (*string, error) {
	pos, ok, err := lastOn(j, listTitles)
	if err != nil || !ok {
		return nil, err
	}
	if fork, ok, err := lastOn(j, listForks); err != nil || ok && fork > pos {
		return nil, err
	}
	e, ok, err := lastEvent(j, listTitles, eventTitle)
	if err != nil || !ok {
		return nil, err
	}
	title, ok := memberText(e.Data(), "title")
	if !ok {
		return nil, nil
	}
	return &title, nil
}

// count adds how many entries and anchors there are.
func (s *segment) count(info *Info) error {
	if s.last < s.first {
		return nil
	}
	info.Entries += int(s.last - s.first + 1)
	anchors, err := s.onList(listAnchors)
	if err != nil {
		return err
	}
	info.Anchors += anchors
	glued, err := s.onList(listGlued)
	if err != nil || glued == 0 {
		return err
	}
	one := &view{segments: []segment{*s}}
	for f, err := range one.backwards(listGlued, func(*Entry) bool { return true }) {
		if err != nil {
			return err
		}
		if f.at.part > 0 {
			info.Entries++
		}
	}
	return one.countGlued(info)
}

// countGlued adds the anchors that stand on a line with others.
func (v *view) countGlued(info *Info) error {
	lines := map[uint64]bool{}
	for f, err := range v.backwards(listGlued, isAnchor) {
		if err != nil {
			return err
		}
		if lines[f.at.pos] {
			info.Anchors++
		}
		lines[f.at.pos] = true
	}
	return nil
}

// onList is how many lines of the segment are on a list.
func (s *segment) onList(list string) (int, error) {
	if s.last < s.first {
		return 0, nil
	}
	n, err := s.j.Count(list)
	if err != nil || n == 0 || s.source == "" {
		return int(n), err
	}
	from, err := s.rank(list, s.first, n)
	if err != nil {
		return 0, err
	}
	to, err := s.rank(list, s.last+1, n)
	return to - from, err
}

// rank is how many of the n lines of a list stand before a position.
func (s *segment) rank(list string, pos, n uint64) (int, error) {
	low, high := uint64(0), n
	for low < high {
		mid := low + (high-low)/2
		at, ok, err := s.j.Nth(list, mid)
		if err != nil {
			return 0, err
		}
		if ok && at < pos {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return int(low), nil
}

// sinceLast tells of the last anchor and counts what is behind it.
func (v *view) sinceLast(info *Info) error {
	f, ok, err := v.last(listAnchors, isAnchor)
	if err != nil {
		return err
	}
	var after *spot
	if ok {
		after = &f.spot
		if name := f.Name(); name != "" {
			info.LastAnchor = &name
		}
	} else {
		info.SinceLastAnchor = info.Entries
		return nil
	}
	for _, err := range v.between(after, nil) {
		if err != nil {
			return err
		}
		info.SinceLastAnchor++
	}
	return nil
}

// usage takes what the last model call tells.
func (v *view) usage(info *Info) error {
	for f, err := range v.backwards(listRuns, isEvent(eventRun)) {
		if err != nil {
			return err
		}
		usage := memberObject(f.Data(), "usage")
		total, ok := number(usage, "total_tokens")
		if !ok {
			continue
		}
		info.LastTokens = &total
		prompt, ok := number(usage, "prompt_tokens")
		cached, known := number(memberObject(usage, "prompt_tokens_details"), "cached_tokens")
		if !ok { // since Bub 0.6
			prompt, _ = number(usage, "input_tokens")
			cached, known = number(usage, "cached_tokens")
		}
		if known && prompt > 0 {
			rate := float64(cached) / float64(prompt)
			info.CacheHitRate = &rate
		}
		break
	}
	return nil
}

func number(object json.RawMessage, name string) (int64, bool) {
	n, err := strconv.ParseInt(jsontext.Get(object, name), 10, 64)
	return n, err == nil
}

// Anchor is an anchor as lists show it.
type Anchor struct {
	Name  string          `json:"name"`  // "-" if it has none
	State json.RawMessage `json:"state"` // a JSON object, {} if it has none
	ID    int64           `json:"id"`
	Date  string          `json:"date"`
	Tape  string          `json:"tape,omitempty"` // if it is another's
	URI   string          `json:"uri,omitempty"`  // tape://…, "" if the tape is of no store
}

// Anchors are the last anchors, in the order of the tape. limit 0 is all.
func (t *Tape) Anchors(limit int) ([]Anchor, error) {
	v, err := t.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	var anchors []Anchor
	for f, err := range v.backwards(listAnchors, isAnchor) {
		if err != nil {
			return nil, err
		}
		anchors = append(anchors, t.anchorOf(&f.Entry))
		if len(anchors) == limit {
			break
		}
	}
	for i, j := 0, len(anchors)-1; i < j; i, j = i+1, j-1 {
		anchors[i], anchors[j] = anchors[j], anchors[i]
	}
	return anchors, nil
}

func (t *Tape) anchorOf(e *Entry) Anchor {
	a := Anchor{Name: e.Name(), State: e.State(), ID: e.ID, Date: e.Date, Tape: e.Source, URI: t.entryURI(e)}
	if !jsontext.IsText(jsontext.Get(e.Payload, "name")) {
		a.Name = "-"
	}
	if a.State == nil {
		a.State = json.RawMessage("{}")
	}
	return a
}
