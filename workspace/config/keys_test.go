package config

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"testing"
)

// TestKeys walks all keys of the configuration, those that are read and those of the
// published schema: each has a row that says whether it is data or acts.
func TestKeys(t *testing.T) {
	read := map[string]bool{}
	walkKeys(reflect.TypeOf(content{}), "", read)
	for key := range read {
		if e := Keys[key]; e != Data && e != Acts {
			t.Errorf("%s has no row in Keys: data, or does it act?", key)
		}
	}
	for key := range Keys {
		if !read[key] {
			t.Errorf("%s has a row in Keys, and is not read", key)
		}
	}
	src, err := os.ReadFile("../../docs/schema/config.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(src, &schema); err != nil {
		t.Fatal(err)
	}
	top := map[string]bool{}
	ty := reflect.TypeOf(content{})
	for i := range ty.NumField() {
		top[ty.Field(i).Tag.Get("yaml")] = true
	}
	if got, want := slices.Sorted(maps.Keys(schema.Properties)), slices.Sorted(maps.Keys(top)); !slices.Equal(got, want) {
		t.Errorf("the schema has the keys\n%q, read are\n%q", got, want)
	}
}

// walkKeys collects the keys of a struct, and of those below it.
func walkKeys(ty reflect.Type, above string, keys map[string]bool) {
	for i := range ty.NumField() {
		f := ty.Field(i)
		key, below := above+f.Tag.Get("yaml"), f.Type
		if below.Kind() == reflect.Slice {
			below = below.Elem()
		}
		if below.Kind() == reflect.Struct {
			walkKeys(below, key+".", keys)
			continue
		}
		keys[key] = true
	}
}

func TestSwitchedOff(t *testing.T) {
	rules := []string{"secret", "hidden-text", "hidden-comment", "long-document"}
	for src, want := range map[string][]string{
		"rules: {secret: off, long-document: off}":                                    {"secret"},
		"rules: {secret: note}":                                                       nil,
		"documents: [{preset: thoughts, rules: {hidden-comment: off}}]":               {"hidden-comment"},
		"rules: {hidden-text: off}\ndocuments: [{preset: thoughts}]":                  {"hidden-text"},
		"documents: [{preset: thoughts, rules: {hidden-text: 'off', secret: 'off'}}]": {"hidden-text", "secret"},
	} {
		c, err := Parse("c", []byte(src), rules)
		if got := c.SwitchedOff(); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", src, got, err, want)
		}
	}
	if got := Default().SwitchedOff(); got != nil {
		t.Errorf("the defaults switch off %q", got)
	}
}
