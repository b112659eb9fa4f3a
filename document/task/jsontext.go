package task

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
)

// markdownOf writes a state that a tool keeps as JSON as the Markdown of a document: a
// section for each member that is one by its name, or has several values, and before them a
// list of the others. Times are in the frontmatter. What is no JSON object is quoted as it is.
func markdownOf(src []byte, kindOf func(string) handoff.Kind) []byte {
	keys, values, err := members(src)
	if err != nil {
		return fmt.Appendf(nil, "```json\n%s\n```\n", bytes.TrimSpace(src))
	}
	var front, facts, sections strings.Builder
	for i, key := range keys {
		name, value := title(key), values[i]
		switch v := value.(type) {
		case nil:
		case []any:
			if len(v) > 0 {
				fmt.Fprintf(&sections, "\n## %s\n", name)
			}
			for _, item := range v {
				fmt.Fprintf(&sections, "- %s\n", inline(item))
			}
		case map[string]any:
			fmt.Fprintf(&sections, "\n## %s\n%s\n", name, inline(v))
		default:
			switch text := inline(v); {
			case strings.Contains(key, "timestamp") || strings.HasSuffix(key, "updated") || strings.HasSuffix(key, "_at"):
				fmt.Fprintf(&front, "last_updated: %s\n", text)
			case kindOf(name) != handoff.Other || strings.Count(text, " ") > 8:
				fmt.Fprintf(&sections, "\n## %s\n%s\n", name, text)
			default:
				fmt.Fprintf(&facts, "- **%s**: %s\n", name, text)
			}
		}
	}
	text := facts.String() + sections.String()
	if front.Len() > 0 {
		first, _, _ := strings.Cut(front.String(), "\n")
		text = "---\n" + first + "\n---\n" + text
	}
	return []byte(text)
}

// members are the names and values of a JSON object, in its order.
func members(src []byte) (keys []string, values []any, err error) {
	d := json.NewDecoder(bytes.NewReader(src))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, nil, fmt.Errorf("no JSON object: %w", err)
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, nil, err
		}
		var v any
		if err := d.Decode(&v); err != nil {
			return nil, nil, err
		}
		keys, values = append(keys, key.(string)), append(values, v)
	}
	_, err = d.Token()
	return keys, values, err
}

// inline is a value on one line, so that no text in it becomes a heading.
func inline(v any) string {
	switch v := v.(type) {
	case string:
		return strings.Join(strings.Fields(v), " ")
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, inline(item))
		}
		return strings.Join(list, ", ")
	case map[string]any:
		var list []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			list = append(list, spaced(key)+": "+inline(v[key]))
		}
		return strings.Join(list, "; ")
	}
	return fmt.Sprint(v)
}

// title is the name of a member as a heading: next_action is Next Action.
func title(key string) string {
	parts := strings.Fields(spaced(key))
	for i, p := range parts {
		first, size := utf8.DecodeRuneInString(p)
		parts[i] = string(unicode.ToUpper(first)) + p[size:]
	}
	return strings.Join(parts, " ")
}
