package openapi

import (
	"maps"
	"reflect"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// Info has the parts of a document that do not come from operations.
type Info struct {
	Title, Description, Version string
	License                     string // an SPDX expression
	Tags                        []Tag
	Schemas                     map[string]any          // further schemas, for Answer.Events and Written
	Events                      map[string]reflect.Type // types of events, for Answer.Events
	Written                     map[reflect.Type]string // types that write their own JSON, with the names of their schemas
	Problem                     reflect.Type            // of the body of errors
	Named                       map[reflect.Type]string // names of schemas, if not those of their types
}

// Tag is a group of operations.
type Tag struct{ Name, Description string }

// problemSchema is the name of the schema of errors.
const problemSchema = "Problem"

// ProblemMedia is the media type of errors (RFC 9457).
const ProblemMedia = "application/problem+json"

// Document describes the operations. The same operations give the same bytes.
func Document(info Info, ops []Operation) []byte {
	s := &schemas{object{}, map[string]reflect.Type{}, map[string]bool{}, info.Written, info.Named, false, map[string]bool{}}
	maps.Copy(s.named, info.Schemas)
	problem := s.reference(info.Problem, false)
	for name, event := range info.Events {
		s.named[name] = s.structure(event, false)
	}
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
		"tags":     tags,
		"paths":    paths,
		"security": []object{{}, {"token": []string{}}},
		"components": object{
			"schemas": s.named,
			"responses": object{problemSchema: object{
				"description": "The request was rejected or failed.",
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
	if len(parameters) > 0 {
		o["parameters"] = parameters
	}
	switch {
	case op.RawBody:
		o["requestBody"] = object{"content": object{"application/octet-stream": object{}}} // no body means no bytes
	case op.hasBody():
		f, _ := op.input.FieldByName("Body")
		o["requestBody"] = body("application/json", s.of(f.Type, "", true))
	}
	responses := object{"default": object{"$ref": "#/components/responses/" + problemSchema}}
	for _, a := range op.Answers {
		responses[strconv.Itoa(a.Code)] = s.answer(a)
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
	return p
}

func body(media string, schema object) object {
	return object{"required": true, "content": object{media: object{"schema": schema}}}
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
	case a.Media != "":
		o["content"] = object{a.Media: object{}}
	}
	return o
}
