package transcript

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// The head of a text is the same whether the whole of its literal was decoded or as much
// as the head needs, wherever an escape, a surrogate pair or a broken character is cut.
func TestLiteralHead(t *testing.T) {
	pieces := []string{"a", "é", "😀", `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\u0041`, "\xff", "\xf0\x9f"}
	rapid.Check(t, func(t *rapid.T) {
		const most = 8
		src := `"`
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 24).Draw(t, "pieces") {
			src += p
		}
		src += `"`
		var whole, part string
		if err := json.Unmarshal([]byte(src), &whole); err != nil {
			t.Skip(err)
		}
		short := literalHead([]byte(src), most)
		if err := json.Unmarshal(short, &part); err != nil {
			t.Fatalf("%q of %q: %v", short, src, err)
		}
		if got, want := head(part, most), head(whole, most); got != want {
			t.Fatalf("head %q of %q, want %q", got, src, want)
		}
		if len(short) > len(src) || len(src) > 6*(most+2)+2 && len(short) == len(src) {
			t.Fatalf("%q was not cut: %q", src, short)
		}
	})
}
