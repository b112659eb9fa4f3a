package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// Info has the parts of a document that do not come from operations.
type Info struct {
	Title, Description, Version string
	License                     string // an SPDX expression
	Tags                        []Tag
	Schemas                     map[string]any            // further schemas, for Answer.Events and Written
	Events                      map[string]reflect.Type   // types of events, for Answer.Events
	Written                     map[reflect.Type]string   // types that write their own JSON, with the names of their schemas
	Problem                     reflect.Type              // of the body of errors
	Named                       map[reflect.Type]string   // names of schemas, if not those of their types
	Enums                       map[reflect.Type][]string // types of texts that have only these values
	Headers                     []Header                  // of answers, for Answer.Headers and Operation.Headers
	ProblemHeaders              []string                  // names of those that errors may have
}

// Header is a header of answers.
type Header struct {
	Name, Description string
	Number            bool // its value is a whole number, 0 or more
}

// Tag is a group of operations.
type Tag struct{ Name, Description string }

// problemSchema is the name of the schema of errors.
const problemSchema = "Problem"

// ProblemMedia is the media type of errors (RFC 9457).
const ProblemMedia = "application/problem+json"

// Document describes the operations. The same operations give the same bytes.
func Document(info Info, ops []Operation) []byte {
	s := newSchemas(info)
	problem := s.reference(info.Problem, false)
	paths := object{}
	for _, op := range ops {
		path, ok := paths[op.Path].(object)
		if !ok {
			path = object{}
			paths[op.Path] = path
		}
		path[strings.ToLower(op.Method)] = s.operation(op)
	}
	tags := []object{}
	for _, t := range info.Tags {
		tags = append(tags, object{"name": t.Name, "description": t.Description})
	}
	doc := object{
		"openapi": "3.1.0",
		"info": object{"title": info.Title, "description": info.Description, "version": info.Version,
			"license": object{"name": info.License, "identifier": info.License}},
		"servers":  []object{{"url": "/", "description": "The server that this document comes from, http://127.0.0.1:7341 if it was not told otherwise."}},
		"tags":     tags,
		"paths":    paths,
		"security": []object{{}, {"token": []string{}}},
		"components": object{
			"schemas": s.named,
			"headers": describeHeaders(info.Headers),
			"responses": object{problemSchema: object{
				"description": "The request was rejected or failed.",
				"headers":     headers(info.ProblemHeaders),
				"content":     object{ProblemMedia: object{"schema": problem}},
			}},
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer",
				"description": "Required if the server was started with a token; listening beyond loopback requires one."}},
		},
	}
	text, err := jsontext.MarshalIndent(doc)
	if err != nil {
		panic(err) // cannot fail: strings, numbers and maps of them
	}
	return text
}

// newSchemas are the schemas that do not come from operations.
func newSchemas(info Info) *schemas {
	s := &schemas{object{}, map[string]reflect.Type{}, map[string]bool{}, info.Written, info.Named, info.Enums, false, false, map[string]bool{}}
	maps.Copy(s.named, info.Schemas)
	for name, event := range info.Events {
		s.named[name] = s.structure(event, false)
	}
	return s
}

func (s *schemas) operation(op Operation) object {
	s.lenient = op.Lenient
	o := object{"operationId": op.ID, "summary": op.Summary, "tags": []string{op.Tag}}
	if op.Public {
		o["security"] = []object{}
	}
	parameters := []object{}
	for _, f := range parametersOf(op.input) {
		parameters = append(parameters, s.parameter(f))
	}
	if op.Tagged {
		parameters = append(parameters, object{"in": "header", "name": "If-None-Match", "required": false, "schema": object{"type": "string"},
			"description": "the ETag of an earlier answer: if it is still the same, the answer is 304, without a body"})
	}
	if len(parameters) > 0 {
		o["parameters"] = parameters
	}
	switch {
	case op.RawBody:
		o["requestBody"] = object{"content": object{octetStream: object{"schema": binary()}}} // no body means no bytes
	case op.hasBody():
		f, _ := op.input.FieldByName("Body")
		o["requestBody"] = body("application/json", s.of(f.Type, "", true), op.Example)
	}
	responses := object{"default": object{"$ref": "#/components/responses/" + problemSchema}}
	for _, a := range op.Answers {
		answer := s.answer(a)
		if names := op.HeadersOf(a); len(names) > 0 && answer["$ref"] == nil {
			answer["headers"] = headers(names)
		}
		responses[strconv.Itoa(a.Code)] = answer
	}
	o["responses"] = responses
	return o
}

func (s *schemas) parameter(f reflect.StructField) object {
	in, name := place(f)
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // optional, but never null
	}
	schema := s.of(t, f.Tag, true)
	if t.Kind() == reflect.Slice {
		schema["type"] = "array" // repeated or absent
	}
	p := object{"in": in, "name": name, "required": in == "path", "schema": schema}
	if doc, ok := schema["description"]; ok {
		p["description"] = doc
		delete(schema, "description")
	}
	if f.Tag.Get("deprecated") != "" {
		p["deprecated"] = true
	}
	if example := f.Tag.Get("example"); example != "" {
		p["example"] = example
	}
	return p
}

func body(media string, schema object, example any) object {
	content := object{"schema": schema}
	if example != nil {
		content["example"] = example
	}
	return object{"required": true, "content": object{media: content}}
}

// octetStream is the media type of bytes of any kind.
const octetStream = "application/octet-stream"

// binary is the schema of bytes. JSON Schema 2020-12 has none; generators of clients know the one of OpenAPI 3.0.
func binary() object { return object{"type": "string", "format": "binary"} }

// HeadersOf are the names of the headers that an answer may have.
func (op *Operation) HeadersOf(a Answer) []string {
	if a.Code >= 400 {
		return a.Headers
	}
	names := slices.Concat(a.Headers, op.Headers)
	if op.Lenient {
		names = append(names, Ignored)
	}
	if op.Tagged {
		names = append(names, "ETag", "Cache-Control")
	}
	return names
}

// headers refers to headers by their names.
func headers(names []string) object {
	o := object{}
	for _, name := range names {
		o[name] = object{"$ref": "#/components/headers/" + name}
	}
	return o
}

func describeHeaders(list []Header) object {
	o := object{}
	for _, h := range list {
		schema := object{"type": "string"}
		if h.Number {
			schema = object{"type": "integer", "format": "int64", "minimum": 0}
		}
		o[h.Name] = object{"description": h.Description, "schema": schema}
	}
	return o
}

func (s *schemas) answer(a Answer) object {
	o := object{"description": a.What}
	switch {
	case a.Code >= 400 && a.Type == nil:
		return object{"$ref": "#/components/responses/" + problemSchema}
	case a.Code >= 400:
		o["content"] = object{ProblemMedia: object{"schema": s.of(a.Type, "", false)}}
	case a.Type != nil:
		media := a.Media
		if media == "" {
			media = "application/json"
		}
		o["content"] = object{media: object{"schema": s.of(a.Type, "", false)}}
	case a.Events != "": // OpenAPI 3.1 cannot describe streams any better
		o["content"] = object{a.Media: object{"schema": object{"type": "array", "items": object{"$ref": "#/components/schemas/" + a.Events}}}}
	case strings.HasPrefix(a.Media, "text/"):
		o["content"] = object{a.Media: object{"schema": object{"type": "string"}}}
	case a.Media != "":
		o["content"] = object{a.Media: object{"schema": binary()}}
	}
	return o
}
