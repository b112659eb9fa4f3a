package transcript

import (
	"encoding/json"
	"strings"
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

// The tail of a text begins after the end of a line, wherever escapes are, and is what the whole text ends with.
func TestLiteralTail(t *testing.T) {
	pieces := []string{"a", "é", `\n`, `\\n`, `\\`, `\"`, `\u00e9`, `\ud83d\ude00`}
	rapid.Check(t, func(t *rapid.T) {
		const most = 4
		src := `"`
		for _, p := range rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(t, "pieces") {
			src += p
		}
		src += `"`
		var whole, part string
		if err := json.Unmarshal([]byte(src), &whole); err != nil {
			t.Fatal(err)
		}
		tail := literalTail([]byte(src), most)
		if err := json.Unmarshal(tail, &part); err != nil {
			t.Fatalf("%q of %q: %v", tail, src, err)
		}
		if part != "" && !strings.HasSuffix(whole, "\n"+part) {
			t.Fatalf("tail %q of %q", part, whole)
		}
	})
}

// TestOutput: of a long output the last lines are kept, and whether there are more, in each form of a result.
func TestOutput(t *testing.T) {
	const last = "2 failed, 5 passed in 1.2s"
	for _, size := range []int{0, 1000, 3000, 20_000, 100_000} {
		output := strings.Repeat("a test \"x\"\n", size/11) + last
		text, _ := json.Marshal(output)
		for format, line := range map[string]string{
			"claude": `{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":` + string(text) + `}]}}`,
			"codex":  `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c","output":` + strings.Replace(string(text), `"`, `"Process exited with code 1\nOutput:\n`, 1) + `}}`,
		} {
			r, ok := Formats[format]([]byte(line))
			if !ok || len(r.Results) != 1 {
				t.Fatal(line)
			}
			got := r.Results[0]
			if !strings.HasSuffix("\n"+got.Output, "\n"+last) || len(got.Output) > outputKept || got.Shortened != (len(output) > outputKept) || !got.Shortened && got.Output != output {
				t.Errorf("%s, %d bytes: %d, %v, %q", format, len(output), len(got.Output), got.Shortened, got.Output[max(0, len(got.Output)-40):])
			}
		}
	}
}
