package thread

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/state/names"
)

func TestCheckID(t *testing.T) {
	for _, id := range []string{"11111111-1111-4111-8111-111111111111", "a", "A.b_c-9", strings.Repeat("x", names.MaxID), "console", "com", "com10"} {
		if err := CheckID(id); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"", ".", "..", ".a", "a.", "a/b", `a\b`, "../a", "a b", "a\x00", "é", "a\n", "C:", "CON", "nul.txt", "com1", "LPT9.x",
		strings.Repeat("x", names.MaxID+1)} {
		err := CheckID(id)
		if !errors.Is(err, handoff.ErrInvalid) || len(err.Error()) > 300 {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}

func TestUUIDs(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[48][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	for _, id := range []string{NewUUID(), NewUUID(), derived("a", "b"), derived("ab", ""), derived("", "ab"), derived("a", "b", "")} {
		if !form.MatchString(id) || seen[id] {
			t.Errorf("%s, seen %v", id, seen[id])
		}
		seen[id] = true
	}
	if derived("a", "b") != "9f2b0d50-2d18-8b39-9c81-652fdca2ccb0" || derived("a", "b")[14] != '8' || NewUUID()[14] != '4' {
		t.Error("the ids are not what they should be")
	}
}
