package search

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/state/names"
)

// event is what is read of a frame; its type says which members it has.
type event struct {
	Type      string   `json:"type"`
	Seq       uint64   `json:"seq"`
	AtMS      int64    `json:"timestamp_ms"`
	Title     *string  `json:"title"`
	Actor     string   `json:"actor_id"`
	Content   string   `json:"content"`
	Summary   *string  `json:"summary_markdown"`
	RunID     string   `json:"run_session_id"`
	Tool      string   `json:"tool_name"`
	Paths     []string `json:"affected_paths"`
	SessionID string   `json:"session_id"`
	Delta     string   `json:"delta"`
	Input     string   `json:"input"`
	Frames    []event  `json:"frames"`
	ThreadID  string   `json:"thread_id"`
}

func (l *logs) parse(text []byte, into any) bool {
	l.parsed++
	return json.Unmarshal(text, into) == nil // damage is what verify reports
}

// renamed keeps the titles of the catalogue, the last one of each thread.
func (l *logs) renamed(text, _ []byte) bool {
	var e event
	if json.Unmarshal(text, &e) == nil && e.Title != nil {
		l.titles[e.ThreadID] = *e.Title
	}
	return true
}

// finished searches a line with a run that had ended before it was written. An acknowledgement only repeats its message.
func (l *logs) finished(text, low []byte) bool {
	var e event
	if !l.needles.all && l.needles.in(low) == 0 && bytes.Count(low, outputDelta) < 2 || !l.parse(text, &e) {
		return true
	}
	out, input := "", ""
	for _, f := range e.Frames {
		out, input = out+f.Delta, input+f.Input
	}
	if out != "ack: "+input {
		l.answer(e.SessionID, out)
	}
	return true
}

// outputBytes is how much of a run's output is searched together: a word may be in two frames.
const outputBytes = 64 << 10

var outputDelta = []byte(`"type":"output_text_delta"`)

// session searches the output of a run.
func (l *logs) session(id string) {
	var out strings.Builder
	l.each(names.Sessions, id+names.Suffix, needles{parts: [][]byte{outputDelta}}, func(text, _ []byte) bool {
		var e event
		if json.Unmarshal(text, &e) == nil {
			out.WriteString(e.Delta)
		}
		if out.Len() > outputBytes {
			all := out.String()
			searched := strings.LastIndexByte(all, '\n') + 1
			rest := all[searched:]
			if searched == 0 { // one long line: a word that ends later begins in its end
				searched, rest = len(all), all[len(all)-outputBytes/2:]
			}
			l.answer(id, all[:searched])
			out.Reset()
			out.WriteString(rest)
		}
		return true
	})
	l.answer(id, out.String())
}

func (l *logs) answer(run, text string) {
	h := l.answers[run]
	if h == nil {
		h = &LogHit{Kind: "answer", RunID: run}
	}
	if line, better := l.look(h, text); better {
		h.Text = line
	}
	if h.has != 0 {
		l.answers[run] = h
	}
}

// thread searches a thread, with the answers of its runs.
func (l *logs) thread(id string) {
	h := LogHit{ThreadID: id}
	if title, ok := l.titles[id]; ok {
		h.Title = quoted(title)
		l.better(&h, "title", event{}, title)
	}
	started := []byte(`"continuity_run_spawned"`)
	n := l.needles
	if len(l.answers) > 0 {
		n.parts = append(slices.Clone(n.parts), started)
	}
	l.each(names.Threads, id+names.Suffix, n, func(text, low []byte) bool {
		if bytes.Contains(low, started) {
			l.started(&h, text)
		} else if l.needles.all || l.needles.in(low) > h.most || h.has == 0 || !l.whole(h.found) && l.missing(h.has, low) {
			var e event
			if l.parse(text, &e) && (l.since.IsZero() || e.AtMS >= l.since.UnixMilli()) {
				l.event(&h, e)
			}
		}
		return !l.whole(h.found)
	})
	l.done(h)
}

// missing reports whether a line may have a word that was not found yet.
func (l *logs) missing(has uint64, low []byte) bool {
	for i, part := range l.needles.parts {
		if has&(1<<i) == 0 && bytes.Contains(low, part) {
			return true
		}
	}
	return false
}

