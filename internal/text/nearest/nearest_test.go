package nearest

import "testing"

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"same", "same", 0}, {"acton", "action", 1}, {"kitten", "sitting", 3}} {
		if got := Distance(tt.a, tt.b); got != tt.want || Distance(tt.b, tt.a) != got {
			t.Errorf("%q and %q: %d, want %d both ways", tt.a, tt.b, got, tt.want)
		}
	}
}

func TestWordBeginning(t *testing.T) {
	if got := Word("nex", []string{"new", "next"}); got != "next" {
		t.Errorf("nex: %q, and next begins with it", got)
	}
}

func TestWord(t *testing.T) {
	known := []string{"text", "json", "sarif", "github", "junit", "list", "tape", "run", "n", "long-document", "long-item"}
	for word, want := range map[string]string{"jsn": "json", "sariff": "sarif", "xml": "", "": "", "junit": "junit",
		"nope": "", "man": "", "tap": "tape", "lsit": "list", "ilst": "list", "lits": "list", "slit": "", "x": "",
		"git": "github", "gi": "", "long": "", "long-d": "long-document", "gihtub": "github",
		"tixt": "text", "toext": "text", "oirn": "", "tapp": "tape", "ru": "run", "rona": ""} {
		if got := Word(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}
