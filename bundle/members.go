package bundle

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"handoff/artifact"
)

// schema demands the one value of "schema".
func (o *object) schema(want string) { o.oneOf("schema", want) }

// oneOf is a member that has one of few values.
func (o *object) oneOf(name string, values ...string) string {
	want := `"` + strings.Join(values, `" or "`) + `"`
	n := o.need(name, want)
	if n == nil {
		return ""
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, want)
	} else if !slices.Contains(values, n.text) {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), want))
	}
	return n.text
}

func (o *object) text(name string) string {
	return o.asText(o.need(name, "text"))
}

func (o *object) asText(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind != '"' {
		o.unwanted(n, "text")
		return ""
	}
	return n.text
}

// named is text that must say something, because it refers to something.
func (o *object) named(name string) string {
	n := o.need(name, "text")
	if s := o.asText(n); s != "" || n == nil || n.kind != '"' {
		return s
	}
	o.unwanted(n, "what it refers to")
	return ""
}

func (o *object) optionalText(name string) *string {
	n := o.optional(name)
	if n == nil {
		return nil
	}
	return new(o.asText(n))
}

const wantNumber = "a whole number from 0 to 18446744073709551615"

func (o *object) number(name string) uint64 {
	return o.asNumber(o.need(name, wantNumber))
}

func (o *object) optionalNumber(name string) *uint64 {
	n := o.optional(name)
	if n == nil {
		return nil
	}
	return new(o.asNumber(n))
}

// asNumber never goes through a float: 2^53+1 is not 2^53.
func (o *object) asNumber(n *node) uint64 {
	if n == nil {
		return 0
	}
	v, err := strconv.ParseUint(n.text, 10, 64)
	if n.kind != '0' || err != nil {
		o.unwanted(n, wantNumber)
		return 0
	}
	return v
}

const wantID = "64 digits of lower-case hex"

func (o *object) id(name string) artifact.ID {
	return o.asID(o.need(name, wantID))
}

func (o *object) optionalID(name string) artifact.ID {
	return o.asID(o.optional(name))
}

func (o *object) asID(n *node) artifact.ID {
	if n == nil {
		return artifact.ID{}
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, wantID)
		return artifact.ID{}
	}
	id, err := artifact.ParseID(n.text)
	if err != nil {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), wantID))
	}
	return id
}

const wantPath = "a path below the workspace, with forward slashes"

func (o *object) path(name string) string {
	n := o.need(name, wantPath)
	if n == nil {
		return ""
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, wantPath)
	} else if !ValidPath(n.text) {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), wantPath))
	}
	return n.text
}

// ValidPath reports whether a file reference may have this path: below the
// workspace, forward slashes only, no empty, `.` or `..` part, no drive, no
// control characters. A folder has no slash at its end.
func ValidPath(p string) bool {
	if len(p) >= 2 && p[1] == ':' && 'a' <= p[0]|0x20 && p[0]|0x20 <= 'z' {
		return false
	}
	for i := range len(p) {
		if p[i] < ' ' || p[i] == '\\' {
			return false
		}
	}
	return p != "." && fs.ValidPath(p)
}