// started adds the answer of a run to its thread.
func (l *logs) started(h *LogHit, text []byte) {
	_, rest, _ := bytes.Cut(text, []byte(`"run_session_id":"`))
	run, _, _ := bytes.Cut(rest, []byte{'"'})
	answer := l.answers[string(run)]
	var e event
	if answer == nil || !l.parse(text, &e) {
		return
	}
	if h.has |= answer.has; answer.most > h.most {
		h.most = answer.most
		h.Kind, h.Text, h.RunID, h.Seq, h.At = answer.Kind, answer.Text, answer.RunID, e.Seq, e.at()
	}
}

func (l *logs) event(h *LogHit, e event) {
	switch e.Type {
	case "continuity_created":
		if e.Title != nil && h.Title == "" {
			h.Title = quoted(*e.Title)
			l.better(h, "title", e, *e.Title)
		}
	case "continuity_message_appended":
		l.better(h, "message", e, e.Content)
	case "continuity_handoff_created":
		if e.Summary != nil {
			l.better(h, "summary", e, *e.Summary)
		}
	case "continuity_tool_side_effects":
		l.touched(h, e.Paths...)
		if l.better(h, "side_effects", e, append([]string{e.Tool}, e.Paths...)...) && len(h.Paths) == 0 { // the words are in the tool's name
			for _, path := range e.Paths[:min(len(e.Paths), maxPaths)] {
				h.Paths = append(h.Paths, quoted(path))
			}
		}
	}
}

// better makes an event that of the hit if it has more of the words.
func (l *logs) better(h *LogHit, kind string, e event, texts ...string) bool {
	line, ok := l.look(h, texts...)
	if ok {
		h.Kind, h.Text, h.Seq, h.RunID, h.At = kind, line, e.Seq, e.RunID, e.at()
	}
	return ok
}

func (e event) at() *time.Time {
	if e.AtMS == 0 {
		return nil
	}
	return new(time.UnixMilli(e.AtMS).UTC())
}

// entry is what is read of an entry of a tape.
type entry struct {
	ID      uint64          `json:"id"`
	Date    string          `json:"date"`
	Payload json.RawMessage `json:"payload"`
}

// tape searches a tape: the texts in the payloads of its entries.
func (l *logs) tape(stem string) {
	name, _, ok := names.GenerationOf(filepath.Base(stem))
	if ok && name == "" {
		name, ok = l.within(stem)
	}
	if !ok {
		return
	}
	h := LogHit{Tape: name}
	l.each(names.Tapes, stem+names.Suffix, l.needles, func(text, low []byte) bool {
		if !l.needles.all && l.needles.in(low) <= h.most && !l.missing(h.has, low) {
			return true
		}
		var e entry
		if !l.parse(text, &e) {
			return true
		}
		at, dateErr := time.Parse(time.RFC3339Nano, e.Date)
		if dateErr == nil && at.Before(l.since) {
			return true
		}
		texts := textsIn(e.Payload)
		for _, one := range texts {
			if len(one) < 512 && strings.ContainsAny(one, "./") && !strings.ContainsAny(one, " \t\n{}\"") {
				l.touched(&h, one)
			}
		}
		if line, better := l.look(&h, texts...); better {
			h.Kind, h.Text, h.Seq = "entry", line, e.ID
			if h.At = nil; dateErr == nil {
				h.At = new(at.UTC())
			}
		}
		return !l.whole(h.found)
	})
	l.done(h)
}

// maxFirst is the longest first line that is read for the name of a tape: the longest that is written.
const maxFirst = 16 << 20

// within is the tape whose file has a shortened name.
func (l *logs) within(stem string) (name string, ok bool) {
	f, err := l.root.OpenFile(filepath.Join(l.dir, names.Tapes, stem+names.Suffix), os.O_RDONLY, 0)
	if err != nil {
		return "", false
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxFirst)).ReadBytes('\n')
	name = names.Within(filepath.Base(stem), line)
	return name, err == nil && name != ""
}

// textsIn are the texts in a JSON value, and in the JSON that a text is, such as the arguments of a call.
func textsIn(value []byte) (texts []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	for {
		t, err := d.Token()
		if err != nil {
			return texts
		}
		text, ok := t.(string)
		if !ok {
			continue
		}
		if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
			texts = append(texts, textsIn([]byte(text))...)
		} else {
			texts = append(texts, text)
		}
	}
}
