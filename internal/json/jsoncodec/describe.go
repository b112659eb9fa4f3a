package jsoncodec

import (
	"encoding/json"
	"strings"
)

// Field describes a field.
type Field struct {
	Name string
	// How is the type: text, u16, u32, u64, i32, bool, any, texts, record, records,
	// or the possible strings, separated by "|". A single one ends with "|".
	How     string
	Omitted bool // left out when there is no value
	Null    bool // null when there is no value
	inner   []Field
}

// Fields describes the fields of an object, in the order in which they are written.
func Fields(fields func(*Codec)) (list []Field) {
	fields(&Codec{notes: &list})
	return list
}

// listOf describes the fields of an inner object; nil if c reads or writes.
func listOf[T any](c *Codec, fields func(*T, *Codec)) []Field {
	if c.notes == nil {
		return nil
	}
	return Fields(func(c *Codec) { fields(new(T), c) })
}

type object = map[string]any

// Schema describes an object with these fields as JSON Schema 2020-12.
func Schema(fields []Field) map[string]any {
	properties, required := object{}, []string{}
	for _, f := range fields {
		properties[f.Name] = f.schema()
		if !f.Omitted {
			required = append(required, f.Name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func (f Field) schema() object {
	o := f.plain()
	if kind, ok := o["type"]; ok && f.Null {
		o["type"] = []any{kind, "null"}
	}
	return o
}

func (f Field) plain() object {
	switch f.How {
	case "text":
		return object{"type": "string"}
	case "u64":
		return object{"type": "integer", "format": "uint64", "minimum": 0, "maximum": json.Number("18446744073709551615")}
	case "u32":
		return object{"type": "integer", "format": "uint32", "minimum": 0, "maximum": json.Number("4294967295")}
	case "u16":
		return object{"type": "integer", "minimum": 0, "maximum": 65535}
	case "i32":
		return object{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1}
	case "bool":
		return object{"type": "boolean"}
	case "any":
		return object{}
	case "texts":
		return object{"type": "array", "items": object{"type": "string"}}
	case "record":
		return Schema(f.inner)
	case "records":
		return object{"type": "array", "items": Schema(f.inner)}
	}
	return object{"type": "string", "enum": strings.Split(strings.TrimSuffix(f.How, "|"), "|")}
}
