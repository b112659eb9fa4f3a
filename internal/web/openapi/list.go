package openapi

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
)

// isList reports whether a value is encoded as a JSON array of its items.
func isList(v reflect.Value) bool {
	if v.Kind() != reflect.Slice || v.IsNil() || v.Type().Elem().Kind() == reflect.Uint8 {
		return false
	}
	_, own := v.Interface().(json.Marshaler)
	return !own
}

// writeList encodes a list item by item. If encoding fails before anything was
// sent, it returns an error; later the answer has to be broken off.
func writeList(w http.ResponseWriter, code int, list reflect.Value) error {
	out := bufio.NewWriterSize(&answer{w, code, false}, 64<<10)
	var item bytes.Buffer
	enc := json.NewEncoder(&item)
	enc.SetEscapeHTML(false)
	before := byte('[')
	for i := range list.Len() {
		item.Reset()
		if err := enc.Encode(list.Index(i).Addr().Interface()); err != nil {
			return err
		}
		out.WriteByte(before)
		if _, err := out.Write(bytes.TrimSuffix(item.Bytes(), []byte("\n"))); err != nil {
			return nil // the client disconnected
		}
		before = ','
	}
	if list.Len() == 0 {
		out.WriteByte(before)
	}
	out.WriteByte(']')
	out.Flush()
	return nil
}

// answer sends status and media type with the first bytes.
type answer struct {
	http.ResponseWriter
	code  int
	begun bool
}

func (a *answer) Write(p []byte) (int, error) {
	if !a.begun {
		a.begun = true
		a.Header().Set("Content-Type", "application/json")
		a.WriteHeader(a.code)
	}
	return a.ResponseWriter.Write(p)
}
