package comma

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/log/tape"
	"handoff/log/tape/entry"
)

// defaultAnchor is Bub's name for an anchor without one.
const defaultAnchor = "handoff"

// HandoffRequest asks for a handoff.
type HandoffRequest struct {
	Name  string
	State json.RawMessage // a JSON object, nil if none is given
	Meta  json.RawMessage // of both entries, a JSON object or nil; not set by commands
}

// AsHandoff reads the arguments of [Handoff]: name, also without its name,
// summary, next_steps, and state, a JSON object whose names need no quotes.
// summary and next_steps become members of the state.
func (c Command) AsHandoff() (r HandoffRequest, err error) {
	values, err := c.take(1, "name", "summary", "next_steps", "state")
	if err != nil {
		return r, err
	}
	var state json.RawMessage
	if text, ok := values["state"]; ok {
		if state, err = relaxed(text); err != nil {
			return r, entry.Invalid("state=%s: %w", shown(text), err)
		}
	}
	given := func(name string) *string {
		if value, ok := values[name]; ok {
			return &value
		}
		return nil
	}
	if r, err = NewHandoff(values["name"], given("summary"), given("next_steps"), state); err != nil {
		err = entry.Invalid("state=%s: %w", shown(values["state"]), err)
	}
	return r, err
}

// NewHandoff is a handoff with a summary and next steps as members of its state,
// which is a JSON object or nil. name is "handoff" if "".
func NewHandoff(name string, summary, nextSteps *string, state json.RawMessage) (HandoffRequest, error) {
	var members []jsontext.Member
	if state != nil {
		var err error
		if members, err = jsontext.Python.Object(string(state)); err != nil {
			return HandoffRequest{}, err
		}
	}
	if summary != nil {
		members = set(members, "summary", *summary)
	}
	if nextSteps != nil {
		members = set(members, "next_steps", *nextSteps)
	}
	r := HandoffRequest{Name: cmp.Or(name, defaultAnchor)}
	if members != nil || state != nil {
		r.State = jsontext.Python.AppendMembers(nil, members)
	}
	return r, nil
}

// set sets a member to a text.
func set(members []jsontext.Member, name, value string) []jsontext.Member {
	m := jsontext.Member{Name: name, Value: string(jsontext.AppendText(nil, value))}
	for i := range members {
		if members[i].Name == name {
			members[i] = m
			return members
		}
	}
	return append(members, m)
}

// AsAnchors reads the arguments of [Anchors]: limit, 20 if it is not given.
func (c Command) AsAnchors() (limit int, err error) {
	values, err := c.take(1, "limit")
	if err != nil {
		return 0, err
	}
	return number(values, "limit", 20)
}

// AsSearch reads the arguments of [Search]: query, also without its name,
// limit, start and end as dates, kinds separated by commas or as a JSON list, fuzzy, and all_tapes.
// start and end may each be omitted, which fails in Bub.
func (c Command) AsSearch() (s tape.Search, allTapes bool, err error) {
	values, err := c.take(1, "query", "limit", "start", "end", "kinds", "fuzzy", "all_tapes")
	if err != nil {
		return s, false, err
	}
	if s.Text = values["query"]; strings.TrimSpace(s.Text) == "" {
		return s, false, entry.Invalid(",%s needs the text to search for: query=TEXT", c.Name)
	}
	s.From, s.To = values["start"], values["end"]
	if kinds := values["kinds"]; kinds != "" {
		s.Kinds = listed(kinds)
	}
	if s.Limit, err = number(values, "limit", 0); err == nil {
		s.Fuzzy, err = truth(values, "fuzzy", false)
	}
	if err == nil {
		allTapes, err = truth(values, "all_tapes", false)
	}
	return s, allTapes, err
}

// AsReset reads the arguments of [Reset]: archive. By default the tape is archived,
// unlike in Bub.
func (c Command) AsReset() (r tape.ResetRequest, err error) {
	values, err := c.take(0, "archive")
	if err != nil {
		return r, err
	}
	archive, err := truth(values, "archive", true)
	return tape.ResetRequest{NoArchive: !archive}, err
}

// AsFork reads the arguments of [Fork]: new_session_id, also without its name,
// from_anchor, from_entry, next_steps, context_summary, trigger_on_complete
// and link.
func (c Command) AsFork() (r tape.ForkRequest, err error) {
	values, err := c.take(1, "new_session_id", "from_anchor", "from_entry", "next_steps", "context_summary", "trigger_on_complete", "link")
	if err != nil {
		return r, err
	}
	r.To = values["new_session_id"]
	if name, ok := values["from_anchor"]; ok {
		r.FromAnchor = &name
	}
	if _, ok := values["from_entry"]; ok {
		id, err := number(values, "from_entry", 0)
		if err != nil {
			return r, err
		}
		r.FromEntry = new(int64(id))
	}
	next, hasNext := values["next_steps"]
	summary, hasSummary := values["context_summary"]
	trigger, hasTrigger := values["trigger_on_complete"]
	if hasNext || hasSummary || hasTrigger {
		r.Intention = &tape.Intention{NextSteps: next, ContextSummary: summary}
		if hasTrigger {
			r.Intention.TriggerOnComplete = &trigger
		}
	}
	r.Link, err = truth(values, "link", false)
	return r, err
}

// None is for the commands without arguments, [Info] and [Intention].
func (c Command) None() error {
	_, err := c.take(0)
	return err
}

func number(values map[string]string, name string, none int) (int, error) {
	text, ok := values[name]
	if !ok {
		return none, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, entry.Invalid("%s=%s: want a whole number", name, shown(text))
	}
	return n, nil
}

// truth reads what Bub's tools accept as true and false.
func truth(values map[string]string, name string, none bool) (bool, error) {
	text, ok := values[name]
	if !ok {
		return none, nil
	}
	switch strings.ToLower(text) {
	case "true", "yes", "y", "t", "1", "on":
		return true, nil
	case "false", "no", "n", "f", "0", "off":
		return false, nil
	}
	return false, entry.Invalid("%s=%s: want true or false", name, shown(text))
}

// listed are the items of a list in JSON, also without its quotes, as a command has it that
// is read in words, or of words separated by commas.
func listed(text string) (items []string) {
	if json.Unmarshal([]byte(text), &items) == nil {
		return items
	}
	items = strings.Split(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), ",")
	for i := range items {
		items[i] = strings.TrimSpace(items[i])
	}
	return items
}
