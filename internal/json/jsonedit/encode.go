package jsonedit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// Object is an object to write, with its members in this order.
type Object []Member

// Member is a key and its value; see [File.Set] for what a value may be.
type Member struct {
	Key   string
	Value any
}

// encode turns a Go value into parsed JSON on one line. In this form it is compared
// with the value in the file and then laid out.
func encode(value any) (Value, error) {
	text, err := appendValue(nil, value)
	if err != nil {
		return Value{}, err
	}
	n, err := jsontext.ParseFile(string(text))
	if err != nil {
		return Value{}, fmt.Errorf("%w: %w", ErrValue, err)
	}
	v := Value{string(text), n}
	if twice := duplicates(nil, v.src, n, nil); len(twice) > 0 {
		return Value{}, fmt.Errorf("%w: duplicate key %s", ErrValue, twice[0].Path)
	}
	return v, nil
}

func appendValue(b []byte, value any) ([]byte, error) {
	switch value := value.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return appendString(b, value)
	case bool:
		return strconv.AppendBool(b, value), nil
	case int:
		return strconv.AppendInt(b, int64(value), 10), nil
	case int64:
		return strconv.AppendInt(b, value, 10), nil
	case uint64:
		return strconv.AppendUint(b, value, 10), nil
	case json.RawMessage:
		return appendRaw(b, value)
	case Object:
		return appendObject(b, value)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
		return appendSlice(b, v)
	}
	return nil, fmt.Errorf("%w: unsupported Go type %T", ErrValue, value)
}

// appendRaw checks the text on its own: inside an array, `1, 2` would be valid.
func appendRaw(b []byte, raw json.RawMessage) ([]byte, error) {
	if _, err := jsontext.ParseFile(string(raw)); err != nil {
		return nil, fmt.Errorf("%w: raw JSON: %w", ErrValue, err)
	}
	return append(b, raw...), nil
}

func appendObject(b []byte, o Object) (_ []byte, err error) {
	b = append(b, '{')
	for i, m := range o {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendString(b, m.Key); err != nil {
			return nil, err
		}
		if b, err = appendValue(append(b, ':'), m.Value); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Key, err)
		}
	}
	return append(b, '}'), nil
}

func appendSlice(b []byte, v reflect.Value) (_ []byte, err error) {
	b = append(b, '[')
	for i := range v.Len() {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v.Index(i).Interface()); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// appendString escapes only what JSON requires: <, >, & and all characters outside
// ASCII stay readable.
func appendString(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("%w: %q is not UTF-8", ErrValue, s)
	}
	return jsontext.AppendText(b, s), nil
}
