package caller

import "testing"

func TestParseOrigin(t *testing.T) {
	for text, want := range map[string]string{
		"http://localhost:5173": "http://localhost:5173", "http://LocalHost:5173/": "http://localhost:5173", "https://app.example": "https://app.example",
		"http://[::1]:3000": "http://[::1]:3000",
		"":                  "", "*": "", "null": "", "localhost:5173": "", "http://": "", "http://*.example": "", "file:///x": "",
		"http://a.example/b": "", "http://a.example?b": "", "http://u@a.example": "", "http://a.example:80": "", "https://a.example:443": "", "http://a b": "",
	} {
		if got, err := ParseOrigin(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v", text, got, err)
		}
	}
}
