package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"handoff/internal/json/jsontext"
)

// object is a JSON object; encoding/json writes its keys in order.
type object = map[string]any

// schemas are the named schemas of a document.
type schemas struct {
	named   object
	types   map[string]reflect.Type
	input   map[string]bool
	written map[reflect.Type]string   // Info.Written
	names   map[reflect.Type]string   // Info.Named
	enums   map[reflect.Type][]string // Info.Enums
	lenient bool                      // the operation ignores unknown members
	nulls   bool                      // lists and maps without items are null
	open    map[string]bool           // inputs with unknown members, by their names
}

// Others is the type of a field tagged `json:"-"` in a body or an object of it.
// It gets the members without a field of their own, as they were sent; without
// Others they are refused, or ignored by a lenient operation.
type Others []jsontext.Member

var (
	othersType     = reflect.TypeFor[Others]()
	timeType       = reflect.TypeFor[time.Time]()
	rawType        = reflect.TypeFor[json.RawMessage]()
	textMarshaler  = reflect.TypeFor[encoding.TextMarshaler]()
	largestInteger = json.Number(strconv.FormatUint(math.MaxUint64, 10))
)

// of is the JSON Schema 2020-12 of a type, with the tags of its field.
func (s *schemas) of(t reflect.Type, tag reflect.StructTag, input bool) object {
	switch {
	case t.Kind() == reflect.Pointer:
		return described(nullable(s.of(t.Elem(), "", input), tag, t.Elem()), tag)
	case t.Kind() == reflect.Slice && t != rawType:
		elem := t.Elem()
		if elem.Kind() == reflect.Pointer {
			elem = elem.Elem() // never nil
		}
		items := s.of(elem, "", input)
		tags(items, elem, tag)
		o := object{"type": "array", "items": items}
		if input || s.nulls {
			o["type"] = []string{"array", "null"} // null means no items
		}
		if most, err := strconv.Atoi(tag.Get("maxItems")); err == nil {
			o["maxItems"] = most
		}
		return described(o, tag)
	}
	o := s.plain(t, input)
	tags(o, t, tag)
	return described(o, tag)
}

func (s *schemas) plain(t reflect.Type, input bool) object {
	switch {
	case s.written[t] != "":
		return object{"$ref": "#/components/schemas/" + s.written[t]}
	case s.enums[t] != nil:
		return object{"type": "string", "enum": s.enums[t]}
	case t == timeType:
		return object{"type": "string", "format": "date-time"}
	case t == rawType:
		return object{}
	case t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	case reflect.Uint32:
		return object{"type": "integer", "format": "uint32", "minimum": 0, "maximum": uint32(math.MaxUint32)}
	case reflect.Uint64:
		return object{"type": "integer", "format": "uint64", "minimum": 0, "maximum": largestInteger}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Map:
		o := object{"type": "object", "additionalProperties": s.of(t.Elem(), "", input)}
		if s.nulls {
			o["type"] = []string{"object", "null"}
		}
		return o
	case reflect.Interface:
		return object{}
	case reflect.Struct:
		return s.reference(t, input)
	}
	panic("openapi: no schema for " + t.String()) // a programming error, which any test finds
}

// tags adds the tags of a field to a schema.
func tags(o object, t reflect.Type, tag reflect.StructTag) {
	if isObject(tag) {
		o["type"], o["additionalProperties"] = "object", object{}
	}
	if list := tag.Get("enum"); list != "" {
		o["enum"] = strings.Split(list, ",")
	}
	for _, key := range [...]string{"pattern", "format"} {
		if v := tag.Get(key); v != "" {
			o[key] = v
		}
	}
	for key, name := range map[string]string{"min": "minimum", "max": "maximum"} {
		if n := tag.Get(key); n != "" {
			o[name] = json.Number(n)
		}
	}
	if d, ok := tag.Lookup("default"); ok {
		o["default"] = d
		if k := t.Kind(); k == reflect.Int || k == reflect.Int64 || k == reflect.Uint32 || k == reflect.Uint64 {
			o["default"] = json.Number(d)
		} else if k == reflect.Bool {
			o["default"] = d == "true"
		}
	}
}

func described(o object, tag reflect.StructTag) object {
	if doc := tag.Get("doc"); doc != "" {
		o["description"] = doc
	}
	return o
}

// nullable also permits null.
func nullable(o object, tag reflect.StructTag, t reflect.Type) object {
	tags(o, t, tag)
	kind, ok := o["type"].(string)
	if !ok {
		if len(o) == 0 {
			return o
		}
		return object{"anyOf": []any{o, object{"type": "null"}}}
	}
	o["type"] = []string{kind, "null"}
	if list, ok := o["enum"].([]string); ok {
		with := make([]any, 0, len(list)+1)
		for _, v := range list {
			with = append(with, v)
		}
		o["enum"] = append(with, nil)
	}
	return o
}

// reference names a struct among the components, under the name of its type; an
// input that an earlier operation answers with has "Body" appended. Two types
// with one name are a mistake in a table.
func (s *schemas) reference(t reflect.Type, input bool) object {
	name := s.names[t]
	if name == "" {
		if name = t.Name(); name == "" {
			return s.structure(t, input)
		}
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	if s.types[name] == t && input && !s.input[name] {
		name += "Body" // members that are optional in a request are always in an answer
	}
	ref := object{"$ref": "#/components/schemas/" + name}
	if known, ok := s.types[name]; ok {
		if known != t || s.input[name] != input || input && s.open[name] != s.lenient {
			panic("openapi: two schemas are named " + name)
		}
		return ref
	}
	if s.named[name] != nil {
		panic("openapi: two schemas are named " + name)
	}
	s.types[name], s.input[name], s.open[name] = t, input, s.lenient
	s.named[name] = s.structure(t, input)
	return ref
}

// member is the schema of a member of a body. What encoding/json may leave out
// may also be null. A default is only in the description: generated clients would
// require a member with a default.
func (s *schemas) member(f reflect.StructField, omitted bool) object {
	if onlyKnown(f.Tag) && s.lenient {
		s.lenient = false
		defer func() { s.lenient = true }()
	}
	o := s.of(f.Type, f.Tag, true)
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Map:
	case reflect.Slice:
		if omitted && isObject(f.Tag) {
			o["type"] = []string{"object", "null"}
		}
	default:
		if omitted {
			o = described(nullable(s.of(f.Type, "", true), f.Tag, f.Type), f.Tag)
		}
	}
	delete(o, "default")
	return o
}

func (s *schemas) structure(t reflect.Type, input bool) object {
	properties, required := object{}, []string{}
	o := object{"type": "object", "properties": properties}
	if input && !s.lenient {
		o["additionalProperties"] = false
	}
	for _, f := range fieldsOf(t) {
		if f.Type == othersType {
			o["additionalProperties"] = object{}
		}
		name, omitted := jsonName(f)
		if name == "-" {
			continue
		}
		if input && f.Tag.Get("doc") == "" {
			panic(fmt.Sprintf("openapi: %s.%s has no doc tag", t, f.Name))
		}
		switch {
		case input:
			properties[name] = s.member(f, omitted)
		case omitted && f.Type.Kind() == reflect.Pointer:
			properties[name] = s.of(f.Type.Elem(), f.Tag, false) // absent, never null
		default:
			properties[name] = s.of(f.Type, f.Tag, false)
		}
		if !omitted && !(input && optional(f)) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		o["required"] = required
	}
	return o
}
