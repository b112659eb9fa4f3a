package openapi

import (
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/nearest"
)

// decoder decodes the body of a request.
type decoder struct {
	lenient bool
	ignored []string // unknown members and parameters of a lenient operation
}

// body decodes a JSON body as serde does for RIP: another content type is 415, invalid
// JSON is 400, and JSON of another shape is 422. Unlike encoding/json it compares keys
// exactly and rejects duplicates.
func (d *decoder) body(r *http.Request, into reflect.Value) error {
	if !isJSON(r.Header.Get("Content-Type")) {
		return &Refusal{Status: http.StatusUnsupportedMediaType, Text: "want Content-Type: application/json"}
	}
	src, err := io.ReadAll(r.Body)
	if err != nil {
		return BodyError(err)
	}
	value := strings.Trim(string(src), " \t\r\n")
	if value == "" {
		return &Refusal{Status: http.StatusBadRequest, Text: "the body is empty: want JSON, at least {}"}
	}
	if err := jsontext.Strict.Check(value); err != nil {
		return &Refusal{Status: http.StatusBadRequest, Text: "the body is not JSON in UTF-8"}
	}
	return d.decode(value, into, "", "body")
}

// decode decodes a value that is known to be JSON. where is its name in errors.
func (d *decoder) decode(value string, into reflect.Value, tag reflect.StructTag, where string) error {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	ok := false
	switch at := into.Addr().Interface().(type) {
	case *json.RawMessage:
		*at = json.RawMessage(value)
		ok = !isObject(tag) || value[0] == '{'
	case encoding.TextUnmarshaler:
		ok = jsontext.IsText(value) && at.UnmarshalText([]byte(jsontext.Text(value))) == nil
	default:
		switch into.Kind() {
		case reflect.Struct:
			return d.object(value, into, tag, where)
		case reflect.Slice:
			return d.array(value, into, tag, where)
		}
		ok = decodeScalar(value, into)
	}
	status := http.StatusUnprocessableEntity
	if ok && !within(into, tag) {
		ok = false
		if tag.Get("enum") == "" {
			status = http.StatusBadRequest // the type is right: refused by RIP's handlers, not by serde
		}
	}
	if !ok {
		return &Refusal{Status: status, Text: where + ": want " + wanted(into.Type(), tag)}
	}
	return nil
}

// decodeScalar decodes a string, a boolean or a number.
func decodeScalar(value string, into reflect.Value) bool {
	if into.Kind() == reflect.String {
		into.SetString(jsontext.Text(value))
		return jsontext.IsText(value)
	}
	return setScalar(value, into)
}

// setScalar parses a boolean or a number. As for serde, 1.0 and 1e0 are not
// integers.
func setScalar(text string, into reflect.Value) bool {
	var err error
	switch into.Kind() {
	case reflect.Bool:
		into.SetBool(text == "true")
		return text == "true" || text == "false"
	case reflect.Uint32, reflect.Uint64:
		var n uint64
		n, err = strconv.ParseUint(text, 10, into.Type().Bits())
		into.SetUint(n)
	case reflect.Int, reflect.Int64:
		var n int64
		n, err = strconv.ParseInt(text, 10, 64)
		into.SetInt(n)
	case reflect.Float64:
		var n float64
		n, err = strconv.ParseFloat(text, 64)
		into.SetFloat(n)
	default:
		panic("openapi: a request cannot hold a " + into.Type().String())
	}
	return err == nil
}

