package bundle

import (
	"io/fs"

	"handoff/internal/json/jsontext"
	"handoff/log/artifact"
)

// schema is the field "schema", which has one valid value.
func schema(c *codec, want string) { c.OneOf("schema", &want, want) }

// named is text that refers to something, so it must not be empty.
func named(c *codec, name string, p *string) {
	c.Text(name, p)
	if c.Raw(name) == `""` {
		c.Complain(name, "is empty, want what it refers to")
	}
}

// extra is the unknown members, in the compact form.
func extra(c *codec, p *[]Field) {
	c.Rest(func(name, value string) { *p = append(*p, Field{name, jsontext.Sound.AppendValue(nil, value)}) })
	if c.Writing() {
		for i := range *p {
			c.Value((*p)[i].Name, &(*p)[i].Value)
		}
	}
}

const wantID = "64 digits of lower-case hex"

func id(c *codec, name string, p *artifact.ID) {
	text := p.String()
	c.TextAs(name, wantID, &text, parseID(p))
}

// omitID is an id that is left out if it is zero.
func omitID(c *codec, name string, p *artifact.ID) {
	text := ""
	if !p.IsZero() {
		text = p.String()
	}
	c.OmitTextAs(name, wantID, &text, parseID(p))
}

func parseID(p *artifact.ID) func(string) bool {
	return func(text string) bool {
		id, err := artifact.ParseID(text)
		*p = id
		return err == nil
	}
}

const wantPath = "a path below the workspace, with forward slashes"

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
