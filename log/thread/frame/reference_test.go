package frame

import "testing"

// TestForeignSelectors: a selector that names no event is kept, and not used.
func TestForeignSelectors(t *testing.T) {
	for selector, ok := range map[string]bool{`{"seq":3}`: true, `{"query":"x"}`: false, `"head"`: false, `{"seq":-1}`: false} {
		ref, got := (&ThreadReferenced{ToThreadID: "t", Selector: []byte(selector)}).Cut()
		if got != ok || ok && (ref.Seq != 3 || ref.ThreadID != "t") {
			t.Errorf("%s: %+v, %v", selector, ref, got)
		}
	}
}
