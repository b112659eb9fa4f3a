package task

import "testing"

// TestPresetNames: each preset has the name by which it is found.
func TestPresetNames(t *testing.T) {
	names := PresetNames()
	for i, l := range Presets() {
		if one, ok := Preset(l.Name); !ok || one.Name != l.Name || one == l || names[i+1] != l.Name {
			t.Errorf("%s: %v, %+v", l.Name, ok, one)
		}
	}
	if _, ok := Preset(Default); ok || names[0] != Default {
		t.Errorf("%v", names)
	}
}
