package parse

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"handoff/document/handoff"
)

// pairs calls take with each pair of a mapping, except for keys that are not
// plain words or are duplicates.
func (f *frontReader) pairs(mapping *yaml.Node, take func(key, value *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key, value := mapping.Content[i], mapping.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			f.bad(key, "a key must be a plain word")
			continue
		}
		if before, ok := seen[key.Value]; ok {
			f.bad(key, fmt.Sprintf("duplicate key %s, first on line %d", shown(key.Value), before))
			continue
		}
		seen[key.Value], _ = f.at(key.Line, key.Column)
		take(key, value)
	}
}

// key reads one pair of the frontmatter.
func (f *frontReader) key(key, value *yaml.Node) {
	front := f.front
	f.in = key.Value
	defer func() { f.in = "" }()
	switch key.Value {
	case "task":
		n, ok := f.number(key, value)
		if ok {
			front.Task = int(n)
		}
	case "phase":
		if isScalar(value, "!!str", "!!int") {
			front.Phase = value.Value
		} else {
			f.bad(value, "phase must be a number or a word")
		}
	case "thread":
		front.Thread, _ = f.word(key, value)
	case "seq":
		if n, ok := f.number(key, value); ok {
			front.Seq = &n
		}
	case "profile":
		if s, ok := f.word(key, value); ok && s != "handoff" && s != "completion" {
			f.bad(value, "profile must be handoff or completion")
		} else {
			front.Profile = s
		}
	case "draft":
		if front.Draft = value.Value == "true"; !isScalar(value, "!!bool") {
			f.bad(value, "draft must be true or false")
		}
	case "source":
		front.Source, _ = f.word(key, value)
	case "lint":
		f.allow(value)
	default:
		f.counted = f.counted || key.Value == "total_tasks"
		switch at := handoff.ParseMoment(value.Value); timeOf(key.Value) {
		case writtenTime:
			front.Written = firstKnown(front.Written, at)
		case updatedTime:
			front.Updated = firstKnown(front.Updated, at)
		}
		f.bad(key, fmt.Sprintf("unknown key %s (task, phase, thread, seq, profile, draft, source, lint)", shown(key.Value)))
		return
	}
	front.KeyLine[key.Value], _ = f.at(key.Line, key.Column)
}

// A keyTime is what other tools write at a key. It stays an unknown key unless a layout has it.
type keyTime uint8

const (
	noTime keyTime = iota
	writtenTime
	updatedTime
)

// timeOf returns which time of the document is at a key.
func timeOf(key string) keyTime {
	switch strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(key)) {
	case "date", "created", "created_at", "timestamp", "written", "written_at":
		return writtenTime
	case "updated", "updated_at", "last_updated", "last_update", "last_modified", "modified":
		return updatedTime
	}
	return noTime
}

func firstKnown(a, b handoff.Moment) handoff.Moment {
	if a.Known() {
		return a
	}
	return b
}

// allow reads the rules that the document may break. The linter reports a
// missing reason.
func (f *frontReader) allow(value *yaml.Node) {
	if value.Kind != yaml.MappingNode {
		f.bad(value, "lint must be lines of the form rule: reason")
		return
	}
	f.pairs(value, func(rule, reason *yaml.Node) {
		if !isScalar(reason, "!!str", "!!null") {
			f.bad(reason, "the reason must be words")
			return
		}
		a := handoff.Allowed{Rule: rule.Value}
		a.Line, _ = f.at(rule.Line, rule.Column)
		if reason.ShortTag() == "!!str" {
			a.Reason = trim(reason.Value)
		}
		f.front.Allow = append(f.front.Allow, a)
	})
}

// number reads a whole number in plain digits; a leading zero does not make it
// octal.
func (f *frontReader) number(key, value *yaml.Node) (int64, bool) {
	if isScalar(value, "!!int") {
		if n, err := strconv.ParseInt(value.Value, 10, 64); err == nil && n >= 0 && int64(int(n)) == n {
			return n, true
		}
	}
	f.bad(value, key.Value+" must be a whole number")
	return 0, false
}

func (f *frontReader) word(key, value *yaml.Node) (string, bool) {
	if isScalar(value, "!!str") {
		return value.Value, true
	}
	f.bad(value, key.Value+" must be a word: put it in quotes")
	return "", false
}

func isScalar(n *yaml.Node, tags ...string) bool {
	return n.Kind == yaml.ScalarNode && slices.Contains(tags, n.ShortTag())
}

// shown quotes a key for a message, shortened.
func shown(key string) string {
	const most = 40
	if runes := []rune(key); len(runes) > most {
		key = string(runes[:most]) + "…"
	}
	return strconv.Quote(key)
}
