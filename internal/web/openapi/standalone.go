package openapi

import (
	"maps"
	"reflect"
	"strings"

	"handoff/internal/json/jsontext"
)

// Standalone is what a JSON Schema says besides the types.
type Standalone struct {
	ID, Title, Description string
	Nulls                  bool // a list without items is null, and so is a map
}

// Schema is a JSON Schema 2020-12 of its own for values that have one of the types: what [Document] says of them, with
// the named schemas that they need as $defs. Like all that is printed, they may get more members.
func Schema(info Info, about Standalone, types ...reflect.Type) []byte {
	s := newSchemas(info)
	s.nulls = about.Nulls
	var forms []any
	for _, t := range types {
		if t.Kind() == reflect.Struct && len(types) == 1 && s.written[t] == "" {
			forms = append(forms, s.structure(t, false)) // the schema itself, no reference
			continue
		}
		forms = append(forms, s.of(t, "", false))
	}
	o := object{"anyOf": forms}
	if len(forms) == 1 {
		o = forms[0].(object)
	}
	defs := object{}
	local(o, s.named, defs)
	if len(defs) > 0 {
		o["$defs"] = defs
	}
	o["$schema"], o["$id"] = "https://json-schema.org/draft/2020-12/schema", about.ID
	o["title"], o["description"] = about.Title, about.Description
	text, err := jsontext.MarshalIndent(o)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and maps of them
	}
	return text
}

// component is before the names of schemas in references of [Document].
const component = "#/components/schemas/"

// local makes the references in v point to defs, and adds what they name to it.
func local(v any, named, defs object) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			local(item, named, defs)
		}
	case []object:
		for _, item := range v {
			local(item, named, defs)
		}
	case object:
		if ref, ok := v["$ref"].(string); ok && strings.HasPrefix(ref, component) {
			name := strings.TrimPrefix(ref, component)
			v["$ref"] = "#/$defs/" + name
			if defs[name] == nil {
				of := maps.Clone(named[name].(object))
				defs[name] = of
				local(of, named, defs)
			}
		}
		for _, member := range v {
			local(member, named, defs)
		}
	}
}
