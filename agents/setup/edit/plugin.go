package edit

import (
	"strings"

	"handoff/internal/json/jsonsplice"
)

// Enables reports whether settings in JSON or TOML switch on a plugin of handoff: a
// member like "handoff@NAME" of the named object that is true, or that is a table
// with enabled = true.
func Enables(src string, isTOML bool, member string) bool {
	if isTOML {
		c, err := decode(src)
		plugins, _ := c.get(member)
		table, _ := plugins.(map[string]any)
		for name, v := range table {
			on, _ := v.(map[string]any)
			if err == nil && isPlugin(name) && on["enabled"] == true {
				return true
			}
		}
		return false
	}
	f, err := jsonsplice.Parse(src)
	if err != nil {
		return false
	}
	plugins, _ := f.Root().Get(member)
	for i := range plugins.Len() {
		if name, on := plugins.At(i); isPlugin(name) && string(on.JSON()) == "true" {
			return true
		}
	}
	return false
}

func isPlugin(name string) bool { return strings.HasPrefix(name, "handoff@") }
