package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/log/tape"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// What tapes contain was written in earlier sessions: each text is cleaned of what a person would not see, and cut.
const (
	tapeText = 10_000 // bytes of a text in an answer
	cutText  = " [cut: %d more bytes]"
)

// entryValue is an entry as a model gets it.
type entryValue struct {
	ID      int64  `json:"id"`
	Kind    string `json:"kind"`
	Date    string `json:"date,omitempty"`
	Tape    string `json:"tape,omitempty"`
	URI     string `json:"uri,omitempty"`
	Payload any    `json:"payload"`
}

func entryOf(e tape.Entry) entryValue {
	return entryValue{ID: e.ID, Kind: shown(e.Kind), Date: shown(e.Date), Payload: shownJSON(e.Payload)}
}

// shownJSON is a value of a tape, as [shown].
func shownJSON(src json.RawMessage) any {
	d := json.NewDecoder(strings.NewReader(string(src)))
	d.UseNumber() // as it is written
	var v any
	if d.Decode(&v) != nil {
		return nil // the tape has no such payload
	}
	return shownValue(v)
}

func shownValue(v any) any {
	switch v := v.(type) {
	case string:
		return shown(v)
	case []any:
		for i := range v {
			v[i] = shownValue(v[i])
		}
	case map[string]any:
		clean := make(map[string]any, len(v))
		for name, value := range v {
			clean[shown(name)] = shownValue(value)
		}
		return clean
	}
	return v
}

// shown is a text of a tape, clean and cut.
func shown(text string) string {
	cut := ""
	if len(text) > tapeText {
		cut = fmt.Sprintf(cutText, len(text)-tapeText)
		text = strings.ToValidUTF8(text[:tapeText], "")
	}
	text, _ = visible.Model(text)
	return text + cut
}

// rows are values as lines of JSON.
func rows[T any](list []T) (lines []string, err error) {
	for _, v := range list {
		var b strings.Builder
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, err
		}
		lines = append(lines, strings.TrimSuffix(b.String(), "\n"))
	}
	return lines, nil
}

// fitting is how many of the lines fit into an answer, one at least.
func fitting(lines []string) int {
	size := 0
	for i, line := range lines {
		if size += len(line); size > tapeBytes && i > 0 {
			return i
		}
	}
	return len(lines)
}

func tapeContext(c *call, all *tapes.Tapes, in tapeContextArguments) (answer, error) {
	one, err := existing(all, in.Tape)
	if err != nil {
		return answer{}, err
	}
	made, err := tapeops.Context.On(c, one, "", tapes.ContextRequest{For: "openai", All: in.All,
		WindowRequest: tapes.WindowRequest{AnchorRequest: tapes.AnchorRequest{AfterAnchor: given(in.AfterAnchor)}}})
	if err != nil {
		return answer{}, err
	}
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(made.Request, &request); err != nil {
		return answer{}, err
	}
	messages := make([]any, len(request.Messages))
	for i, m := range request.Messages {
		messages[i] = shownJSON(m)
	}
	lines, err := rows(messages)
	if err != nil {
		return answer{}, err
	}
	kept := newest(lines)
	v := contextValue{Tokens: made.Tokens, LeftOut: len(lines) - len(kept), Messages: []any{}}
	var quoted []string
	for _, i := range kept {
		v.Messages, quoted = append(v.Messages, messages[i]), append(quoted, lines[i])
	}
	text := fmt.Sprintf("%s, about %d tokens, %d left out. ", say.Count(made.Messages, "message"), made.Tokens, v.LeftOut)
	return answer{text: text + inert.Quote("context", quoted...), value: v}, nil
}

type contextValue struct {
	Messages []any `json:"messages"`
	Tokens   int   `json:"tokens"` // of the whole context, estimated
	LeftOut  int   `json:"left_out"`
}

// newest are the indexes of the lines that fit into an answer: the first, which has the state of the anchor, and the last.
func newest(lines []string) (kept []int) {
	size := 0
	for i := len(lines) - 1; i > 0; i-- {
		if size += len(lines[i]); size > tapeBytes && len(kept) > 0 {
			break
		}
		kept = append(kept, i)
	}
	if len(lines) > 0 {
		kept = append(kept, 0)
	}
	slices.Reverse(kept)
	return kept
}

// entriesValue is a list of entries, and where to go on, 0 at the end.
type entriesValue struct {
	Entries []entryValue `json:"entries"`
	NextID  int64        `json:"next_id,omitempty"`
}

func (v entriesValue) answer() (answer, error) {
	lines, err := rows(v.Entries)
	if err != nil {
		return answer{}, err
	}
	if n := fitting(lines); n < len(lines) {
		v.NextID, v.Entries, lines = v.Entries[n].ID, v.Entries[:n], lines[:n]
	}
	text := "No entries.\n"
	if len(lines) > 0 {
		text = say.Count(len(lines), "entry") + ". " + inert.Quote("record", lines...)
	}
	if v.NextID != 0 {
		text += fmt.Sprintf("There are more, from id %d.\n", v.NextID)
	}
	return answer{text: text, value: v}, nil
}

