package calls_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"handoff/log/tape/calls"
	"handoff/log/tape/entry"
)

// recorded is a tape: each line is a kind, the payload, and the meta if there is one.
func recorded(lines ...string) (list []entry.Entry) {
	for i, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		payload, meta, _ := strings.Cut(rest, " meta ")
		list = append(list, entry.Entry{ID: int64(i + 1), Kind: kind, Payload: json.RawMessage(payload), Meta: json.RawMessage(meta)})
	}
	return list
}

const (
	two   = `tool_call {"calls":[{"id":"a","function":{"name":"read","arguments":"{}"}},{"id":"b","function":{"name":"write"}}]}`
	asks  = `message {"role":"assistant","tool_calls":[{"id":"c","function":{"name":"run"}}]}`
	run1  = `tool_call {"calls":[{"id":"a","name":"x"}]} meta {"run_id":"r1"}`
	run2  = `tool_call {"calls":[{"id":"b","name":"y"}]} meta {"run_id":"r2"}`
	reply = `message {"role":"tool","tool_call_id":"c","content":"ok"}`
)

// TestPair: each result is of one call, or of none. want is the results by call, "ID=RESULT@ENTRY",
// and then the orphans, "INDEX:COUNT".
func TestPair(t *testing.T) {
	for name, c := range map[string]struct {
		tape []string
		want string
	}{
		"both results":             {[]string{two, `tool_result {"results":["x",{"y":1}]}`}, `a="x"@2 b={"y":1}@2`},
		"a result less":            {[]string{two, `tool_result {"results":["x"]}`}, `a="x"@2 b=@0`},
		"two results more":         {[]string{two, `tool_result {"results":[1,2,3,4]}`}, `a=1@2 b=2@2 1:2`},
		"no call before":           {[]string{`tool_result {"results":[1,2]}`, two}, `a=@0 b=@0 0:2`},
		"the last open call":       {[]string{run1, run2, `tool_result {"results":[1]}`, `tool_result {"results":[2]}`, `tool_result {"results":[3]}`}, `a=2@4 b=1@3 4:1`},
		"the call of its run":      {[]string{run1, run2, `tool_result {"results":[1]} meta {"run_id":"r1"}`}, `a=1@3 b=@0`},
		"no call of its run":       {[]string{run1, `tool_result {"results":[1]} meta {"run_id":"r9"}`}, `a=@0 1:1`},
		"a call of no run":         {[]string{two, `tool_result {"results":[1,2]} meta {"run_id":"r9"}`}, `a=1@2 b=2@2`},
		"results are no list":      {[]string{run1, `tool_result {"results":7}`, `tool_result {}`}, `a=@0`},
		"a message of a tool":      {[]string{asks, reply}, `c="ok"@2`},
		"answered once":            {[]string{asks, reply, reply}, `c="ok"@2 2:1`},
		"a message, then results":  {[]string{asks, reply, `tool_result {"results":[1]}`}, `c="ok"@2 2:1`},
		"another id":               {[]string{asks, `message {"role":"tool","tool_call_id":"d","content":"ok"}`}, `c=@0 1:1`},
		"no id":                    {[]string{`message {"tool_calls":[{"name":"x"}]}`, `message {"role":"tool","content":"ok"}`}, `=@0 1:1`},
		"the message has the call": {[]string{asks, `message {"role":"tool","tool_call":{"id":"c"}}`}, `c=""@2`},
		"a result of parts":        {[]string{asks, `message {"role":"tool","tool_call_id":"c","content":[{"type":"text"}]}`}, `c={"type": "tool_content", "content": [{"type": "text"}]}@2`},
		"a message of a user":      {[]string{asks, `message {"role":"user","tool_call_id":"c","content":"ok"}`}, `c=@0`},
		"calls that are none":      {[]string{`tool_call {"calls":[]}`, `tool_call {"calls":{}}`, `tool_call {"calls":[1]}`, `tool_call {}`, `tool_result {"results":[1]}`}, `4:1`},
		"other entries":            {[]string{`event {"calls":[{"id":"a"}],"results":[1]}`}, ``},
	} {
		p := calls.Pair(recorded(c.tape...))
		var got []string
		for i := range c.tape {
			if p.Calls[i] == nil {
				continue
			}
			for _, call := range p.Calls[i].Calls {
				got = append(got, fmt.Sprintf("%s=%s@%d", call.ID, call.Result, call.Answer))
				if call.Entry != int64(i+1) {
					t.Errorf("%s: call %s is of entry %d, not %d", name, call.ID, call.Entry, i+1)
				}
			}
		}
		for _, o := range p.Orphans {
			got = append(got, fmt.Sprintf("%d:%d", o.Index, o.Count))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %s, want %s", name, strings.Join(got, " "), c.want)
		}
	}
}

// TestCalled: the forms in which a call names its tool and arguments.
func TestCalled(t *testing.T) {
	for call, want := range map[string]string{
		`{"function":{"name":"read","arguments":"{\"a\":1}"}}`:  `read {"a":1}`,
		`{"function":{"name":"read","arguments":{"a":1}}}`:      `read {"a": 1}`,
		`{"function":{"name":"read"}}`:                          `read `,
		`{"custom":{"name":"sh","input":"ls","arguments":"x"}}`: `sh ls`,
		`{"name":"read","arguments":{"a":1},"input":"x"}`:       `read {"a": 1}`,
		`{"function":"x","name":"read"}`:                        `read `,
		`{}`:                                                    ` `,
	} {
		if name, arguments := calls.Called(json.RawMessage(call)); name+" "+arguments != want {
			t.Errorf("%s: %s %s, want %s", call, name, arguments, want)
		}
	}
}

// TestUnfinished: the calls without a result, in the order of the tape.
func TestUnfinished(t *testing.T) {
	var got []string
	for _, c := range calls.Unfinished(recorded(two, `tool_result {"results":[1]}`, asks, run1)) {
		got = append(got, c.ID+" "+c.Name)
	}
	if strings.Join(got, ", ") != "b write, c run, a x" {
		t.Errorf("unfinished: %q", got)
	}
}
