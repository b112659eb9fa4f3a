package transcript_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"handoff/agents/transcript"
)

// One line of each kind that counts, and the record read from it.
func TestLines(t *testing.T) {
	for _, c := range []struct {
		format, line string
		want         transcript.Record
	}{
		{"acp", `{"protocol":"acp","sessionId":"s","cwd":"/w","model":"large","agentInfo":{"name":"OpenCode","version":"1.18.33"}}`,
			transcript.Record{Session: "s", Dir: "/w", Model: "large", Version: "1.18.33"}},
		{"acp", `{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"I look."}}}`,
			transcript.Record{Session: "s", Text: "I look.", More: true}},
		{"acp", `{"sessionId":"s","update":{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"Hm."}}}`, transcript.Record{Session: "s"}},
		{"acp", `{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}`, transcript.Record{Session: "s"}},
		{"acp", `{"call":"c","sessionId":"s","update":{"sessionUpdate":"usage_update","used":5001,"size":200000,"cost":{"amount":0.09,"currency":"USD"}}}`,
			transcript.Record{Session: "s", Call: "c", Input: 5001, Window: 200_000}},
		{"acp", `{"sessionId":"s","tool":{"toolCallId":"t","name":"Bash","title":"go vet","kind":"execute","status":"pending","rawInput":{"command":"go vet","description":"check"}}}`,
			transcript.Record{Session: "s", Tools: []transcript.Tool{{ID: "t", Name: "Bash", Command: "go vet"}}}},
		{"acp", `{"sessionId":"s","tool":{"toolCallId":"t","title":"go vet","kind":"execute","status":"in_progress","locations":[{"path":"/w"}],"rawInput":{"command":["/bin/bash","-lc","go vet"],"cwd":"/w"}}}`,
			transcript.Record{Session: "s", Tools: []transcript.Tool{{ID: "t", Name: "execute", Command: "go vet"}}}},
		{"acp", `{"sessionId":"s","tool":{"toolCallId":"t","title":"handoff new --from x","kind":"execute","status":"pending"}}`,
			transcript.Record{Session: "s", Tools: []transcript.Tool{{ID: "t", Name: "execute", Command: "handoff new --from x"}}}},
		{"acp", `{"sessionId":"s","tool":{"toolCallId":"t","title":"Read a.go","kind":"read","locations":[{"path":"a.go","line":200}]}}`,
			transcript.Record{Session: "s", Tools: []transcript.Tool{{ID: "t", Name: "read", File: "a.go", Part: 200}}}},
		{"acp", `{"sessionId":"s","tool":{"toolCallId":"t","name":"Write","title":"Write a.go","kind":"edit","status":"failed","rawInput":{"file_path":"a.go"}}}`,
			transcript.Record{Session: "s", Tools: []transcript.Tool{{ID: "t", Name: "Write", File: "a.go", Writes: true, Failed: true}}}},
		{"acp", `{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed","rawOutput":"Exit code 3","content":[{"type":"content"}]}}`,
			transcript.Record{Session: "s", Added: 20, Results: []transcript.Result{{ID: "t", Failed: true}}}},
		{"acp", `{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed","rawOutput":{"output":"no","metadata":{"exit":3}}}}`,
			transcript.Record{Session: "s", Results: []transcript.Result{{ID: "t", Exit: 3, Exited: true, Failed: true}}}},
		{"acp", `{"sessionId":"s","stopReason":"end_turn","usage":{"inputTokens":21000,"totalTokens":21040}}`, transcript.Record{Session: "s", End: true}},
		{"claude", `{"type":"user","message":{"content":"Fix it"}}`, transcript.Record{Prompt: "Fix it", Added: 8}},
		{"claude", `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1"},{"type":"tool_result","tool_use_id":"t2","is_error":true}]}}`,
			transcript.Record{Added: 101, Results: []transcript.Result{{ID: "t1"}, {ID: "t2", Failed: true, Told: true}}}},
		{"claude", `{"type":"assistant","message":{"model":"<synthetic>","id":"m","usage":{"input_tokens":5}}}`, transcript.Record{}},
		{"claude", `{"type":"assistant","parent_tool_use_id":"t","message":{"id":"m","usage":{"input_tokens":5}}}`, transcript.Record{Side: true, Call: "m", Input: 5}},
		{"claude", `{"type":"system","subtype":"compact_boundary","compact_metadata":{"pre_tokens":9}}`, transcript.Record{Compacted: true, Before: 9}},
		{"codex", `{"type":"response_item","payload":{"type":"function_call","call_id":"c","name":"exec_command","arguments":"{\"cmd\":\"sed -n 1,9p a.go\"}"}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "exec_command", File: "a.go", Command: "sed -n 1,9p a.go"}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.go\n"}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "apply_patch", File: "a.go", Writes: true}}}},
		{"codex", `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"Process exited with code 2\nOutput:\nExit code: 9"}}`,
			transcript.Record{Added: 51, Results: []transcript.Result{{ID: "c", Exit: 2, Exited: true, Failed: true, Error: "Exit code: 9", Output: "Exit code: 9"}}}},
		{"codex", `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":"Process exited with code 0\n"}}`,
			transcript.Record{Added: 30, Results: []transcript.Result{{ID: "c", Exited: true}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"exec","input":"const r = await tools.exec_command({cmd:\"sed -n 1,9p a.go\",workdir:'/w', max_output_tokens:9,}); text(r.output)"}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "exec_command", File: "a.go", Command: "sed -n 1,9p a.go", Dir: "/w"}}}},
		{"codex", "{\"type\":\"response_item\",\"payload\":{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"exec\",\"input\":\"await Promise.all([tools.exec_command({\\\"cmd\\\":`go \\\"test\\\"`}), tools.exec_command({cmd:'git {st}'})])\"}}",
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "exec_command", Command: "go \"test\"\ngit {st}"}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"exec","input":"const patch = \"*** Begin Patch\\n*** Update File: a.go\\n@@\\n\"; text(await tools.apply_patch(patch))"}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "apply_patch", File: "a.go", Writes: true}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"exec","input":"await tools.update_plan({plan:[{step:\"Write it\",status:\"in_progress\"}]})"}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "update_plan", Todos: []transcript.Todo{{Text: "Write it", Status: "in_progress"}}}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call","call_id":"c","name":"exec","input":"text(ALL_TOOLS.filter(x => 1))"}}`, transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "exec"}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":[{"text":"Script completed\nWall time 1 seconds\nOutput:\n"},{"text":"{\"exit_code\":3,\"output\":\"no\"}"}]}}`,
			transcript.Record{Added: 108, Results: []transcript.Result{{ID: "c", Exit: 3, Exited: true, Failed: true, Error: "no", Output: "no"}}}},
		{"codex", `{"type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"c","output":"Script running with cell ID 27\nOutput:\n"}}`, transcript.Record{Added: 43, Results: []transcript.Result{{ID: "c", Background: true}}}},
		{"codex", `{"type":"event_msg","payload":{"type":"patch_apply_end","call_id":"p","success":true,"changes":{"a.go":{"type":"update","unified_diff":"@@ -1,1 +4,2 @@\n+a\n+b\n"}}}}`,
			transcript.Record{Results: []transcript.Result{{ID: "p", Changed: []transcript.Span{{File: "a.go", First: 4, Last: 5}}}}}},
		{"codex", `{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":0,"total_tokens":940499},"model_context_window":258400}}}`,
			transcript.Record{Window: 258_400}},
		{"codex", `{"type":"item.completed","item":{"id":"i","type":"command_execution","command":["bash","-lc","cat a.go"],"exit_code":1}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "i", Name: "exec_command", File: "a.go", Command: "cat a.go", Failed: true}},
				Results: []transcript.Result{{ID: "i", Exit: 1, Exited: true, Failed: true}}}},
		{"codex", `{"type":"item.completed","item":{"id":"i","type":"file_change","changes":[{"path":"a.go"}]}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "i", Name: "apply_patch", File: "a.go", Writes: true}}, Results: []transcript.Result{{ID: "i", Changed: []transcript.Span{{File: "a.go"}}}}}},
		{"codex", `{"type":"event_msg","payload":{"type":"user_message","message":"Fix it"}}`, transcript.Record{Prompt: "Fix it", Added: 6}},
		{"copilot", `{"type":"session.compaction_complete","data":{"preCompactionTokens":9}}`, transcript.Record{Compacted: true, Before: 9}},
		{"copilot", `{"type":"session.compaction_complete","data":{"success":true}}`, transcript.Record{Compacted: true}},
		{"copilot", `{"type":"session.compaction_complete","data":{"success":false}}`, transcript.Record{}},
		{"copilot", `{"type":"tool.execution_complete","data":{"toolCallId":"c","success":false,"result":{"content":"no"}}}`, transcript.Record{Added: 2, Results: []transcript.Result{{ID: "c", Failed: true, Error: "no", Output: "no"}}}},
		{"copilot", `{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"ok"}}}`, transcript.Record{Added: 2, Results: []transcript.Result{{ID: "c", Output: "ok"}}}},
		{"copilot", `{"type":"session.error","data":{}}`, transcript.Record{Failed: "session error"}},
		{"gemini", `{"type":"gemini","toolCalls":[{"id":"c","name":"write_file","args":{"file_path":"a.go"},"status":"error"}]}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "write_file", File: "a.go", Writes: true, Failed: true}}, Results: []transcript.Result{{ID: "c", Failed: true}}}},
		{"gemini", `{"type":"gemini","toolCalls":[{"id":"c","name":"read_file","args":{"absolute_path":"a.go","offset":200},"status":"success"}]}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "read_file", File: "a.go", Part: 200}}, Results: []transcript.Result{{ID: "c"}}}},
		{"opencode", `{"type":"tool_use","part":{"type":"tool","tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"go vet"},"output":"bad","metadata":{"exit":1}}}}`,
			transcript.Record{Added: 3, Tools: []transcript.Tool{{ID: "c", Name: "bash", Command: "go vet", Failed: true}},
				Results: []transcript.Result{{ID: "c", Exit: 1, Exited: true, Failed: true, Error: "bad", Output: "bad"}}}},
		{"opencode", `{"type":"tool_use","part":{"type":"tool","tool":"read","callID":"c","state":{"status":"error","input":{"filePath":"a.go"}}}}`,
			transcript.Record{Tools: []transcript.Tool{{ID: "c", Name: "read", File: "a.go", Failed: true}}, Results: []transcript.Result{{ID: "c", Failed: true}}}},
		{"opencode", `{"type":"x","part":{"type":"compaction"}}`, transcript.Record{Compacted: true}},
		{"opencode", `{"type":"step_finish","part":{"id":"p","type":"step-finish","reason":"stop","tokens":{"input":1,"output":2,"cache":{"read":4,"write":8}}}}`,
			transcript.Record{Call: "p", Input: 15, End: true}},
		{"pi", `{"type":"compaction","summary":"s","tokensBefore":9}`, transcript.Record{Compacted: true, Before: 9, Summary: "s"}},
		{"pi", `{"type":"compaction_end","result":{"summary":"s","tokensBefore":9}}`, transcript.Record{Compacted: true, Before: 9, Summary: "s"}},
		{"pi", `{"type":"compaction_end","aborted":true}`, transcript.Record{}},
		{"pi", `{"type":"message_start","message":{"role":"user","content":"a"}}`, transcript.Record{}},
		{"pi", `{"type":"message_end","message":{"role":"user","content":"a"}}`, transcript.Record{Prompt: "a", Added: 1}},
		{"pi", `{"type":"agent_end","messages":[{"role":"assistant","stopReason":"error","errorMessage":"429"}]}`, transcript.Record{End: true, Failed: "the agent failed: 429"}},
		{"pi", `{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"no\n\nCommand exited with code 3"}],"isError":true}}`,
			transcript.Record{Added: 30, Results: []transcript.Result{{ID: "c", Exit: 3, Exited: true, Failed: true, Error: "no\n\nCommand exited with code 3", Output: "no\n\nCommand exited with code 3"}}}},
		{"pi", `{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"ok"}]}}`,
			transcript.Record{Added: 2, Results: []transcript.Result{{ID: "c", Exited: true, Output: "ok"}}}},
		{"pi", `{"type":"message","message":{"role":"toolResult","toolCallId":"c","toolName":"edit","content":[],"details":{"diff":" 1 a\n-2 b\n+2 c\n+3 d\n 4 e\n+9 f"}}}`,
			transcript.Record{Results: []transcript.Result{{ID: "c", Changed: []transcript.Span{{First: 2, Last: 3}, {First: 9, Last: 9}}}}}},
		{"qwen", `{"type":"system","sessionId":"s","subtype":"chat_compression"}`, transcript.Record{Session: "s", Compacted: true}},
		{"qwen", `{"type":"tool_result","sessionId":"s","message":{"parts":[{"functionResponse":{"a":1}}]}}`, transcript.Record{Session: "s", Added: 7}},
	} {
		got, ok := transcript.Formats[c.format]([]byte(c.line))
		if diff := cmp.Diff(c.want, got); !ok || diff != "" {
			t.Errorf("%s: %s (-want +got)\n%s", c.format, c.line, diff)
		}
	}
}

