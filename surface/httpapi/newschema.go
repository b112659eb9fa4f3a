package httpapi

import (
	"encoding/json"

	"handoff/docs/schema"
)

// The names of the schemas of [newHandoff], and of a text in it.
const (
	newHandoffName  = "NewHandoff"
	handoffTextName = "HandoffText"
)

// handoffTextSchema describes a text: YAML reads an unquoted "what: why" as an object,
// so that is a text, too.
func handoffTextSchema() map[string]any {
	type object = map[string]any
	return object{
		"description": "text; an object with one member is read as \"what: why\", as is one with the members what and why",
		"anyOf":       []object{{"type": "string"}, {"type": "object", "additionalProperties": object{"type": "string"}}},
	}
}

// newHandoffSchema describes the body of a request that writes a handoff: the members of
// `handoff schema new`, and those that only a request has.
func newHandoffSchema() map[string]any {
	type object = map[string]any
	text := object{"$ref": "#/components/schemas/" + handoffTextName}
	properties := object{
		"markdown": object{"type": []string{"string", "null"}, "description": "the whole document; its title gets the phase and the time. Besides it only task, phase, slug, draft, dry_run, claim, replace and unfenced"},
		"draft":    object{"type": []string{"boolean", "null"}, "description": "write it despite lint errors, with placeholders in the gaps"},
		"dry_run":  object{"type": []string{"boolean", "null"}, "description": "write nothing: answer 200 with the path and the text it would have"},
		"carry":    object{"type": []string{"boolean", "null"}, "description": "take over the dead ends and the context of the handoff before that are not given, word for word"},
		"claim":    object{"type": []string{"string", "null"}, "description": "claim of the handoff that this one continues: a stale one is refused, and the step superseded is recorded"},
		"replace":  object{"type": []string{"string", "null"}, "description": "handoff of the same task that waits and that this one is written instead of: path, 259/3 or 259; the step superseded is recorded"},
		"unfenced": object{"type": []string{"boolean", "null"}, "description": "if the store cannot say whether the claim is stale, write the document anyway, and mark it"},
	}
	for name, p := range publishedMembers() {
		delete(p, "additionalProperties")
		switch p["$ref"] {
		case "#/$defs/text":
			p["$ref"] = text["$ref"]
		case "#/$defs/texts":
			p = object{"type": []string{"array", "null"}, "items": text, "description": p["description"]}
		case "#/$defs/lines":
			p = object{"description": p["description"], "anyOf": []object{{"type": "array", "items": text}, {"type": "string"}, {"type": "null"}}}
		}
		if name == "state" {
			where := object{"type": "object", "properties": object{"file": text, "location": text, "goal": text}}
			p = object{"description": p["description"], "anyOf": []object{where, {"type": "string"}, {"type": "null"}}}
		}
		if name == "task" {
			p = object{"description": p["description"], "anyOf": []object{
				{"type": "integer", "format": "int64", "minimum": p["minimum"], "maximum": p["maximum"]}, {"type": "string", "pattern": p["pattern"]}}}
		}
		if p["enum"] != nil {
			p["type"], p["description"] = "string", "kind of document; default handoff"
		}
		properties[name] = p
	}
	return object{"type": "object", "description": "What a new handoff contains. A section with nothing to say takes an empty list.", "properties": properties, "additionalProperties": false}
}

// publishedMembers are the members of the schema `handoff schema new`.
func publishedMembers() map[string]map[string]any {
	var published struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	text, err := schema.FS.ReadFile("new.schema.json")
	if err == nil {
		err = json.Unmarshal(text, &published)
	}
	if err != nil {
		panic(err) // the file is embedded
	}
	return published.Properties
}
