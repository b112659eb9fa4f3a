package openapi

import (
	"encoding"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// timedBody removes the deadline once the body was read: the handler may take
// longer.
type timedBody struct {
	io.ReadCloser
	rc *http.ResponseController
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == io.EOF:
		b.rc.SetReadDeadline(time.Time{})
	case err != nil:
		err = unreadError{err}
	}
	return n, err
}

// unreadError is an error of reading a body: see [BodyError].
type unreadError struct{ error }

func (e unreadError) Unwrap() error { return e.error }

// BodyError turns errors of reading a body into a [*Refusal]; other errors stay
// as they are. net/http does not export its errors for malformed chunks, so any
// other error is the client's fault.
func BodyError(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return tooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Refusal{Status: http.StatusRequestTimeout, Text: "reading the body timed out"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Refusal{Status: http.StatusBadRequest, Text: "the body is incomplete"}
	case errors.As(err, new(unreadError)):
		return &Refusal{Status: http.StatusBadRequest, Text: "the body cannot be read: malformed chunks or a broken connection"}
	}
	return err
}

// read fills an input from a request. A lenient operation gets the unknown members and
// parameters, which have no effect; others refuse them.
func read(r *http.Request, into reflect.Value, lenient bool) (ignored []string, err error) {
	d := decoder{lenient: lenient}
	query, known := r.URL.Query(), []string{}
	for _, f := range parametersOf(into.Type()) {
		if err := readParameter(r, query, f, into.FieldByIndex(f.Index)); err != nil {
			return nil, err
		}
		if in, name := place(f); in == "query" {
			known = append(known, name)
		}
	}
	if err := d.query(query, known); err != nil {
		return nil, err
	}
	if body := into.FieldByName("Body"); body.IsValid() {
		err = d.body(r, body)
	}
	return d.ignored, err
}

// query looks for parameters that the operation does not have.
func (d *decoder) query(query url.Values, known []string) error {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case slices.Contains(known, name):
		case d.lenient:
			d.ignored = append(d.ignored, name)
		default:
			return unknown(http.StatusBadRequest, "query parameter", name, name, known)
		}
	}
	return nil
}

func readParameter(r *http.Request, query url.Values, f reflect.StructField, into reflect.Value) error {
	in, name := place(f)
	var values []string
	switch in {
	case "path":
		values = []string{r.PathValue(name)}
	case "query":
		values = query[name]
	case "header":
		values = r.Header.Values(name)
	}
	if in == "query" && f.Type.Kind() == reflect.Slice { // may be repeated
		for _, text := range values {
			item := reflect.New(f.Type.Elem()).Elem()
			if !setParameter(item, f.Tag, text) {
				return badParameter(in, name, item.Type(), f.Tag)
			}
			into.Set(reflect.Append(into, item))
		}
		return nil
	}
	text, given := f.Tag.Lookup("default")
	if len(values) > 0 {
		text, given = values[0], true
	}
	if given && !setParameter(into, f.Tag, text) {
		return badParameter(in, name, f.Type, f.Tag)
	}
	return nil
}

func badParameter(in, name string, t reflect.Type, tag reflect.StructTag) error {
	return &Refusal{Status: http.StatusBadRequest, Text: in + " parameter " + name + ": want " + wanted(t, tag)}
}

// parametersOf are the fields of an input that are parameters, those of its
// body included.
func parametersOf(input reflect.Type) (list []reflect.StructField) {
	for _, f := range fieldsOf(input) {
		if f.Name != "Body" {
			list = append(list, f)
			continue
		}
		for _, of := range fieldsOf(f.Type) {
			if name, _ := jsonName(of); name == "-" && isParameter(of) {
				of.Index = append(slices.Clone(f.Index), of.Index...)
				list = append(list, of)
			}
		}
	}
	return list
}

func isParameter(f reflect.StructField) bool {
	return f.Tag.Get("query") != "" || f.Tag.Get("header") != ""
}

// place is the kind of a parameter, and its name.
func place(f reflect.StructField) (in, name string) {
	for _, in := range [...]string{"path", "query", "header"} {
		if name, ok := f.Tag.Lookup(in); ok {
			return in, name
		}
	}
	panic("openapi: " + f.Name + ": unknown parameter") // a programming error, which any test finds
}

// fieldsOf are the fields of a struct, with those of embedded structs in place.
func fieldsOf(t reflect.Type) []reflect.StructField {
	var list []reflect.StructField
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			list = append(list, f)
		}
	}
	return list
}

// setParameter decodes a parameter, and checks it against its tags.
func setParameter(into reflect.Value, tag reflect.StructTag, text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	if u, ok := into.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return u.UnmarshalText([]byte(text)) == nil
	}
	if into.Kind() == reflect.String {
		into.SetString(text)
	} else if !setScalar(text, into) {
		return false
	}
	return within(into, tag)
}

// within reports whether a value satisfies the tags of its field.
func within(v reflect.Value, tag reflect.StructTag) bool {
	if list := tag.Get("enum"); list != "" {
		return slices.Contains(strings.Split(list, ","), v.String())
	}
	if s := tag.Get("min"); s != "" && compare(v, s) < 0 {
		return false
	}
	if s := tag.Get("max"); s != "" && compare(v, s) > 0 {
		return false
	}
	return true
}

// compare compares a number with one in a tag.
func compare(v reflect.Value, s string) int {
	bound, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic("openapi: " + err.Error())
	}
	switch {
	case v.CanInt():
		return int(max(-1, min(1, v.Int()-bound)))
	case bound < 0 || v.Uint() > uint64(bound):
		return 1
	case v.Uint() < uint64(bound):
		return -1
	}
	return 0
}

// wanted describes the values that a field accepts.
func wanted(t reflect.Type, tag reflect.StructTag) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	from, to := tag.Get("min"), tag.Get("max")
	switch {
	case tag.Get("enum") != "":
		return "one of " + strings.ReplaceAll(tag.Get("enum"), ",", ", ")
	case from != "" && to != "":
		return "a whole number from " + from + " to " + to
	case from != "":
		return "a whole number from " + from + " on"
	case t.Implements(textUnmarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler):
		return tag.Get("doc")
	}
	if isObject(tag) {
		return "an object"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Uint32, reflect.Uint64:
		return "a whole number, 0 or more"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// isJSON reports whether a content type is JSON, by the same rules as axum.
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	sub, ok := strings.CutPrefix(media, "application/")
	return ok && (sub == "json" || strings.HasSuffix(sub, "+json"))
}
