package comma

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/document/handoff"
)

// said is the result of reading a command.
func said(text string) string {
	c, ok, err := Parse(text)
	if err != nil {
		return "! " + strings.TrimSuffix(err.Error(), ": invalid")
	}
	if !ok {
		return "-"
	}
	switch c.Name {
	case Handoff:
		r, err := c.AsHandoff()
		return or(err, fmt.Sprintf("%s %s", r.Name, r.State))
	case Anchors:
		n, err := c.AsAnchors()
		return or(err, fmt.Sprint("anchors ", n))
	case Search:
		s, all, err := c.AsSearch()
		return or(err, fmt.Sprintf("search %q %v %v %v %v %s..%s", s.Text, s.Limit, s.Kinds, s.Fuzzy, all, s.From, s.To))
	case Reset:
		r, err := c.AsReset()
		return or(err, fmt.Sprint("reset ", r.NoArchive))
	case Fork:
		r, err := c.AsFork()
		j, _ := json.Marshal(r)
		return or(err, string(j))
	}
	return or(c.None(), c.Name)
}

func or(err error, s string) string {
	if err != nil {
		return "! " + strings.TrimSuffix(err.Error(), ": invalid")
	}
	return strings.TrimSpace(s)
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		// not commands
		"": "-", ",": "-", " , ": "-", "hello": "-", "see, here": "-", "a\n,handoff": "-",
		"I hand off.\n,tape.handoff x": "-", "done, and so on": "-", "1. a\n2. b\n, c": "-",
		"echo hi": "-", "$ ls": "-", "```\n,handoff x\n```": "-", "X=1 " + strings.Repeat("long ", 999): "-",
		// of the original design
		`,handoff name=phase-1 summary="Setup done"`:                                                          `phase-1 {"summary": "Setup done"}`,
		`,handoff name=phase-1 summary="Setup complete" next_steps="Implementation"`:                          `phase-1 {"summary": "Setup complete", "next_steps": "Implementation"}`,
		",handoff name=debug-complete \n       summary=\"Found bug in auth.py line 45, fix: add null check\"": `debug-complete {"summary": "Found bug in auth.py line 45, fix: add null check"}`,
		`,handoff name=project/start state={goal: "Build API"}`:                                               `project/start {"goal": "Build API"}`,
		`,handoff name=phase/db-done state={tables: 5, next: "Routes"}`:                                       `phase/db-done {"tables": 5, "next": "Routes"}`,
		",anchors":                 "anchors 20",
		",tape.reset archive=true": "reset false",
		// of every version of Bub
		",tape.handoff":                          "handoff",
		", tape.handoff phase-1":                 "phase-1",
		",tape.handoff --name=x --summary 'a b'": `x {"summary": "a b"}`,
		",tape.handoff name= summary=":           `handoff {"summary": ""}`,
		",tape.anchors":                          "anchors 20",
		",tape.anchors limit=5":                  "anchors 5",
		",tape":                                  "tape.info",
		",tape.info":                             "tape.info",
		",tape.search query=x limit=20 all_tapes=true":            `search "x" 20 [] false true ..`,
		`,search query=x kinds=["message","event"]`:               `search "x" 0 [message event] false false ..`,
		`,search query=x kinds='["message", "event"]'`:            `search "x" 0 [message event] false false ..`,
		",tape.search 'two words' --fuzzy --kinds message,anchor": `search "two words" 0 [message anchor] true false ..`,
		",tape.search x start=2026-02-12 end=2026-02-13T09:30Z":   `search "x" 0 [] false false 2026-02-12..2026-02-13T09:30Z`,
		",tape.search query=x --start 2026-02-12":                 `search "x" 0 [] false false 2026-02-12..`,
		",tape.reset":               "reset false",
		",tape.reset archive=false": "reset true",
		",tape.reset --archive":     "reset false",
		",session.intention":        "session.intention",
		`,tape.fork_session new_session_id=s1 from_anchor=p next_steps="do it" context-summary=c`: `{"To":"s1","FromAnchor":"p","FromEntry":null,"Until":"","Intention":{"next_steps":"do it","context_summary":"c","trigger_on_complete":null,"created_at":""},"Link":false}`,
		",fork s2 from_entry=7 --link": `{"To":"s2","FromAnchor":null,"FromEntry":7,"Until":"","Intention":null,"Link":true}`,
		// state
		`,handoff x state='{"a": [1, {"b": "}"}]}'`:                 `x {"a": [1, {"b": "}"}]}`,
		`,handoff x state={"a": "{ \" ", b_c: {d: null}} summary=s`: `x {"a": "{ \" ", "b_c": {"d": null}, "summary": "s"}`,
		`,handoff x state={summary: "old", a: "k: v"} summary=new`:  `x {"summary": "new", "a": "k: v"}`,
		`,handoff x state={}`:      `x {}`,
		`,handoff x --state={a:1}`: `x {"a": 1}`,
		// words
		`,handoff "a b" summary=c\ d`:          `a b {"summary": "c d"}`,
		`,handoff summary='it'"'"'s' name=é`:   `é {"summary": "it's"}`,
		`,handoff summary="a\n\"b\"\\" name=x`: `x {"summary": "a\\n\"b\"\\"}`,
		`,handoff summary=a=b`:                 `handoff {"summary": "a=b"}`,
		// errors
		`,handoff summary="open`:       `! no closing quotation: handoff summary="open`,
		`,handoff it's`:                `! no closing quotation: handoff it's`,
		`,handoff a\`:                  `! no escaped character: handoff a\`,
		`,handoff state={a: {}`:        `! no closing brace: handoff state={a: {}`,
		`,handoff state={goal: Build}`: "! state={goal: Build}: want an object: {\"tables\": 5, \"next\": \"Routes\"}\ninvalid character 'B' looking for beginning of value",
		`,handoff state=[1]`:           "! state=[1]: want an object: {\"tables\": 5, \"next\": \"Routes\"}\njson: cannot unmarshal array into Go value of type map[string]json.RawMessage",
		`,handoff name=x y`:            `! positional argument y cannot appear after keyword arguments: quote what belongs together`,
		`,handoff x y`:                 `! ,tape.handoff: unexpected argument y: give it a name, or quote what belongs together`,
		`,handoff x name=y`:            `! name is given twice`,
		`,handoff name=x name=y`:       `! name is given twice`,
		`,handoff sumary=x`:            `! ,tape.handoff has no sumary: did you mean summary?`,
		`,handof x`:                    `! unknown command ,handof: did you mean ,handoff?`,
		`,help`:                        `! unknown command ,help: want one of ,tape.handoff ,handoff ,tape.anchors ,anchors ,tape.info ,tape ,info ,tape.search ,search ,tape.reset ,reset ,tape.fork_session ,fork_session ,tape.fork ,fork ,session.intention ,intention`,
		`, echo hi`:                    `! unknown command ,echo: want one of ,tape.handoff ,handoff ,tape.anchors ,anchors ,tape.info ,tape ,info ,tape.search ,search ,tape.reset ,reset ,tape.fork_session ,fork_session ,tape.fork ,fork ,session.intention ,intention`,
		`,rm -rf /`:                    `! unknown command ,rm: want one of ,tape.handoff ,handoff ,tape.anchors ,anchors ,tape.info ,tape ,info ,tape.search ,search ,tape.reset ,reset ,tape.fork_session ,fork_session ,tape.fork ,fork ,session.intention ,intention`,
		`,anchors limit=x`:             `! limit=x: want a whole number`,
		`,tape.reset archive=maybe`:    `! archive=maybe: want true or false`,
		`,tape.info x`:                 `! ,tape.info: unexpected argument x: give it a name, or quote what belongs together`,
		`,tape.info limit=1`:           `! ,tape.info has no limit: it takes nothing`,
		`,tape.search`:                 `! ,tape.search needs the text to search for: query=TEXT`,
	} {
		if got := said(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

// FuzzQuoted checks that any text can be quoted as for a shell, in either way,
// and any state written as JSON.
func FuzzQuoted(f *testing.F) {
	f.Add("phase-1", "it's \"done\" \\ {", "größe\n={")
	f.Add("name=x", "--yes", ",")
	f.Add(`a"b\`, `\"`, `"{`)
	f.Fuzz(func(t *testing.T, name, summary, value string) {
		if name == "" || !utf8.ValidString(name) || !utf8.ValidString(summary) || !utf8.ValidString(value) {
			return
		}
		state, err := json.Marshal(map[string]any{"v": value, value: []any{value}})
		if err != nil {
			t.Fatal(err)
		}
		single := "'" + strings.ReplaceAll(summary, "'", `'"'"'`) + "'"
		double := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(name) + `"`
		c, ok, err := Parse(",handoff name=" + double + " summary=" + single + " state=" + string(state))
		if err != nil || !ok {
			t.Fatalf("%q, %q, %s: %v", name, summary, state, err)
		}
		r, err := c.AsHandoff()
		var got, want map[string]any
		if err := errors.Join(err, json.Unmarshal(r.State, &got), json.Unmarshal(state, &want)); err != nil {
			t.Fatalf("%q, %q, %s: %v", name, summary, state, err)
		}
		want["summary"] = summary
		if r.Name != name || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %q %q, want %q %q", c.Raw, r.Name, got, name, want)
		}
	})
}

// FuzzParse checks that every command is read or refused, and that a state is
// an object.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`,handoff name=x state={a: "b"}`, `,tape.search 'x y' --fuzzy`, `,handoff "a\"b" summary=\ `, ",fork x from_entry=1", ",handoff state={a: b}", ",handoff state={1}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, ok, err := Parse(text)
		if err != nil && (!ok || !errors.Is(err, handoff.ErrInvalid)) {
			t.Fatal(ok, err)
		}
		if !ok || err != nil {
			return
		}
		if r, err := c.AsHandoff(); err == nil && r.State != nil {
			var state map[string]any
			if err := json.Unmarshal(r.State, &state); err != nil || !utf8.Valid(r.State) {
				t.Errorf("%q: state %q, %v", text, r.State, err)
			}
		} else if err != nil && !errors.Is(err, handoff.ErrInvalid) {
			t.Error(err)
		}
		said(text)
	})
}
