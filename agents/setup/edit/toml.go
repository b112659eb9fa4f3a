package edit

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"

	"handoff/internal/text/managed"
)

// Codex is what the Codex CLI needs in its config.toml: hooks switched on, and the MCP
// server. They go into a block at the end, whose tables are complete. If the user has a
// table of features, the switch is a line in it.
type Codex struct{}

var codexBlock = managed.Block{Begin: "# handoff:begin", End: "# handoff:end"}

const (
	codexBegin   = "# handoff:begin v1\n"
	codexFeature = "[features]\nhooks = true\n\n"
	codexEnd     = "# handoff:end\n"

	// Codex passes only the listed environment variables to a server. The claim of a
	// session started by `handoff spawn` is in one of them.
	codexServer = "[mcp_servers.handoff]\ncommand = \"handoff\"\nargs = [\"mcp\"]\nenv_vars = [\"HANDOFF_CLAIM\"]\n"

	switchLine = "hooks = true # handoff setup"
)

// config is a configuration as values.
type config map[string]any

func decode(src string) (config, error) {
	c := config{}
	_, err := toml.Decode(src, &c)
	if broken := (toml.ParseError{}); errors.As(err, &broken) {
		return nil, fmt.Errorf("%d:%d: %s", broken.Position.Line, max(1, broken.Position.Col), broken.Message)
	}
	return c, err
}

func (c config) get(path ...string) (any, bool) {
	var v any = map[string]any(c)
	for _, name := range path {
		table, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = table[name]; !ok {
			return nil, false
		}
	}
	return v, true
}

func (x Codex) Add(t Text) (Text, string, error) {
	rest, why, err := x.Cut(t)
	if err != nil || why != "" {
		return t, why, err
	}
	user, err := decode(rest.Bytes)
	if err != nil {
		return t, "", err
	}
	lines, after := "", t
	on, said := user.get("features", "hooks")
	_, features := user.get("features")
	switch {
	case said && on != true:
		return t, "features.hooks is not true: hooks are switched off; change that line, then run this again", nil
	case said:
	case features && !hasSwitch(t.Bytes):
		if after.Bytes, err = addSwitch(t.Bytes); err != nil {
			return t, "", err
		}
	case !features:
		lines += codexFeature
	}
	if _, ok := user.get("mcp_servers", "handoff"); !ok {
		if isInline(rest.Bytes, "mcp_servers") { // the parser here accepts what that of Codex rejects
			return t, "", errNoPlace
		}
		lines += codexServer
	}
	if lines == "" {
		after, err = codexBlock.Cut(after)
	} else {
		after, err = codexBlock.Set(after, codexBegin+strings.TrimRight(lines, "\n")+"\n"+codexEnd)
	}
	if err == nil {
		err = x.check(user, after.Bytes)
	}
	if err != nil {
		return t, "", err
	}
	return after, "", nil
}

// check compares the values of a changed text with the user's values and those to
// add.
func (x Codex) check(user config, after string) error {
	got, err := decode(after)
	if err == nil {
		on, _ := got.get("features", "hooks")
		_, server := got.get("mcp_servers", "handoff")
		if on == true && server && reflect.DeepEqual(without(got), without(user)) {
			return nil
		}
	}
	return errNoPlace
}

var errNoPlace = errors.New("its tables leave no place for a line: add hooks = true to features, and a table mcp_servers.handoff with command = \"handoff\" and args = [\"mcp\"], yourself")

// isInline reports whether a table may be written as a value, to which no table can be
// added.
func isInline(src, name string) bool {
	for line := range strings.Lines(src) {
		if strings.HasPrefix(keyOf(line), name+"=") {
			return true
		}
	}
	return false
}

// keyOf is a line without blanks, quotes and comment.
func keyOf(line string) string {
	text, _, _ := strings.Cut(strings.Map(dropBlank, strings.TrimPrefix(line, "\ufeff")), "#")
	return text
}

// without returns a configuration without the added values.
func without(c config) config {
	rest := config{}
	for name, v := range c {
		rest[name] = v
	}
	for table, name := range map[string]string{"features": "hooks", "mcp_servers": "handoff"} {
		old, ok := rest[table].(map[string]any)
		if !ok {
			continue
		}
		kept := map[string]any{}
		for n, v := range old {
			if n != name {
				kept[n] = v
			}
		}
		if rest[table] = kept; len(kept) == 0 {
			delete(rest, table)
		}
	}
	return rest
}

func (x Codex) Cut(t Text) (Text, string, error) {
	if !t.Exists || !strings.Contains(t.Bytes, "handoff") {
		return t, "", nil
	}
	if _, err := decode(t.Bytes); err != nil {
		return t, "", err
	}
	after, err := codexBlock.Cut(t)
	if err == nil && after.Exists {
		after.Bytes = cutSwitch(after.Bytes)
	}
	return after, "", err
}

func hasSwitch(src string) bool { return cutSwitch(src) != src }

// addSwitch adds a line to the table of features: after its header, or after a line
// that has a key of it with a dot.
func addSwitch(src string) (string, error) {
	top, at := true, 0
	for line := range strings.Lines(src) {
		end := at + len(strings.TrimRight(line, "\r\n"))
		key, added := keyOf(line), ""
		switch {
		case key == "[features]":
			added = switchLine
		case top && strings.HasPrefix(key, "features."):
			added = "features." + switchLine
		}
		if added != "" {
			return src[:end] + lineBreak(src) + added + src[end:], nil
		}
		top = top && !strings.HasPrefix(key, "[")
		at += len(line)
	}
	return src, errNoPlace
}

func dropBlank(r rune) rune {
	if strings.ContainsRune(" \t\r\n\"'", r) {
		return -1
	}
	return r
}

// cutSwitch takes away the line of addSwitch with the line break before it.
func cutSwitch(src string) string {
	at := 0
	for line := range strings.Lines(src) {
		text := strings.TrimRight(line, "\r\n")
		if at > 0 && (text == switchLine || text == "features."+switchLine) {
			before := strings.TrimSuffix(strings.TrimSuffix(src[:at], "\n"), "\r")
			return before + src[at+len(text):]
		}
		at += len(line)
	}
	return src
}

func lineBreak(src string) string {
	if i := strings.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
