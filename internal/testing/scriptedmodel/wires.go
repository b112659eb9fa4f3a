package scriptedmodel

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type object = map[string]any

// events writes an answer: server-sent events, or one JSON value.
type events struct {
	w     http.ResponseWriter
	begun bool
}

// send writes one event; name may be "".
func (e *events) send(name string, data any) {
	if !e.begun {
		e.w.Header().Set("Content-Type", "text/event-stream")
		e.begun = true
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", text(data))
}

// typed sends an event whose name is its type.
func (e *events) typed(name string, data object) {
	data["type"] = name
	e.send(name, data)
}

// whole answers a request that is not for a stream.
func (e *events) whole(value any) {
	e.w.Header().Set("Content-Type", "application/json")
	fmt.Fprint(e.w, text(value))
}

// text is a value's JSON; a string is already text.
func text(value any) string {
	if s, ok := value.(string); ok {
		return s
	}
	b, err := json.Marshal(value)
	if err != nil {
		panic(err) // the script's Call.Input cannot be JSON
	}
	return string(b)
}

func (r asked) id(kind string, n int) string { return fmt.Sprintf("%s_%d_%d", kind, r.number, n) }

// writeMessages answers as Anthropic's Messages API does.
func writeMessages(w *events, r asked, a Answer) {
	usage := object{"input_tokens": a.Input, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
	message := object{"id": r.id("msg", 0), "type": "message", "role": "assistant", "model": r.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}
	stop := "end_turn"
	if len(a.Calls) > 0 {
		stop = "tool_use"
	}
	if !r.Stream {
		usage["output_tokens"] = a.Output
		message["content"], message["stop_reason"] = []any{object{"type": "text", "text": a.Text}}, stop
		w.whole(message)
		return
	}
	w.typed("message_start", object{"message": message})
	index := 0
	block := func(start, delta object) {
		w.typed("content_block_start", object{"index": index, "content_block": start})
		w.typed("content_block_delta", object{"index": index, "delta": delta})
		w.typed("content_block_stop", object{"index": index})
		index++
	}
	if a.Text != "" || len(a.Calls) == 0 {
		block(object{"type": "text", "text": ""}, object{"type": "text_delta", "text": a.Text})
	}
	for i, call := range a.Calls {
		block(object{"type": "tool_use", "id": r.id("toolu", i), "name": call.Name, "input": object{}},
			object{"type": "input_json_delta", "partial_json": text(call.Input)})
	}
	w.typed("message_delta", object{"delta": object{"stop_reason": stop, "stop_sequence": nil}, "usage": object{"output_tokens": a.Output}})
	w.typed("message_stop", object{})
}

// writeResponses answers as OpenAI's Responses API does.
func writeResponses(w *events, r asked, a Answer) {
	id := r.id("resp", 0)
	w.typed("response.created", object{"response": object{"id": id}})
	var items []object
	if a.Text != "" || len(a.Calls) == 0 {
		items = append(items, object{"type": "message", "id": r.id("m", 0), "role": "assistant", "status": "completed",
			"content": []any{object{"type": "output_text", "text": a.Text, "annotations": []any{}}}})
	}
	for i, call := range a.Calls {
		item := object{"type": "function_call", "id": r.id("fc", i), "call_id": r.id("call", i), "name": call.Name, "arguments": text(call.Input)}
		if space, name, ok := strings.Cut(call.Name, "/"); ok {
			item["namespace"], item["name"] = space, name
		}
		items = append(items, item)
	}
	for i, item := range items {
		w.typed("response.output_item.done", object{"output_index": i, "item": item})
	}
	w.typed("response.completed", object{"response": object{"id": id, "usage": object{
		"input_tokens": a.Input, "input_tokens_details": object{"cached_tokens": 0},
		"output_tokens": a.Output, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": a.Input + a.Output}}})
}

// writeGenerate answers as Google's generateContent does.
func writeGenerate(w *events, r asked, a Answer) {
	var parts []any
	if a.Text != "" || len(a.Calls) == 0 {
		parts = append(parts, object{"text": a.Text})
	}
	for _, call := range a.Calls {
		parts = append(parts, object{"functionCall": object{"name": call.Name, "args": call.Input}})
	}
	answer := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": a.Input, "candidatesTokenCount": a.Output, "totalTokenCount": a.Input + a.Output},
	}
	if r.Stream {
		w.send("", answer)
	} else {
		w.whole(answer)
	}
}

// writeChat answers as OpenAI's Chat Completions API does.
func writeChat(w *events, r asked, a Answer) {
	message, finish := object{"role": "assistant", "content": a.Text}, "stop"
	var calls []any
	for i, call := range a.Calls {
		calls = append(calls, object{"index": i, "id": r.id("call", i), "type": "function", "function": object{"name": call.Name, "arguments": text(call.Input)}})
	}
	if len(calls) > 0 {
		message["tool_calls"], finish = calls, "tool_calls"
	}
	usage := object{"prompt_tokens": a.Input, "completion_tokens": a.Output, "total_tokens": a.Input + a.Output}
	choice := func(kind string, content object, finish any) []any {
		return []any{object{"index": 0, kind: content, "finish_reason": finish}}
	}
	if !r.Stream {
		w.whole(object{"id": r.id("chat", 0), "object": "chat.completion", "created": 1, "model": r.Model, "choices": choice("message", message, finish), "usage": usage})
		return
	}
	chunk := func(choices []any) object {
		return object{"id": r.id("chat", 0), "object": "chat.completion.chunk", "created": 1, "model": r.Model, "choices": choices}
	}
	w.send("", chunk(choice("delta", message, nil)))
	w.send("", chunk(choice("delta", object{}, finish)))
	last := chunk([]any{})
	last["usage"] = usage
	w.send("", last)
	w.send("", "[DONE]")
}
