package jsontext

import (
	"bytes"
	"encoding/json"
)

// Marshal is json.Marshal without escaping <, > and &: nothing here is inserted
// into web pages, and text full of \u003c is hard to read.
func Marshal(v any) ([]byte, error) {
	text, err := encode(v, "")
	return bytes.TrimSuffix(text, []byte("\n")), err
}

// MarshalIndent is Marshal with two spaces for each level and a newline at the end.
func MarshalIndent(v any) ([]byte, error) { return encode(v, "  ") }

func encode(v any, indent string) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return out.Bytes(), err
}
