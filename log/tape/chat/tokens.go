package chat

import (
	"encoding/json"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/tokens"
	"handoff/log/tape/calls"
)

const (
	// DefaultLimit is how long a context may be, in tokens.
	DefaultLimit = 200_000
	// Reserve is how many tokens Bub leaves for the answer.
	Reserve = 16_384

	perMessage = 4 // added by providers
	perPicture = 1_000
)

// Tokens is an estimate of the tokens of the messages.
func Tokens(messages []Message) int {
	sum := 0
	for _, m := range messages {
		sum += perMessage
		members, _ := jsontext.Python.Object(string(m.JSON))
		for _, f := range members {
			switch f.Name {
			case "content":
				sum += contentTokens(f.Value)
			case "reasoning_content":
				sum += tokens.Estimate(jsontext.Text(f.Value))
			case "tool_calls":
				sum += callTokens(f.Value)
			}
		}
	}
	return sum
}

func contentTokens(content string) int {
	if jsontext.IsText(content) {
		return tokens.Estimate(jsontext.Text(content))
	}
	if !strings.HasPrefix(content, "[") {
		return 0
	}
	sum := 0
	parts, _ := jsontext.Python.Array(content)
	for _, part := range parts {
		switch said := jsontext.Get([]byte(part), "text"); {
		case jsontext.IsText(said):
			sum += tokens.Estimate(jsontext.Text(said))
		case strings.HasPrefix(part, "{"):
			sum += perPicture
		}
	}
	return sum
}

func callTokens(list string) int {
	sum := 0
	items, _ := jsontext.Python.Array(list)
	for _, call := range items {
		name, arguments := calls.Called(json.RawMessage(call))
		sum += tokens.Estimate(name) + tokens.Estimate(arguments)
	}
	return sum
}

// Full reports whether it is time to hand off: the rest of the limit is what Bub
// reserves for the answer.
func Full(tokens, limit int) bool { return tokens > limit-min(Reserve, limit/4) }

// Contract is the instruction about the length of the context for a system
// prompt.
func Contract(limit int) string {
	said := strconv.Itoa(limit)
	if limit >= 1000 && limit%1000 == 0 {
		said = strconv.Itoa(limit/1000) + "k"
	}
	return "<context_contract>\n" +
		"Excessively long context may cause model call failures. In this case, you SHOULD first use tape.handoff tool to shorten the length of the retrieved history. " +
		"The current limit is " + said + " tokens.\n" +
		"</context_contract>"
}
