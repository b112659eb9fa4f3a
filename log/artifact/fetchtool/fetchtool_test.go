package fetchtool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/internal/json/toolform"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/artifact"
)

func newStore(t *testing.T) *artifact.Store {
	s, err := artifact.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestCalls has the calls of RIP's tests, and calls for the other results of RIP's
// tool.
func TestCalls(t *testing.T) {
	root := t.TempDir()
	s, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	id := "aaaaaaaaaaaa4aaa8aaaaaaaaaaaaaaaaaaaaaaaaaaa4aaa8aaaaaaaaaaaaaaa" // RIP's ids are not hashes
	path := filepath.Join(root, artifact.Blobs, id)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("hello world"), 0o644)); err != nil {
		t.Fatal(err)
	}
	part := func(bytes, offset string, truncated string) string {
		return `"artifacts":{"bytes":` + bytes + `,"id":"` + id + `","offset_bytes":` + offset + `,"path":".rip/artifacts/blobs/` + id + `","total_bytes":11,"truncated":` + truncated + `}}`
	}
	for arguments, want := range map[string]string{
		`{"id":"` + id + `","offset_bytes":6,"max_bytes":5}`:                                       `{"stdout":["world"],"stderr":[],"exit_code":0,` + part("5", "6", "false"),
		`{"id":"` + id + `","offset_bytes":0,"max_bytes":5}`:                                       `{"stdout":["hello"],"stderr":[],"exit_code":0,` + part("5", "0", "true"),
		` {"id":"` + id + `","offset_bytes":null,"other":true}`:                                    `{"stdout":["hello world"],"stderr":[],"exit_code":0,` + part("11", "0", "false"),
		`{"id":"` + id + `","offset_bytes":99}`:                                                    `{"stdout":[""],"stderr":[],"exit_code":0,` + part("0", "99", "false"),
		`{"id":"` + id + `","offset_bytes":18446744073709551615,"max_bytes":18446744073709551615}`: `{"stdout":[""],"stderr":[],"exit_code":0,` + part("0", "18446744073709551615", "false"),
		`{"id":"` + id + `","max_bytes":0}`:                                                        `{"stdout":[""],"stderr":[],"exit_code":0,` + part("0", "0", "true"),
		`{"id":"nothex"}`:                                                                          `{"stdout":[],"stderr":["id must be 64 digits of lower-case hex"],"exit_code":2,"artifacts":null}`,
		`{"id":"` + strings.ToUpper(id) + `"}`:                                                     `{"stdout":[],"stderr":["id must be 64 digits of lower-case hex"],"exit_code":2,"artifacts":null}`,
		`{"id":"` + strings.Repeat("0", 64) + `"}`:                                                 `{"stdout":[],"stderr":["artifact_fetch failed: there is no artifact ` + strings.Repeat("0", 64) + `"],"exit_code":1,"artifacts":null}`,
		`{}`:                                  `{"stdout":[],"stderr":["invalid args: want the id of an artifact"],"exit_code":2,"artifacts":null}`,
		`{"id":3}`:                            `{"stdout":[],"stderr":["invalid args: id: want a string"],"exit_code":2,"artifacts":null}`,
		`{"id":"` + id + `","max_bytes":-1}`:  `{"stdout":[],"stderr":["invalid args: max_bytes: want a whole number from 0 on"],"exit_code":2,"artifacts":null}`,
		`{"id":"` + id + `","max_bytes":1.5}`: `{"stdout":[],"stderr":["invalid args: max_bytes: want a whole number from 0 on"],"exit_code":2,"artifacts":null}`,
		``:                                    `{"stdout":[],"stderr":["invalid args: want a JSON object: {\"id\": \"…\", \"offset_bytes\": 0, \"max_bytes\": 65536}"],"exit_code":2,"artifacts":null}`,
	} {
		got, err := json.Marshal(Call([]byte(arguments), s.Range))
		if err != nil || string(got) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", arguments, err, got, want)
		}
	}
}

// TestPages reads any text page by page, following the results: the concatenated
// pages are the text, whatever characters are at the edges.
func TestPages(t *testing.T) {
	s := newStore(t)
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.SampledFrom([]rune("aé€😀")), 0, 40, -1).Draw(rt, "text")
		id, _, err := s.Put([]byte(text))
		if err != nil {
			rt.Fatal(err)
		}
		most := rapid.IntRange(4, 12).Draw(rt, "page") // no character has more bytes
		var got strings.Builder
		for offset, more := uint64(0), true; more; {
			arguments, _ := json.Marshal(map[string]any{"id": id.String(), "offset_bytes": offset, "max_bytes": most})
			r := Call(arguments, s.Range)
			if r.ExitCode != 0 || r.Artifact.Bytes > most || r.Artifact.Truncated && r.Artifact.Bytes == 0 {
				rt.Fatalf("%+v %+v", r, r.Artifact)
			}
			got.WriteString(r.Stdout[0])
			offset, more = offset+uint64(r.Artifact.Bytes), r.Artifact.Truncated
		}
		if got.String() != text {
			rt.Fatalf("%q, want %q", got.String(), text)
		}
	})
	// Bytes that are not text.
	id, _, err := s.Put([]byte("\xff\xe2\x82"))
	if err != nil {
		t.Fatal(err)
	}
	for offset := range 3 {
		arguments, _ := json.Marshal(map[string]any{"id": id.String(), "offset_bytes": offset, "max_bytes": 1})
		if r := Call(arguments, s.Range); r.Artifact.Bytes != 1 || r.Stdout[0] != "\ufffd" {
			t.Errorf("%d: %+v", offset, r)
		}
	}
}

// TestTool: the definition has the arguments that a call accepts.
func TestTool(t *testing.T) {
	for _, form := range toolform.Forms() {
		src, err := Tool().JSON(form)
		if err != nil || !strings.Contains(string(src), `"artifact_fetch"`) || !strings.Contains(string(src), `"additionalProperties": false`) {
			t.Errorf("%s: %v\n%s", form, err, src)
		}
	}
	var schema struct {
		Properties map[string]struct{ Type string }
		Required   []string
	}
	if err := json.Unmarshal(Tool().Parameters, &schema); err != nil || len(schema.Properties) != 3 || len(schema.Required) != 1 {
		t.Fatalf("%+v, %v", schema, err)
	}
	for name, p := range schema.Properties {
		wrong := map[string]string{"string": "1", "integer": `"x"`}[p.Type]
		if r := Call([]byte(`{"`+name+`":`+wrong+`}`), newStore(t).Range); !strings.Contains(r.Stderr[0], name+": want") {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
