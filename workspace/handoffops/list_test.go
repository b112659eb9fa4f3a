package handoffops

import (
	"reflect"
	"strings"
	"testing"

	"handoff/workspace/states"
)

// TestStatesOfList: the states that a list may be asked for are those that there are.
func TestStatesOfList(t *testing.T) {
	f, _ := reflect.TypeFor[ListRequest]().FieldByName("State")
	var names []string
	for _, s := range states.All {
		names = append(names, string(s))
	}
	if got := f.Tag.Get("enum"); got != strings.Join(names, ",") {
		t.Errorf("enum %q, want %q", got, names)
	}
	last := len(names) - 1
	if want := strings.Join(names[:last], ", ") + " or " + names[last]; !strings.HasSuffix(f.Tag.Get("usage"), want) {
		t.Errorf("usage %q, want %q at its end", f.Tag.Get("usage"), want)
	}
}
