package tape

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Search says what is looked for.
type Search struct {
	Text string // in any case and script; blank finds nothing
	// Fuzzy also finds what is misspelled: words in a row of whose
	// letters a quarter is wrong at most. It needs three letters.
	Fuzzy bool
	Kinds []string // all if empty
	// From and To are dates, as those of a [Query].
	From, To string
	Limit    int // 20 if 0, none if below
}

// Hit is an entry that was found, and its tape.
type Hit struct {
	Tape  string
	Entry Entry
	URI   string // of the entry, "" if the tape is of no store
}

// Search finds entries, the newest first. It looks at the texts in payload and
// meta, and names of members, and at the kind. The event of a handoff says
// what its anchor says, and is not told beside it; that of a command, which
// repeats what it has found, only if events are asked for.
func (t *Tape) Search(s Search) ([]Hit, error) {
	n := needle{text: fold(strings.TrimSpace(s.Text))}
	if n.text == "" {
		return nil, nil
	}
	if s.Fuzzy && utf8.RuneCountInString(n.text) >= 3 {
		n.words = words(n.text)
		if len(n.words) == 0 {
			n.words = nil
		}
	}
	if s.Limit == 0 {
		s.Limit = 20
	}
	span, err := parseSpan(s.From, s.To)
	if err != nil {
		return nil, err
	}
	v, err := t.view()
	if err != nil {
		return nil, err
	}
	defer v.close()
	var hits []Hit
	for e, err := range v.fromEnd() {
		if err != nil {
			return nil, err
		}
		if len(s.Kinds) > 0 && !slices.Contains(s.Kinds, e.Kind) || !span.has(&e) || repeats(&e, s.Kinds) || !n.inTexts(&e) {
			continue
		}
		if i := len(hits) - 1; e.Kind == KindAnchor && i >= 0 && tellsOf(&hits[i].Entry, &e) {
			hits[i].Entry, hits[i].URI = e, t.entryURI(&e)
			continue
		}
		if len(hits) == s.Limit {
			break
		}
		hits = append(hits, Hit{or(e.Source, t.name), e, t.entryURI(&e)})
	}
	return hits, nil
}

// tellsOf reports whether an event is the one that was written with an anchor.
func tellsOf(event, anchor *Entry) bool {
	if event.Kind != KindEvent || event.Name() != eventHandoff || event.Source != anchor.Source {
		return false
	}
	name, _ := memberText(event.Data(), "name")
	return name == anchor.Name() && event.at.pos <= anchor.at.pos+1
}

func or(s, instead string) string {
	if s == "" {
		return instead
	}
	return s
}

// SearchAll searches all tapes, each with its own limit, in the order of
// their names.
func (s *Store) SearchAll(q Search) (hits []Hit, err error) {
	names, err := s.List()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		t, err := s.Tape(name)
		if err != nil {
			return nil, err
		}
		found, err := t.Search(q)
		if err != nil {
			return nil, err
		}
		for _, h := range found {
			if h.Entry.Source == "" { // else it is found in its own tape
				hits = append(hits, h)
			}
		}
	}
	return hits, nil
}

// blockLines is how many lines are read at once when going backwards.
const blockLines = 256

// fromEnd goes through all entries, the last first.
func (v *view) fromEnd() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for seg := len(v.segments) - 1; seg >= 0; seg-- {
			s := v.segments[seg]
			for last := s.last; last >= s.first; {
				first := max(s.first, last-min(last, blockLines-1))
				entries, err := s.block(first, last)
				if err != nil {
					yield(Entry{}, err)
					return
				}
				for _, e := range slices.Backward(entries) {
					if !yield(e, nil) {
						return
					}
				}
				last = first - 1
			}
		}
	}
}

// block are the entries of the lines from first to last.
func (s *segment) block(first, last uint64) (all []Entry, err error) {
	for rec, err := range s.j.Since(first) {
		if err == nil && rec.Pos > last {
			break
		}
		var entries []Entry
		if err == nil {
			entries, err = entriesOf(rec)
		}
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			e.Source = s.source
			all = append(all, e)
		}
	}
	return all, nil
}
