package tape

import (
	"cmp"
	"encoding/json"
	"fmt"
	"handoff/log/tape/entry"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestSuites repeats the tests of Bub, of republic and of other stores; see
// docs/tape-rules.md. Each file of the archive is a test, and each of its lines
// a step: the operation, and after -> its result. A dot within a line is a
// blank.
func TestSuites(t *testing.T) {
	archive := must(txtar.ParseFile("testdata/suites.txtar"))(t)
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			s := suite{open(t)}
			for i, line := range strings.Split(string(f.Data), "\n") {
				step, want, checked := strings.Cut(line, "->")
				words := strings.Fields(step)
				if len(words) == 0 || words[0][0] == '#' {
					continue
				}
				for i := range words {
					words[i] = strings.ReplaceAll(words[i], "·", " ")
				}
				got := s.do(t, words)
				if want = strings.TrimSpace(want); got != want || !checked && got != "" {
					t.Errorf("line %d: %s gives %q, want %q", i+1, strings.TrimSpace(step), got, want)
				}
			}
		})
	}
	if len(archive.Files) < 30 {
		t.Errorf("only %d tests", len(archive.Files))
	}
}

type suite struct{ w *workshop }

// do is one step: a verb, a tape and arguments.
func (s *suite) do(t *testing.T, words []string) string {
	t.Helper()
	given := map[string]string{}
	var plain []string
	for _, w := range words[1:] {
		if name, value, ok := strings.Cut(w, "="); ok && name == strings.ToLower(name) {
			given[name] = value
		} else {
			plain = append(plain, w)
		}
	}
	if len(plain) == 0 {
		return s.ofAll(t, words[0])
	}
	tape, rest := s.w.tape(plain[0]), plain[1:]
	switch words[0] {
	case "append", "event", "handoff":
		return s.write(t, tape, words[0], rest, given)
	case "line", "cut":
		s.outside(t, tape, words[0], rest)
		return ""
	case "read", "ids":
		q := query(t, rest, given)
		entries, err := tape.All(q)
		if err != nil {
			return err.Error()
		}
		if words[0] == "ids" {
			return strings.Trim(fmt.Sprint(ids(entries)), "[]")
		}
		return short(withoutEvents(entries))
	case "search":
		limit, _ := strconv.Atoi(given["limit"])
		hits, err := tape.Search(Search{Text: rest[0], Fuzzy: given["fuzzy"] != "", Limit: limit})
		var entries []Entry
		for _, h := range hits {
			entries = append(entries, h.Entry)
		}
		return cmp.Or(fault(err), short(entries))
	case "info":
		info := must(tape.Info())(t)
		var members map[string]any
		if err := json.Unmarshal(must(json.Marshal(info))(t), &members); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(members[rest[0]])
	case "anchors":
		limit, _ := strconv.Atoi(given["limit"])
		var names []string
		for _, a := range must(tape.Anchors(limit))(t) {
			names = append(names, a.Name+string(a.State))
		}
		return strings.Join(names, " ")
	}
	return s.change(t, tape, words[0], rest, given)
}

// change forks, ends or resets a tape.
func (s *suite) change(t *testing.T, tape *Tape, verb string, rest []string, given map[string]string) string {
	t.Helper()
	var err error
	switch verb {
	case "fork":
		r := ForkRequest{To: rest[0], Link: given["link"] != "", Until: given["until"]}
		if name, ok := given["anchor"]; ok {
			r.FromAnchor = &name
		}
		if id, ok := given["entry"]; ok {
			r.FromEntry = new(must(strconv.ParseInt(id, 10, 64))(t))
		}
		if next, ok := given["next"]; ok {
			r.Intention = &Intention{NextSteps: next}
		}
		_, err = tape.Fork(ctx, r)
	case "merge":
		_, err = tape.Merge(ctx, MergeRequest{KeepAnchors: given["keep"] != ""})
	case "discard":
		_, err = tape.Discard(ctx, "")
	case "reset":
		_, err = tape.Reset(ctx, ResetRequest{NoArchive: given["archive"] == "false"})
	case "intention":
		r := must(tape.Recover())(t)
		next, _ := entry.Text(r.Intention, "next_steps")
		return next
	default:
		t.Fatalf("unknown step %s", verb)
	}
	return fault(err)
}

// fault is the text of an error without its kind, "" for nil.
func fault(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	for _, kind := range []string{": invalid", ": file does not exist", ": file already exists"} {
		text = strings.TrimSuffix(text, kind)
	}
	return text
}

// ofAll is a step about all tapes; it opens another store, like another
// process.
func (s *suite) ofAll(t *testing.T, verb string) string {
	t.Helper()
	s.w = openIn(t, s.w.folder)
	if verb == "list" {
		return strings.Join(must(s.w.List())(t), " ")
	}
	return ""
}

func (s *suite) write(t *testing.T, tape *Tape, verb string, rest []string, given map[string]string) string {
	t.Helper()
	if verb == "handoff" {
		_, err := tape.Handoff(ctx, strings.Join(rest, " "), []byte(given["state"]), nil)
		return fault(err)
	}
	e := event(rest[0])
	if data, ok := given["data"]; ok {
		e = must(entry.NewEvent(rest[0], json.RawMessage(data)))(t)
	}
	if verb == "append" {
		e = message(rest[0])
	}
	if e.Date = given["date"]; given["meta"] != "" {
		e.Meta = json.RawMessage(given["meta"])
	}
	_, err := tape.Append(ctx, e)
	return fault(err)
}

// outside changes the file like another program.
func (s *suite) outside(t *testing.T, tape *Tape, verb string, rest []string) {
	t.Helper()
	if there := must(tape.Exists())(t); !there {
		must(tape.create(t.Context(), nil))(t)
	}
	if verb == "line" {
		appendTo(t, tape.Path(), strings.Join(rest, " ")+"\n")
		return
	}
	n := must(strconv.Atoi(rest[0]))(t)
	lines := strings.SplitAfter(read(t, tape.Path()), "\n")
	if err := os.WriteFile(tape.Path(), []byte(strings.Join(lines[:n], "")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// query is the query of a step.
func query(t *testing.T, rest []string, given map[string]string) Query {
	t.Helper()
	q := Query{From: given["from"], To: given["to"], Text: given["text"]}
	if kinds := given["kinds"]; kinds != "" {
		q.Kinds = strings.Split(kinds, ",")
	}
	if limit, ok := given["limit"]; ok {
		q.Limit = new(must(strconv.Atoi(limit))(t))
	}
	switch len(rest) {
	case 1:
		q.Window = FromLastAnchor()
	case 2:
		q.Window = AfterAnchor(strings.Trim(rest[1], "'"))
	case 3:
		q.Window = BetweenAnchors(rest[1], rest[2])
	}
	return q
}

// withoutEvents is the entries without the events of handoffs.
func withoutEvents(entries []Entry) (list []Entry) {
	for _, e := range entries {
		if e.Kind != KindEvent || e.Name() != entry.EventHandoff {
			list = append(list, e)
		}
	}
	return list
}