func (d *decoder) array(value string, into reflect.Value, tag reflect.StructTag, where string) error {
	if value == "null" {
		return nil // an optional array
	}
	items, err := jsontext.Strict.Array(value)
	if err != nil {
		return &Refusal{Status: http.StatusUnprocessableEntity, Text: where + ": want an array"}
	}
	if most, err := strconv.Atoi(tag.Get("maxItems")); err == nil && len(items) > most {
		return &Refusal{Status: http.StatusBadRequest, Text: where + ": want at most " + strconv.Itoa(most) + " items"}
	}
	list := reflect.MakeSlice(into.Type(), len(items), len(items))
	for i, item := range items {
		if err := d.decode(item, list.Index(i), tag, where+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

func (d *decoder) object(value string, into reflect.Value, tag reflect.StructTag, where string) error {
	members, err := jsontext.Strict.Object(value)
	if err != nil {
		return &Refusal{Status: http.StatusUnprocessableEntity, Text: where + ": want an object"}
	}
	fields := map[string]reflect.StructField{}
	var others *Others
	for _, f := range fieldsOf(into.Type()) {
		if f.Type == othersType {
			others = into.FieldByIndex(f.Index).Addr().Interface().(*Others)
		} else if name, _ := jsonName(f); name != "-" {
			fields[name] = f
		}
	}
	seen := map[string]bool{}
	for _, m := range members {
		f, ok := fields[m.Name]
		name := below(where, m.Name)
		if !ok && others == nil {
			if err := d.unknown(name, m.Name, slices.Collect(maps.Keys(fields)), onlyKnown(tag)); err != nil {
				return err
			}
			continue
		}
		if seen[m.Name] {
			return &Refusal{Status: http.StatusUnprocessableEntity, Text: name + " is given twice"}
		}
		seen[m.Name] = true
		if !ok {
			*others = append(*others, m)
			continue
		}
		if m.Value == "null" && optional(f) && (f.Type != rawType || isObject(f.Tag)) {
			continue
		}
		if err := d.decode(m.Value, into.FieldByIndex(f.Index), f.Tag, name); err != nil {
			return err
		}
	}
	if key := missing(fields, seen); key != "" {
		return &Refusal{Status: http.StatusUnprocessableEntity, Text: below(where, key) + " is missing"}
	}
	setDefaults(fields, into)
	return nil
}

// unknown refuses a member that no field is for: the caller means something that would not
// happen. A lenient operation lists it.
func (d *decoder) unknown(path, name string, known []string, strict bool) error {
	if d.lenient && !strict {
		d.ignored = append(d.ignored, path)
		return nil
	}
	return unknown(http.StatusUnprocessableEntity, "member", path, name, known)
}

// unknown is the refusal of a name; path is where it is.
func unknown(status int, what, path, name string, known []string) error {
	slices.Sort(known)
	near := nearest.Word(strings.ToLower(name), known)
	hint := ""
	switch {
	case near != "":
		hint = ": did you mean " + near + "?"
	case len(known) > 0:
		hint = ": want " + strings.Join(known, ", ")
	}
	return &Refusal{Status: status, Text: fmt.Sprintf("unknown %s %.60q%s", what, path, hint), Name: fmt.Sprintf("%.60s", path), Nearest: near}
}

// onlyKnown reports whether an object of a lenient operation must have known members
// only.
func onlyKnown(tag reflect.StructTag) bool { return tag.Get("members") == "known" }

// setDefaults replaces blank text by its default. Fields of other types have no
// defaults: they are pointers if nil means something.
func setDefaults(fields map[string]reflect.StructField, into reflect.Value) {
	for _, f := range fields {
		def, ok := f.Tag.Lookup("default")
		if text := into.FieldByIndex(f.Index); ok && strings.TrimSpace(text.String()) == "" {
			text.SetString(def)
		}
	}
}

// missing is the first required key, in alphabetical order, that the body lacks.
func missing(fields map[string]reflect.StructField, seen map[string]bool) string {
	least := ""
	for key, f := range fields {
		if !seen[key] && !optional(f) && (least == "" || key < least) {
			least = key
		}
	}
	return least
}

func below(where, key string) string {
	if where == "body" {
		return key
	}
	return where + "." + key
}

// optional reports whether a member of a body may be left out or null: if its
// field can be nil, or encoding/json may leave it out.
func optional(f reflect.StructField) bool {
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		if !isObject(f.Tag) {
			return true
		}
	}
	_, omitted := jsonName(f)
	return omitted
}

// isObject reports whether a json.RawMessage must be a JSON object.
func isObject(tag reflect.StructTag) bool { return tag.Get("type") == "object" }

// jsonName is a field's key, and whether encoding/json may leave it out.
func jsonName(f reflect.StructField) (name string, omitted bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	return name, rest == "omitempty" || rest == "omitzero"
}
