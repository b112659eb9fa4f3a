package mcp

import (
	"strings"
	"testing"

	"handoff/internal/text/tokens"
)

// TestFetch reads an artifact in parts. The tool is there only if it is asked for.
func TestFetch(t *testing.T) {
	p := newPlace(t)
	plain, err := connect(t, p.config(), versions[0]).ListTools(t.Context(), nil)
	if err != nil || len(plain.Tools) != 5 {
		t.Fatalf("%d tools, %v", len(plain.Tools), err)
	}
	config := p.config()
	config.Artifacts = true
	ws, err := config.Open()
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := ws.Artifacts()
	if err != nil {
		t.Fatal(err)
	}
	text := "# Summary\nThe naïve parser\u202e waits.\n" + strings.Repeat("x", defaultFetch)
	id, _, err := blobs.Put([]byte(text))
	if err != nil || blobs.Close() != nil {
		t.Fatal(err)
	}
	for _, version := range versions {
		s := connect(t, config, version)
		list, err := s.ListTools(t.Context(), nil)
		if err != nil || len(list.Tools) != 6 {
			t.Fatalf("%d tools, %v", len(list.Tools), err)
		}
		var got strings.Builder
		for at, more := 0, true; more; {
			r := callTool(t, s, "artifact_fetch", m{"id": id.String(), "offset_bytes": at})
			r.has(t, false)
			part := r.value["artifacts"].(map[string]any)
			at, more = at+int(part["bytes"].(float64)), part["truncated"].(bool)
			got.WriteString(r.value["stdout"].([]any)[0].(string))
			if strings.ContainsRune(r.text, '\u202e') {
				t.Errorf("an invisible character:\n%s", r.text)
			}
		}
		if got.String() != text {
			t.Errorf("the parts are %d bytes, want %d", got.Len(), len(text))
		}
		r := callTool(t, s, "artifact_fetch", m{"id": id.String(), "max_bytes": 22})
		r.has(t, false, "# Summary", "The na", "of 16", "the rest starts at offset_bytes 22")
		callTool(t, s, "artifact_fetch", m{"id": strings.Repeat("0", 64)}).has(t, true, "no artifact 0000")
		callTool(t, s, "artifact_fetch", m{"id": "../../etc/passwd"}).has(t, true, "64 digits of lower-case hex")
		callTool(t, s, "artifact_fetch", m{"id": id.String(), "max_bytes": 0}).has(t, true, "max_bytes 0")
		callTool(t, s, "artifact_fetch", m{}).has(t, true, "id")
	}
	if n := tokens.Estimate(fetchTool().about + fetchTool().in + fetchTool().out); n > 200 {
		t.Errorf("the definition has %d tokens", n)
	}
}
