package httpapi

import (
	"net/url"
	"strings"
	"testing"

	"handoff/log/thread"
)

// TestReferences: the server finds what a short name means, as a command that works in its
// workspace does.
func TestReferences(t *testing.T) {
	s := serve(t, nil)
	one := into[thread.Info](s.post(201, "/threads", `{"title":"prove it"}`))
	for _, name := range []string{"worker-1", "worker-2", "main"} {
		s.post(201, "/tapes/"+name+"/entries", said)
	}
	blob := into[storedArtifact](s.want(201, "POST", "/artifacts", "a note"))
	find := func(code int, kind, ref string) answer {
		return s.want(code, "GET", "/references?"+url.Values{"kind": {kind}, "ref": {ref}}.Encode(), "")
	}
	for _, c := range []struct{ kind, ref, want string }{
		{"thread", one.ThreadID[:8], one.ThreadID}, {"thread", "latest", one.ThreadID}, {"thread", "Prove", one.ThreadID},
		{"tape", "mai", "main"}, {"tape", "worker-2", "worker-2"}, {"tape", "new", "new"}, {"run", "new", "new"},
		{"artifact", blob.ID.String()[:6], blob.ID.String()}, {"artifact", blob.ID.String(), blob.ID.String()},
	} {
		if got := into[reference](find(200, c.kind, c.ref)); got.ID != c.want {
			t.Errorf("%s %s: %s, want %s", c.kind, c.ref, got.ID, c.want)
		}
	}
	if text := find(400, "tape", "work").body; !strings.Contains(text, "2 begin so, such as worker-1 and worker-2: write more of it") {
		t.Error(text)
	}
	for _, c := range [][2]string{{"thread", "nothing<here>"}, {"artifact", "abcdef"}, {"artifact", "<b>"}} {
		if text := find(404, c[0], c[1]).body; strings.Contains(text, c[1]) {
			t.Errorf("%s repeats the request: %s", c, text)
		}
	}
	find(400, "user", "x")
}
