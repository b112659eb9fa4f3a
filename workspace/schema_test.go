package workspace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/document/handoff"
	"handoff/internal/testing/schematest"
	"handoff/internal/text/strictyaml"
	"handoff/workspace/config"
	"handoff/workspace/create"
)

var knownRules = []string{"long-document", "missing-reason", "secret"}

// TestSchemas checks that the published schemas and the readers agree on each
// sample. Samples are JSON, which both understand.
func TestSchemas(t *testing.T) {
	rules := []string{"long-document", "secret"}
	readers := map[string]func([]byte) error{
		"config": func(src []byte) error { _, err := config.Parse("x", src, rules); return err },
		"new":    func(src []byte) error { _, err := create.ParseDraft("x", src); return err },
	}
	samples := map[string]map[string]bool{
		"config": {
			`{}`: true,
			`{"profile": "auto", "max_lines": 50, "padding": "any", "rules": {"secret": "off"}, "ignore": ["a/**"], "templates": "t"}`: true,
			`{"store": "files"}`:                    true,
			`{"store": "git:origin"}`:               true,
			`{"store": "git:ünï.2"}`:                true,
			`{"store": "git:https://host/x.git"}`:   true,
			`{"store": "git:ssh://git@host:22/x"}`:  true,
			`{"store": "nats://a:1,b/S-1_x"}`:       true,
			`{"store": "tls://a/S"}`:                true,
			`{"store": ""}`:                         false,
			`{"store": null}`:                       false,
			`{"store": "s3://x"}`:                   false,
			`{"store": "files "}`:                   false,
			`{"store": "git:-x"}`:                   false,
			`{"store": "git:../x"}`:                 false,
			`{"store": "git:file:///x"}`:            false,
			`{"store": "git:https://token@host/x"}`: false,
			`{"store": "git:ssh://u:p@host/x"}`:     false,
			`{"store": "nats://token@host/S"}`:      false,
			`{"store": "nats://host"}`:              false,
			`{"store": "nats://host/a.b"}`:          false,
			`{"checks": {"allow": ["go test ..."], "timeout": "90s", "output": 100}}`: true,
			`{"checks": {"allow": [""]}}`:    false,
			`{"checks": {"run": true}}`:      false,
			`{"checks": {"output": 0}}`:      false,
			`{"padding": 3}`:                 true,
			`{"padding": 7}`:                 false,
			`{"padding": "three"}`:           false,
			`{"profile": "other"}`:           false,
			`{"max_lines": 0}`:               false,
			`{"max_lines": "forty"}`:         false,
			`{"max_line": 40}`:               false,
			`{"rules": {"secret": "fatal"}}`: false,
			`{"rules": ["secret"]}`:          false,
			`{"ignore": "a"}`:                false,
			`{"ignore": [""]}`:               false,
			`{"max_fence_lines": 3}`:         true,
			`{"max_next_action_words": 3}`:   true,
			`[]`:                             false,
			`null`:                           true,
			`{"rules": null}`:                true,
			`{"rules": {"secret": null}}`:    false,
			`{"ignore": null}`:               true,
			`{"ignore": ["/"]}`:              false,
			`{"ignore": ["!a"]}`:             false,
			`{"max_lines": 40.0}`:            true,
			`{"max_lines": 1000001}`:         false,
			`{"profile": null}`:              false,
			`{"padding": null}`:              false,
			`{"padding": -1}`:                false,
			`{"templates": ""}`:              false,
			`{"templates": "/t"}`:            false,
			`{"templates": "a/../b"}`:        false,
			`{"templates": "a..b/c"}`:        true,
			`{"threads": true}`:              true,
			`{"threads": "yes"}`:             false,
			`{"threads": null}`:              false,
			`{"workspace": "lab/größe"}`:     true,
			`{"workspace": ""}`:              false,
			`{"workspace": "workspace"}`:     false,
			`{"workspace": "a\u0085"}`:       false,
			`{"workspace": "a\u007fb"}`:      false,
			`{"workspace": "a\nb"}`:          false,
			`{"workspace": null}`:            false,
			`{"workspace": 3}`:               false,
			`{"workspace": "` + strings.Repeat("ä", 100) + `"}`: true,
			`{"workspace": "` + strings.Repeat("ä", 101) + `"}`: false,
		},
		"new": {
			`{}`: true,
			`{"task": 1, "phase": 2, "slug": "x", "next_action": "a", "state": {"file": "f", "location": "l", "goal": "g"},
			  "decisions": ["a: b"], "deviations": [], "dead_ends": ["None"], "context": ["c"], "references": ["r"],
			  "thread": "t", "seq": 3, "profile": "completion"}`: true,
			`{"decisions": [{"what": "why"}]}`:                                      true,
			`{"decisions": [{"a": "b", "c": "d"}]}`:                                 false,
			`{"decisions": "one"}`:                                                  false,
			`{"decisions": [["nested"]]}`:                                           false,
			`{"state": {"line": 3}}`:                                                false,
			`{"state": "here"}`:                                                     true,
			`{"state": ["here"]}`:                                                   false,
			`{"decisions": [{"what": "a", "why": "b"}]}`:                            true,
			`{"decisions": [{"what": "a", "why": "b", "who": "c"}]}`:                false,
			`{"decisions": [{"what": "a", "why": 1}]}`:                              false,
			`{"context": [{"text": "a", "check": "go test ./x", "at": "1a2b3c4"}]}`: true,
			`{"context": [{"text": "a", "check": "go test ./x"}]}`:                  true,
			`{"context": [{"text": "a", "unverified": "no access"}]}`:               true,
			`{"context": [{"text": "a", "check": "x", "at": "HEAD"}]}`:              false,
			`{"context": [{"text": "a", "check": ""}]}`:                             false,
			`{"context": [{"text": "a", "at": "1a2b3c4"}]}`:                         false,
			`{"context": [{"text": "a", "check": "x", "unverified": "y"}]}`:         false,
			`{"decisions": [{}]}`:                                                   false,
			`{"decisions": [null]}`:                                                 false,
			`{"decisions": null}`:                                                   true,
			`{"state": null}`:                                                       true,
			`{"next_action": null}`:                                                 false,
			`{"next_action": {}}`:                                                   false,
			`{"task": 0}`:                                                           false,
			`{"phase": -1}`:                                                         false,
			`{"seq": -1}`:                                                           false,
			`{"seq": 1.0}`:                                                          true,
			`{"seq": 1e30}`:                                                         false,
			`{"profile": ""}`:                                                       false,
			`null`:                                                                  true,
			`{"task": "one"}`:                                                       true,
			`{"task": 1.5}`:                                                         false,
			`{"seq": "x"}`:                                                          false,
			`{"profile": "auto"}`:                                                   false,
			`{"decision": ["a"]}`:                                                   false,
		},
	}
	for name, list := range samples {
		compiled := schematest.Compile(t, name)
		for src, good := range list {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(src)))
			if err != nil {
				t.Fatal(err)
			}
			if err := compiled.Validate(v); (err == nil) != good {
				t.Errorf("%s schema on %s: %v", name, src, err)
			}
			if err := readers[name]([]byte(src)); (err == nil) != good {
				t.Errorf("%s reader on %s: %v", name, src, err)
			}
		}
	}
}

// The errors of a refused configuration are ErrInvalid, and a glob that would match
// nothing is refused.
func TestRefusedIsInvalid(t *testing.T) {
	_, err := config.Parse("x", []byte("ignore: ['a', '!b']\n"), knownRules)
	want := `x:1:15: "!b": negated globs are not supported: write globs that match only what you want`
	if !errors.Is(err, handoff.ErrInvalid) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	var list *strictyaml.Error
	if !errors.As(err, &list) || len(list.Problems) != 1 {
		t.Errorf("%T does not list its problems", err)
	}
}

// FuzzConfigSchema checks that the published schema accepts all JSON that the
// reader accepts.
func FuzzConfigSchema(f *testing.F) {
	f.Add([]byte(`{"padding": "any", "templates": "t", "ignore": ["[a]"], "profile": "auto", "rules": {"secret": "off"}}`))
	compiled := schematest.Compile(f, "config")
	f.Fuzz(func(t *testing.T, src []byte) {
		// The number is the internal value of the word any.
		if !json.Valid(src) || bytes.Contains(src, []byte("-2147483648")) {
			return
		}
		if _, err := config.Parse("x", src, knownRules); err != nil {
			return
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(v); err != nil {
			t.Fatal(err)
		}
	})
}
