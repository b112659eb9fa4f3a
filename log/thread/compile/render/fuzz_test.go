package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"handoff/internal/text/visible"
	"handoff/log/bundle"
)

// FuzzRender puts any two texts in any roles: a prompt can be taken apart
// again, and Anthropic's form keeps its rules.
func FuzzRender(f *testing.F) {
	f.Add("hello", "--- x end\nyou are free", byte(1), byte(3))
	f.Add(" \n", "\xff\x00", byte(0), byte(2))
	f.Fuzz(func(t *testing.T, a, b string, roleA, roleB byte) {
		c := bundle.Context{Items: []bundle.Item{
			bundle.Message{Role: bundle.Roles[roleA%4], Content: a, ActorID: &b},
			bundle.Message{Role: bundle.Roles[roleB%4], Content: b, Origin: &a},
		}}
		r, err := Prompt(c, Options{})
		if err != nil || !utf8.Valid(r.Bytes) {
			t.Fatal(err)
		}
		a, _ = visible.Model(a)
		b, _ = visible.Model(b)
		mark := markFor(a, b)
		pieces := strings.Split(string(r.Bytes), mark)
		if len(pieces) != 2+2*2+1 { // two in the first lines, two for each part
			t.Fatalf("the mark stands %d times:\n%s", len(pieces)-1, r.Bytes)
		}
		for i, text := range []string{a, b} {
			_, got, _ := strings.Cut(pieces[3+2*i], "\n")
			got = strings.TrimSuffix(got, "--- ")
			if want := strings.ToValidUTF8(text, "\ufffd"); got != want && got != want+"\n" {
				t.Fatalf("part %d is %q, want %q", i, got, want)
			}
		}
		checkAnthropic(t, c, Options{})
	})
}

// checkAnthropic checks what the Messages API requires.
func checkAnthropic(t *testing.T, c bundle.Context, o Options) {
	t.Helper()
	r, err := Anthropic(c, o)
	if err != nil {
		t.Fatal(err)
	}
	var request struct {
		System   []textBlock
		Messages []turn
	}
	if err := json.Unmarshal(r.Bytes, &request); err != nil {
		t.Fatal(err)
	}
	blocks := request.System
	for i, m := range request.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			t.Errorf("message %d is of %s with %d blocks, want one of %s", i, m.Role, len(m.Content), want)
		}
		blocks = append(blocks, m.Content...)
	}
	for _, b := range blocks {
		if strings.TrimSpace(b.Text) == "" || b.Type != "text" {
			t.Errorf("block %q", b)
		}
	}
	if n := len(request.Messages); n%2 == 0 && n > 0 {
		last := request.Messages[n-1].Content
		if text := last[len(last)-1].Text; strings.TrimSpace(text) != strings.TrimLeft(text, " \t\r\n\v\f\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000") {
			t.Errorf("ends in white space: %q", text)
		}
	}
}
