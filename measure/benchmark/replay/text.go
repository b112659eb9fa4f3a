package replay

import (
	"encoding/json"
	"slices"
	"strings"
)

// text is the text in a line of a transcript.
type text struct{ seen, asked string }

// Members that contain the arguments of a tool, in all formats.
var inputs = []string{"input", "arguments", "args", "parameters"}

// Members to skip: ids, times, copies of a tool's result for the host's own screen,
// and the agent's thoughts, which a successor never gets.
var unread = []string{
	"uuid", "parentUuid", "sessionId", "session_id", "id", "call_id", "tool_use_id", "tool_call_id", "callID", "requestId", "messageId", "parentID", "type", "role", "timestamp",
	"cwd", "gitBranch", "version", "slug", "model", "usage", "signature", "thinking", "thoughts", "encrypted_content", "toolUseResult", "metadata", "data", "stop_reason",
	"userType", "permissionMode", "level", "subtype", "name", "tool", "status", "phase",
}

// textOf collects the texts of a line, in their order.
func textOf(line []byte) text {
	var value any
	if json.Unmarshal(line, &value) != nil {
		return text{}
	}
	var seen, asked strings.Builder
	collect(value, false, &seen, &asked)
	return text{strings.TrimSpace(seen.String()), strings.TrimSpace(asked.String())}
}

func collect(value any, input bool, seen, asked *strings.Builder) {
	switch v := value.(type) {
	case string:
		var inner any
		switch {
		case input && strings.HasPrefix(v, "{") && json.Unmarshal([]byte(v), &inner) == nil: // arguments that are JSON in a text
			collect(inner, true, seen, asked)
		case input:
			asked.WriteString(v + "\n")
		default:
			seen.WriteString(v + "\n")
		}
	case []any:
		for _, e := range v {
			collect(e, input, seen, asked)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			if input || !slices.Contains(unread, k) {
				collect(v[k], input || slices.Contains(inputs, k), seen, asked)
			}
		}
	}
}