func TestDetect(t *testing.T) {
	for head, want := range map[string]string{
		`{"type":"summary","summary":"x"}` + "\n" + `{"type":"user","uuid":"u","sessionId":"s","message":{}}`: "claude",
		`{"type":"system","subtype":"init","session_id":"s","uuid":"u"}`:                                      "claude",
		`{"type":"session_meta","timestamp":"t","payload":{}}`:                                                "codex",
		`{"type":"thread.started","thread_id":"t"}`:                                                           "codex",
		`{"type":"session.start","data":{}}`:                                                                  "copilot",
		`{"sessionId":"s","projectHash":"h"}`:                                                                 "gemini",
		`{"type":"init","session_id":"s"}`:                                                                    "gemini",
		`{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w"}`:                                  "pi",
		`{"type":"session","id":"s"}`:                                                                         "",
		`{"type":"text","sessionID":"s","part":{}}`:                                                           "opencode",
		`{"type":"user","uuid":"u","sessionId":"s","message":{"parts":[]}}`:                                   "qwen",
		`{"type":"text","sessionID":"s"}`:                                                                     "",
		`{"type":"text","part":{}}`:                                                                           "",
		`{"type":"a.b"}`:                                                                                      "",
		`{"type":"a","data":{}}`:                                                                              "",
		`{"type":"x","payload":{}}`:                                                                           "",
		`{"type":"user","uuid":"u"}`:                                                                          "",
		`{"type":"user","sessionId":"s"}`:                                                                     "",
		`{"type":"user","session_id":"s"}`:                                                                    "",
		`{"torn`:                                                                                              "",
		"":                                                                                                    "",
	} {
		if got := transcript.Detect([]byte(head)); got != want {
			t.Errorf("%s: %q, want %q", head, got, want)
		}
	}
}
