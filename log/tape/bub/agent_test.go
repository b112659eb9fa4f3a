package bub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/tape"
	"handoff/log/tape/chat"
	"handoff/log/tape/comma"
)

// model is a provider with OpenAI's API, which hands off once and then answers.
type model struct {
	silent bool                               // it only calls tools: any text ends the turn of Bub 0.3
	say    func(n int, request object) string // its message for request n, one of replies if nil
	mu     sync.Mutex
	asked  []object // requests
}

// replies is the messages of the model, one for each request.
var replies = []string{
	`{"role": "assistant", "content": "I hand off.", "reasoning_content": "It is time.", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": "tape_handoff", "arguments": "{\"name\": \"phase/by-bub\", \"summary\": \"größe\"}"}}]}`,
	`{"role": "assistant", "content": "All done.\n,tape.handoff by-text", "reasoning_content": "That was it."}`,
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request object
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, fmt.Sprint(r.URL, err), http.StatusBadRequest)
		return
	}
	m.mu.Lock()
	reply, reason := replies[min(len(m.asked), len(replies)-1)], "stop"
	if m.say != nil {
		reply = m.say(len(m.asked), request)
	}
	m.asked = append(m.asked, request)
	m.mu.Unlock()
	if m.silent {
		reply = strings.Replace(reply, `"I hand off."`, "null", 1)
	}
	if strings.Contains(reply, "tool_calls") {
		reason = "tool_calls"
	}
	const about = `"id": "x", "created": 1, "model": "fake"`
	const usage = `"usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15, "prompt_tokens_details": {"cached_tokens": 4}}`
	if request["stream"] == true {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: {%s, \"object\": \"chat.completion.chunk\", \"choices\": [{\"index\": 0, \"delta\": %s, \"finish_reason\": null}]}\n\n", about, reply)
		fmt.Fprintf(w, "data: {%s, \"object\": \"chat.completion.chunk\", \"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": %q}]}\n\n", about, reason)
		fmt.Fprintf(w, "data: {%s, \"object\": \"chat.completion.chunk\", \"choices\": [], %s}\n\ndata: [DONE]\n\n", about, usage)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{%s, "object": "chat.completion", "choices": [{"index": 0, "message": %s, "finish_reason": %q}], %s}`, about, reply, reason, usage)
}

// answers sets what the model replies from now on.
func (m *model) answers(say func(n int, request object) string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.say = say
}

func (m *model) requests() []object {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked
}

// messages is the messages of a request, without the system prompt and the
// turn's prompt, which are not on the tape.
func (m *model) messages(t testing.TB, n int) []any {
	t.Helper()
	asked := m.requests()
	if len(asked) <= n {
		t.Fatalf("the model was asked %d times", len(asked))
	}
	all, _ := asked[n]["messages"].([]any)
	if len(all) < 2 {
		t.Fatalf("request %d: %v", n, asked[n])
	}
	return all[1 : len(all)-1]
}

// TestBubAgent has Bub's own agent continue a tape that was written here. The
// request to its model, a server of the test, must be the one that we would
// send, and what Bub writes is read back.
func TestBubAgent(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			home, ws := t.TempDir(), t.TempDir()
			h := open(t, home)
			stem := must(SessionName(ws, "cli:ours"))(t)
			tp := must(h.Tape(stem))(t)
			work(t, tp)
			want := contextOf(t, tp)
			n := must(tp.Info())(t).Entries

			m := &model{silent: version < "bub-0.4"}
			server := httptest.NewServer(m)
			defer server.Close()
			say := func(text, want string) {
				cmd := exec.Command(filepath.Join(venvs, version, "bin", "bub"), "run", "--session-id", "cli:ours", text)
				cmd.Dir = ws
				cmd.Env = append(os.Environ(), "PYTHONPATH=", "HOME="+home, "BUB_HOME="+home, "BUB_MODEL="+chatModel(version), "BUB_API_KEY=none", "BUB_API_BASE="+server.URL+"/v1")
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(out), want) {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			say("What is next?", "All done.")
			same(t, "what the model is given", sent(t, m.messages(t, 0)), sent(t, want))

			if found := must(h.Find(ws, "cli:ours"))(t); found != stem {
				t.Errorf("Bub has written to %s, not to %s", found, stem)
			}
			added := must(tp.All(tape.Query{Window: tape.AfterAnchor("end")}))(t)
			anchor := added[len(added)-1]
			for _, e := range added {
				if e.Kind == tape.KindAnchor {
					anchor = e
				}
			}
			if anchor.Name() != "phase/by-bub" || string(anchor.State()) != `{"summary": "größe"}` {
				t.Errorf("Bub's handoff is %s", anchor.Raw())
			}
			info := must(tp.Info())(t)
			if info.LastTokens == nil || *info.LastTokens != 15 || info.Entries < n+8 || info.Passed > 0 {
				t.Errorf("%+v", info)
			}
			if rate := info.CacheHitRate; version >= "bub-0.4" && (rate == nil || *rate != 0.4) { // 0.3 does not write cached entries
				t.Errorf("%+v", info)
			}
			want = contextOf(t, tp)
			asked := len(m.requests())
			say("And now?", "All done.")
			same(t, "what the model is given of what Bub wrote", sent(t, m.messages(t, asked)), sent(t, want))
			checkAgent(t, version, want)
			info = must(tp.Info())(t)
			for i, e := range must(tp.All(tape.Query{}))(t) {
				if line := must(e.Line())(t); e.ID != int64(i+1) || string(line) != e.Raw() {
					t.Errorf("entry %d: Bub wrote\n%s\nwe would write\n%s", i+1, e.Raw(), line)
				}
			}
			if stored := must(tp.Append(ctx, entry(t, "message", `{"role": "user", "content": "thanks"}`, "")))(t); stored[0].ID != int64(info.Entries+1) {
				t.Errorf("%+v", stored)
			}
			say(", tape.anchors", "- phase/by-bub")
			command := must(comma.Command{Raw: "tape.anchors", Name: comma.Anchors}.Event(comma.Outcome{Output: "- start\n- phase/by-bub"}))(t)
			must(tp.Append(ctx, command))(t)
			noted := must(tp.All(tape.Query{Text: `"name": "command"`}))(t)
			if len(noted) != 2 || !slices.Equal(members(t, noted[0].Data()), members(t, noted[1].Data())) {
				t.Errorf("a command is recorded as %+v", noted)
			}
			// A command is a user's text that starts with a comma, not a line
			// of the model's.
			if hits := must(tp.Search(tape.Search{Text: "by-text", Kinds: []string{tape.KindAnchor}}))(t); len(hits) > 0 {
				t.Errorf("%+v", hits)
			}
			said := must(tp.All(tape.Query{Text: `"again"`}))(t)[0]
			at := must(time.Parse(time.RFC3339Nano, said.Date))(t)
			// The programs may disagree about which words are misspelled (Bub
			// 0.6 finds more), but not about the dates.
			for dates, found := range map[string]string{
				"start=" + at.Format(time.DateOnly) + " end=" + at.Format(time.DateOnly): `"content": "again"`,
				"start=2099-01-01T00:00:00Z end=20991231":                                "[tape.search]: 0 matches",
			} {
				text := ", tape.search query=again limit=5 " + dates
				c, _, err := comma.Parse(text)
				s, _, searchErr := c.AsSearch()
				if err != nil || searchErr != nil {
					t.Fatal(err, searchErr)
				}
				s.Kinds = []string{tape.KindMessage, tape.KindToolResult}
				hits := must(tp.Search(s))(t)
				if (len(hits) == 0) != strings.Contains(found, " 0 ") {
					t.Errorf("%s: %d hits", text, len(hits))
				}
				say(text, found)
			}
		})
	}
}

// checkAgent checks that the request has all messages, calls and reasoning of
// the model since the handoff that Bub writes.
func checkAgent(t *testing.T, version string, messages []any) {
	t.Helper()
	got := string(encoded(t, messages))
	want := []string{`"id":"call_1"`, `"name":"tape_handoff"`, `"tool_call_id":"call_1"`, `"All done.\n,tape.handoff by-text"`}
	if version >= "bub-0.5" {
		want = append(want, `"I hand off."`)
	}
	if version >= "bub-0.6" {
		want = append(want, `"reasoning_content":"It is time."`, `"reasoning_content":"That was it."`)
	}
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %s in %s", w, got)
		}
	}
}

// chatModel is a model for which a version of Bub uses chat completions. Since
// 0.6 OpenAI's has another API.
func chatModel(version string) string {
	if version < "bub-0.6" {
		return "openai:fake"
	}
	return "deepseek:fake"
}

// members is the names and types of the values of a flat object, in order.
func members(t testing.TB, src []byte) (list []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(src))
	must(d.Token())(t) // the opening brace
	for d.More() {
		list = append(list, fmt.Sprintf("%v: %T", must(d.Token())(t), must(d.Token())(t)))
	}
	return list
}

// sent is messages without differences that no model notices: the tool's name
// with its result, which Bub omits since 0.6, and whether the content of a
// message with only calls is empty or null.
func sent(t testing.TB, messages any) any {
	t.Helper()
	list, _ := decoded(t, messages).([]any)
	for _, m := range list {
		m := m.(object)
		if m["role"] == "tool" {
			delete(m, "name")
		}
		if m["content"] == "" {
			m["content"] = nil
		}
	}
	return list
}

// contextOf is the messages after the last anchor.
func contextOf(t testing.TB, tp *tape.Tape) []any {
	t.Helper()
	messages, dropped := chat.Messages(must(tp.Slice(tape.FromLastAnchor()))(t), chat.Options{WithoutState: true})
	if len(dropped) > 0 {
		t.Errorf("dropped %+v", dropped)
	}
	list := []any{}
	for _, m := range messages {
		list = append(list, m.JSON)
	}
	return list
}
