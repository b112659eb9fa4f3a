package facts

import "bytes"

// idleOf returns marks of records without facts. Such records are most of some
// transcripts, and are not decoded; records of any other type are. types are types of
// records. parts are in the text of a record near its beginning; inside a string of a
// record their quotes would be escaped.
func idleOf(format string) (types, parts []string) {
	switch format {
	case "claude":
		types = []string{"progress", "attachment", "api-request", "api-request-blob", "api-request-shape", "file-history-snapshot", "queue-operation",
			"last-prompt", "tools-used", "atis-latch", "cost-state", "stream_event"}
	case "codex":
		types = []string{"token_usage_record", "world_state"}
		parts = []string{`"payload":{"type":"token_count"`, `"payload":{"type":"reasoning"`, `"payload":{"type":"agent_reasoning"`}
	case "copilot":
		types = []string{"session.usage_record", "system.message", "assistant.turn_start", "assistant.turn_end", "hook.start", "hook.end", "assistant.message_delta"}
	case "gemini":
		parts = []string{`{"$set":`}
	}
	return types, parts
}

// isIdle reports whether a line is a whole object of one of the types, or has one of the
// parts near its beginning.
func isIdle(line []byte, types, parts []string) bool {
	for _, p := range parts {
		if at := bytes.Index(line[:min(len(line), 512)], []byte(p)); at >= 0 && line[len(line)-1] == '\n' {
			return true
		}
	}
	if len(types) == 0 {
		return false
	}
	kind := typeOf(line)
	for _, t := range types {
		if string(kind) == t {
			return true
		}
	}
	return false
}

// typeOf is the member "type" of an object, empty if it has none before its end.
func typeOf(line []byte) []byte {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' {
		return nil // torn
	}
	depth, key := 0, []byte(nil)
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := closing(line[at+1:])
			if end < 0 {
				return nil
			}
			text := line[at+1 : at+1+end]
			at += end + 1
			switch isKey := at+1 < len(line) && line[at+1] == ':'; {
			case depth == 1 && isKey:
				key = text
			case depth == 1 && string(key) == "type":
				return text
			}
		}
	}
	return nil
}
