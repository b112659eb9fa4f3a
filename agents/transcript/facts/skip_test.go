package facts

import "testing"

// TestTypeOf: a record is left out by its own type only. That of an object in it, or a text
// that looks like one, does not count, and a torn line has none.
func TestTypeOf(t *testing.T) {
	for line, want := range map[string]string{
		`{"type":"progress"}`: "progress",
		" {\"a\":[1,{\"type\":\"x\"}],\"type\":\"user\",\"b\":2}\r\n": "user",
		`{"a":"\"type\":\"progress\"","type":"user"}`:                 "user",
		`{"type":{"type":"progress"}}`:                                "",
		`{"a":"type","b":"progress"}`:                                 "",
		`{"data":{"type":"progress"}}`:                                "",
		`{"type":1}`:                                                  "",
		`{"type":"progress"`:                                          "",
		`{"a":"progress}`:                                             "",
		`["type","progress"]`:                                         "",
		"":                                                            "",
	} {
		if got := string(typeOf([]byte(line))); got != want {
			t.Errorf("type of %q = %q, want %q", line, got, want)
		}
	}
}