func tapeRead(c *call, all *tapes.Tapes, in tapeReadArguments) (answer, error) {
	one, entry, err := in.of(all)
	if err != nil {
		return answer{}, err
	}
	v := entriesValue{Entries: []entryValue{}}
	if entry != nil {
		v.Entries = append(v.Entries, entryOf(*entry))
		return v.answer()
	}
	q, err := in.request().Query()
	if err != nil {
		return answer{}, err
	}
	for e, err := range one.Query(c, q) {
		if err != nil {
			return answer{}, err
		}
		if len(v.Entries) == in.most() {
			v.NextID = e.ID
			break
		}
		v.Entries = append(v.Entries, entryOf(e))
	}
	return v.answer()
}

// of is the tape that is meant, or the entry.
func (in tapeReadArguments) of(all *tapes.Tapes) (one tapeops.Here, e *tape.Entry, err error) {
	if in.URI == "" {
		one, err = existing(all, in.Tape)
		return one, nil, err
	}
	if in.Tape != "" {
		return one, nil, fmt.Errorf("want tape or uri, not both: %w", handoff.ErrInvalid)
	}
	ref, err := tape.ParseRef(in.URI)
	if err != nil {
		return one, nil, err
	}
	if ref.Entry == nil && ref.Anchor == nil {
		named, err := all.OfURI(ref)
		if err != nil {
			return one, nil, err
		}
		one, err = there(named)
		return one, nil, err
	}
	found, err := all.Resolve(ref)
	return one, &found, err
}

func (in tapeReadArguments) request() tapes.ReadRequest {
	r := tapes.ReadRequest{ChoiceRequest: tapes.ChoiceRequest{Kind: in.Kind}}
	if in.FromID != 0 {
		r.FromID = &in.FromID
	}
	if r.AfterAnchor = given(in.After); in.Before != "" {
		r.AfterAnchor, r.Between = nil, []string{in.After, in.Before}
	}
	return r
}

// most is how many entries are returned.
func (in tapeReadArguments) most() int {
	if in.Limit == 0 {
		return readEntries
	}
	return in.Limit
}

func tapeSearch(c *call, all *tapes.Tapes, in tapeSearchArguments) (answer, error) {
	one, err := existing(all, in.Tape)
	if in.All && in.Tape == "" {
		one.Tape, err = all.Tape("")
	}
	if err != nil {
		return answer{}, err
	}
	limit := foundEntries
	if in.Limit != 0 {
		limit = in.Limit
	}
	found, err := tapeops.Search.On(c, one, "", tapes.SearchRequest{Text: in.Query, Kind: in.Kind, Limit: &limit, All: in.All})
	if err != nil {
		return answer{}, err
	}
	v := entriesValue{Entries: []entryValue{}}
	for _, h := range found {
		e := entryOf(h.Entry)
		e.Tape, e.URI = shown(h.Tape), shown(h.URI)
		v.Entries = append(v.Entries, e)
	}
	return v.answer()
}

func tapeAnchors(c *call, all *tapes.Tapes, in tapeAnchorsArguments) (answer, error) {
	one, err := existing(all, in.Tape)
	if err != nil {
		return answer{}, err
	}
	limit := listedAnchors
	if in.Limit != 0 {
		limit = in.Limit
	}
	list, err := tapeops.Anchors.On(c, one, "", tapes.AnchorsRequest{Limit: limit})
	return listed("anchors", list, err)
}

func tapeInfo(c *call, all *tapes.Tapes, in tapeInfoArguments) (answer, error) {
	if in.Tape == "" {
		list, err := tapeops.List.On(c, tapeops.Here{Tape: all.Of(nil)}, "", ops.None{})
		if len(list) > 0 {
			err = nil // a link that is not followed hides no other tape
		}
		return listed("tapes", list, err)
	}
	one, err := existing(all, in.Tape)
	if err != nil {
		return answer{}, err
	}
	info, err := tapeops.Info.On(c, one, "", ops.None{})
	return listed("tapes", []tape.Info{info}, err)
}

// listed is the answer with a list, or its end.
func listed[T any](name string, list []T, err error) (answer, error) {
	if err != nil {
		return answer{}, err
	}
	values := make([]any, len(list))
	for i, one := range list {
		src, err := json.Marshal(one)
		if err != nil {
			return answer{}, err
		}
		values[i] = shownJSON(src)
	}
	lines, err := rows(values)
	if err != nil {
		return answer{}, err
	}
	from := 0
	for size := sizeOf(lines); size > tapeBytes && from < len(lines)-1; from++ {
		size -= len(lines[from])
	}
	text := "None.\n"
	if len(lines) > 0 {
		text = fmt.Sprintf("%d of %d %s. ", len(lines)-from, len(lines), name) + inert.Quote("list", lines[from:]...)
	}
	return answer{text: text, value: map[string]any{name: values[from:]}}, nil
}

func sizeOf(lines []string) (n int) {
	for _, line := range lines {
		n += len(line)
	}
	return n
}
