package jsontext

import "testing"

func TestMarshal(t *testing.T) {
	value := map[string]any{"a": "<&>", "b": []int{1}}
	if text, err := Marshal(value); err != nil || string(text) != `{"a":"<&>","b":[1]}` {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := MarshalIndent(value); err != nil || string(text) != "{\n  \"a\": \"<&>\",\n  \"b\": [\n    1\n  ]\n}\n" {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := Marshal(func() {}); err == nil {
		t.Error("a function is encoded")
	}
}
