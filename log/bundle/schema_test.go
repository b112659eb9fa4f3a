package bundle

import (
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
)

// edit replaces text in a valid sample; it reports whether the result is valid.
type edit struct {
	old, new string
	good     bool
}

// TestSchemas compares the published schemas with the readers: both must agree on
// each sample. Rules that a schema cannot express are left out: duplicate keys, half
// of a surrogate pair, 42.0 instead of 42.
func TestSchemas(t *testing.T) {
	const id = `dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd`
	samples := map[string]struct {
		src   string
		parse func([]byte) error
		edits []edit
	}{
		"handoff-bundle": {ripHandoff, func(b []byte) error { _, err := ParseHandoff(b); return err }, append([]edit{
			{`.v1"`, `.v2"`, false},
			{`"schema"`, `"Schema"`, false},
			{`"# Summary\n\n- hello"`, `7`, false},
			{`"summary_markdown"`, `"summary"`, false},
			{`"refs"`, `"ref"`, false},
			{`"refs":{`, `"refs":{"x":1,`, true},
			{`"threads"`, `"thread"`, false},
			{`"artifacts":[]`, `"artifacts":null`, false},
			{`"artifacts":[]`, `"artifacts":{}`, false},
			{`"artifacts":[]`, `"artifacts":[null]`, false},
			{`"artifacts":[]`, `"artifacts":[{"artifact_id":"` + id + `","note":null,"x":0}]`, true},
			{`"artifacts":[]`, `"artifacts":[{"artifact_id":"` + strings.ToUpper(id) + `"}]`, false},
			{`"artifacts":[]`, `"artifacts":[{"artifact_id":"` + id + `\n"}]`, false},
			{`"artifacts":[]`, `"artifacts":[{"artifact_id":"` + id[1:] + `"}]`, false},
			{`"artifacts":[]`, `"artifacts":[{"artifact_id":null}]`, false},
			{`"artifacts":[]`, `"artifacts":[{}]`, false},
			{`,"files":[]`, ``, false},
			{`"seq":3,`, ``, false},
			{`"seq":3`, `"seq":"3"`, false},
			{`"seq":3`, `"seq":-1`, false},
			{`"seq":3`, `"seq":1.5`, false},
			{`"seq":3`, `"seq":null`, false},
			{`"seq":3`, `"seq":18446744073709551615`, true},
			{`"seq":3`, `"seq":18446744073709551616`, false},
			{`"thread_id":"11111111-1111-4111-8111-111111111111"`, `"thread_id":""`, false},
			{`"thread_id":"11111111-1111-4111-8111-111111111111",`, ``, false},
			{`,"note":"source cut"`, ``, true},
			{`"note":"source cut"`, `"note":null`, true},
			{`"note":"source cut"`, `"note":[]`, false},
			{`"message_id":"22222222-2222-4222-8222-222222222222"`, `"message_id":false`, false},
		}, pathEdits(map[string]bool{
			"a": true, "a/b.go": true, ".rip/x": true, "a b/é": true, "...": true, "..a/b..": true, "a:b/c": false, "ab:c": true, "é:b": true, "1:b": true,
			"": false, ".": false, "..": false, "/": false, "/a": false, "a/": false, "a//b": false, "./a": false, "../a": false, "a/..": false,
			"a/../b": false, "a/./b": false, `a\\b`: false, "C:/a": false, "c:a": false, `a\nb`: false, `a\u0000b`: false, `a\u007fb`: true,
		})...)},
		"context-bundle": {ripContext, func(b []byte) error { _, err := ParseContext(b); return err }, []edit{
			{`.v1"`, `.v2"`, false},
			{`{"schema"`, `{"x":{},"schema"`, true},
			{`"compiler":{`, `"compiler":[],"x":{`, false},
			{`"strategy":"summaries_recent_messages_v1"`, `"strategy":null`, false},
			{`"id":"rip.context_compiler.v1",`, ``, false},
			{`"from_seq":8`, `"from_seq":true`, false},
			{`,"from_message_id":"22222222-2222-4222-8222-222222222222"`, ``, true},
			{`"from_message_id":"22222222-2222-4222-8222-222222222222"`, `"from_message_id":{}`, false},
			{`"run_session_id"`, `"run"`, false},
			{`"items":[`, `"items":[1,`, false},
			{`"items":[`, `"items":[{},`, false},
			{`"items":[`, `"items":[{"type":3},`, false},
			{`"items":[`, `"items":[{"type":"file_ref","path":"../x"},`, true},
			{`"items":[`, `"items":[{"type":"file_ref"},`, false},
			{`"items":[`, `"items":[{"type":"file_ref","path":""},`, false},
			{`"items":[`, `"items":[{"type":"file_ref","path":null},`, false},
			{`"items":[`, `"items":[{"type":"artifact_ref","artifact_id":7},`, false},
			{`"items":[`, `"items":[{"type":"handoff_bundle_ref","path":"x"},`, false},
			{`"items":[`, `"items":[{"type":"thread_ref","seq":1},`, false},
			{`"items":[`, `"items":[{"type":"tool_side_effect_ref"},`, false},
			{`"items":[`, `"items":[{"type":"tool_side_effect_ref","tool_id":"x"},`, true},
			{`"items":[`, `"items":[{"type":"later_ref"},`, true},
			{`"items":[`, `"items":[{"type":"message"},`, false},
			{`"items":[`, `"items":[{"type":"message","role":"user","content":"","x":1},`, true},
			{`"items":[`, `"items":[{"type":"summary_ref"},`, false},
			{`"role":"user"`, `"role":"tool"`, false},
			{`"role":"user"`, `"role":"developer"`, true},
			{`"role":"user"`, `"role":""`, false},
			{`"content":"Ship it."`, `"content":[]`, false},
			{`"thread_seq":7`, `"thread_seq":-7`, false},
			{`"thread_seq":7`, `"thread_seq":"7"`, false},
			{`"thread_seq":7,`, ``, true},
			{`"note":"compaction checkpoint to_seq=1"`, `"note":null`, true},
			{`"note":"compaction checkpoint to_seq=1"`, `"note":1`, false},
			{id, `../../` + id[3:], false},
		}},
		"compaction-summary": {ripSummary, func(b []byte) error { _, err := ParseSummary(b); return err }, []edit{
			{`.v1"`, `.v2"`, false},
			{`"kind":"cumulative_v1"`, `"kind":"other","x":[null]`, true},
			{`"kind":"cumulative_v1"`, `"kind":null`, false},
			{`"coverage":{`, `"coverage":"","x":{`, false},
			{`"from_seq":0`, `"from_seq":0,"from_message_id":null`, true},
			{`"from_seq":0`, `"from_seq":0,"from_message_id":0`, false},
			{`"from_seq":0,`, ``, false},
			{`"to_seq":9,`, ``, false},
			{`"to_message_id":"22222222-2222-4222-8222-222222222222"`, `"to_message_id":null`, true},
			{`"produced_by":{`, `"produced_by":null,"x":{`, true},
			{`"produced_by":{`, `"produced_by":"job","x":{`, false},
			{`"type":"job"`, `"type":"person"`, false},
			{`"type":"job"`, `"type":"manual"`, true},
			{`"type":"job",`, ``, false},
			{`"basis":{`, `"basis":null,"x":{`, true},
			{`"basis":{`, `"basis":[],"x":{`, false},
			{`"` + id + `"`, `null`, true},
			{`"` + id + `"`, `""`, false},
			{`"` + id + `"}`, `"` + id + `","note":null}`, true},
			{`"` + id + `"}`, `"` + id + `","note":3}`, false},
			{`"summary_markdown"`, `"markdown"`, false},
		}},
	}
	for name, s := range samples {
		compiled := schematest.Compile(t, name)
		for _, e := range append(s.edits, edit{"", "", true}) {
			src := strings.Replace(s.src, e.old, e.new, 1)
			if src == s.src && e.old != "" {
				t.Errorf("%s: the sample has no %s", name, e.old)
			}
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(src))
			if err != nil {
				t.Fatalf("%s -> %s: %v", e.old, e.new, err)
			}
			if err := compiled.Validate(v); (err == nil) != e.good {
				t.Errorf("%s schema, %s -> %s: %v", name, e.old, e.new, err)
			}
			if err := s.parse([]byte(src)); (err == nil) != e.good {
				t.Errorf("%s reader, %s -> %s: %v", name, e.old, e.new, err)
			}
		}
	}
}

func pathEdits(good map[string]bool) (edits []edit) {
	for p, ok := range good {
		edits = append(edits, edit{`"files":[]`, `"files":[{"path":"` + p + `"}]`, ok})
	}
	return edits
}
