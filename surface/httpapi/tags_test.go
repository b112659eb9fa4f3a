package httpapi

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestTags: an answer with a tag is left out while it is the same, and sent again once it changed.
func TestTags(t *testing.T) {
	s := serve(t, nil)
	thread := into[struct {
		ID string `json:"thread_id"`
	}](s.post(201, "/threads", `{"title":"a"}`)).ID
	s.want(201, "PUT", "/tapes/main", "")
	paths := strings.NewReplacer("{ref}", "latest", "{n}", "259", "{id}", thread, "{tape}", "main")
	tried := 0
	for _, op := range s.ops {
		if !op.Tagged {
			continue
		}
		tried++
		path := paths.Replace(op.Path)
		first := s.want(200, "GET", path, "")
		tag := first.Header.Get("ETag")
		if head := s.want(200, "HEAD", path, ""); tag == "" || head.Header.Get("ETag") != tag || head.ContentLength != int64(len(first.body)) {
			t.Errorf("%s: ETag %s, HEAD %v", path, tag, head.Header)
		}
		for _, given := range []string{tag, `"x", W/` + tag, "*"} {
			if a := s.want(304, "GET", path, "", "If-None-Match", given); a.body != "" || a.Header.Get("ETag") != tag {
				t.Errorf("%s: %s %v", path, a.body, a.Header)
			}
		}
		if a := s.want(200, "GET", path, "", "If-None-Match", `"x"`); a.body != first.body {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if tried != len(tagged) {
		t.Errorf("%d operations have a tag, %d are listed", tried, len(tagged))
	}
	before := s.want(200, "GET", "/handoffs/latest/document", "").Header.Get("ETag")
	src, err := os.ReadFile(s.path(exampleDocument))
	if err == nil {
		err = os.WriteFile(s.path(exampleDocument), append(src, "\nMore.\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	s.want(200, "GET", "/handoffs/latest/document", "", "If-None-Match", before)
	if a := s.want(404, "GET", "/handoffs/999/document", "", "If-None-Match", "*"); a.Header.Get("ETag") != "" {
		t.Errorf("%v", a.Header)
	}
}

// TestExamples: the examples of the document are valid, and the server takes them.
func TestExamples(t *testing.T) {
	s := serve(t, nil)
	known := 0
	for _, op := range s.ops {
		if op.Example == nil {
			continue
		}
		known++
		var doc struct {
			Paths map[string]map[string]struct {
				RequestBody struct {
					Content map[string]struct {
						Schema struct {
							Ref string `json:"$ref"`
						}
					}
				}
			}
		}
		text, err := json.Marshal(op.Example)
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(s.api)).Decode(&doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		ref := doc.Paths[op.Path][strings.ToLower(op.Method)].RequestBody.Content["application/json"].Schema.Ref
		s.validate(op.ID, string(text), strings.TrimPrefix(ref, "#"))
	}
	if known != len(examples) {
		t.Errorf("%d operations have an example, %d are listed", known, len(examples))
	}
}
