package openapi

import (
	"encoding"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/internal/jsonedit"
)

// readBody reads a JSON body as serde does for RIP: another content type is
// 415, what is no JSON in UTF-8 is 400, and what is JSON of another shape is
// 422. Unknown keys are passed over; null for what may be left out means that
// it is. Unlike encoding/json it takes keys by their exact spelling and once.
func readBody(r *http.Request, into reflect.Value) error {
	if !isJSON(r.Header.Get("Content-Type")) {
		return &Refusal{http.StatusUnsupportedMediaType, "want Content-Type: application/json"}
	}
	src, err := io.ReadAll(r.Body)
	if err != nil {
		return BodyError(err)
	}
	if !utf8.Valid(src) {
		return &Refusal{http.StatusBadRequest, "the body is not UTF-8"}
	}
	f, err := jsonedit.Parse(src)
	if err != nil {
		return &Refusal{http.StatusBadRequest, "the body is not JSON"}
	}
	return decode(f.Root(), into, "", "body")
}

// decode reads a value. where names it in what is said of it.
func decode(v jsonedit.Value, into reflect.Value, tag reflect.StructTag, where string) error {
	if into.Kind() == reflect.Pointer {
		if v.Kind() == jsonedit.KindNull {
			return nil
		}
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	ok := false
	switch at := into.Addr().Interface().(type) {
	case *json.RawMessage:
		*at, ok = v.Raw(), true
		return nil
	case encoding.TextUnmarshaler:
		if ok = v.Kind() == jsonedit.KindString; ok {
			text, _ := v.Text()
			ok = at.UnmarshalText([]byte(text)) == nil
		}
	default:
		switch into.Kind() {
		case reflect.Struct:
			return decodeObject(v, into, where)
		case reflect.Slice:
			return decodeArray(v, into, tag, where)
		case reflect.String:
			if ok = v.Kind() == jsonedit.KindString; ok {
				text, _ := v.Text()
				if strings.ContainsRune(text, utf8.RuneError) && halfPair(v.Raw()) {
					return &Refusal{http.StatusBadRequest, where + " has half a surrogate pair"}
				}
				into.SetString(text)
			}
		default:
			ok = decodeScalar(v, into)
		}
		ok = ok && within(into, tag)
	}
	if !ok {
		return &Refusal{http.StatusUnprocessableEntity, where + ": want " + wanted(into.Type(), tag)}
	}
	return nil
}

func decodeScalar(v jsonedit.Value, into reflect.Value) (ok bool) {
	raw := string(v.Raw())
	switch into.Kind() {
	case reflect.Bool:
		var b bool
		b, ok = v.Bool()
		into.SetBool(b)
	case reflect.Uint64:
		n, err := strconv.ParseUint(raw, 10, 64) // 1.0 and 1e0 are no whole numbers to serde
		into.SetUint(n)
		ok = err == nil
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(raw, 10, 64)
		into.SetInt(n)
		ok = err == nil
	case reflect.Float64:
		n, err := strconv.ParseFloat(raw, 64)
		into.SetFloat(n)
		ok = err == nil && v.Kind() == jsonedit.KindNumber && !math.IsInf(n, 0)
	default:
		panic("openapi: a body cannot hold a " + into.Type().String())
	}
	return ok
}

func decodeArray(v jsonedit.Value, into reflect.Value, tag reflect.StructTag, where string) error {
	switch v.Kind() {
	case jsonedit.KindNull:
		return nil // a list may be left out
	case jsonedit.KindArray:
	default:
		return &Refusal{http.StatusUnprocessableEntity, where + ": want an array"}
	}
	list := reflect.MakeSlice(into.Type(), v.Len(), v.Len())
	for i, element := range v.Elements() {
		if err := decode(element, list.Index(i), tag, where+"["+strconv.Itoa(i)+"]"); err != nil {
			return err
		}
	}
	into.Set(list)
	return nil
}

func decodeObject(v jsonedit.Value, into reflect.Value, where string) error {
	if v.Kind() != jsonedit.KindObject {
		return &Refusal{http.StatusUnprocessableEntity, where + ": want an object"}
	}
	fields := map[string]reflect.StructField{}
	for _, f := range fieldsOf(into.Type()) {
		name, _ := jsonName(f)
		fields[name] = f
	}
	seen := map[string]bool{}
	for key, value := range v.Members() {
		f, ok := fields[key]
		if !ok {
			continue
		}
		name := below(where, key)
		if seen[key] {
			return &Refusal{http.StatusUnprocessableEntity, name + " stands twice"}
		}
		seen[key] = true
		if err := decode(value, into.FieldByIndex(f.Index), f.Tag, name); err != nil {
			return err
		}
	}
	if key := missing(fields, seen); key != "" {
		return &Refusal{http.StatusUnprocessableEntity, below(where, key) + " is missing"}
	}
	return nil
}

// missing is the first required key that is not there, so that the same
// request is always told the same.
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

// optional reports whether a field of a body may be left out.
func optional(f reflect.StructField) bool {
	switch f.Type.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return true
	}
	return false
}

// jsonName is a field's key, and whether encoding/json may leave it out.
func jsonName(f reflect.StructField) (name string, omitted bool) {
	name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	return name, strings.Contains(rest, "omitempty")
}

// halfPair reports whether a JSON string holds an escape that is one half of a
// surrogate pair: no text in UTF-8 can say that.
func halfPair(raw []byte) bool {
	unit := func(i int) int64 {
		if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
			return -1
		}
		n, _ := strconv.ParseInt(string(raw[i+2:i+6]), 16, 32)
		return n
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		switch n := unit(i); {
		case n >= 0xd800 && n < 0xdc00:
			if low := unit(i + 6); low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 11
		case n >= 0xdc00 && n < 0xe000:
			return true
		case n >= 0:
			i += 5
		default:
			i++ // the escaped character
		}
	}
	return false
}
