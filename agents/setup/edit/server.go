package edit

import (
	"encoding/json"
	"strings"

	"handoff/internal/json/jsonsplice"
)

// Server is an MCP server in JSON: a member of an object at a path of names.
type Server struct {
	Path  []string
	Entry string   // its JSON
	With  []Member // what a new file gets beside it
}

func (s Server) Add(t Text) (Text, string, error) {
	created := !t.Exists
	if created {
		t = Text{Bytes: "{}", Exists: true}
	}
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return t, "", err
	}
	if v, ok := f.Root().Get(s.Path...); ok {
		if runsServer(v) {
			return t, "", nil
		}
		return t, strings.Join(s.Path, ".") + " is another server: rename it, then run this again", nil
	}
	if err := f.AddMember(json.RawMessage(s.Entry), s.Path...); err != nil {
		return t, "", err
	}
	if !created {
		return Text{Bytes: f.Text(), Exists: true}, "", nil
	}
	if err := addWith(f, s.With); err != nil {
		return Text{}, "", err
	}
	return spread(Text{Bytes: f.Text(), Exists: true}), "", nil
}

// Line is the line of the server in a text, from 1; 0 if it has none.
func (s Server) Line(t Text) int {
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return 0
	}
	v, ok := f.Root().Get(s.Path...)
	if !ok {
		return 0
	}
	return v.Line()
}

func (s Server) Cut(t Text) (Text, string, error) {
	if !t.Exists || !strings.Contains(t.Bytes, "handoff") {
		return t, "", nil
	}
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return t, "", err
	}
	v, ok := f.Root().Get(s.Path...)
	if !ok {
		return t, "", nil
	}
	if !sameJSON(v.JSON(), []byte(s.Entry)) {
		if runsServer(v) {
			return t, strings.Join(s.Path, ".") + " was changed since setup, or is not from setup", nil
		}
		return t, "", nil
	}
	return cutAll(f, s.Path[0], s.With, s.cutEntry)
}

func (s Server) cutEntry(f *jsonsplice.File) (emptied bool, err error) {
	return f.Remove(indexes(f.Root(), s.Path)...)
}

// runsServer reports whether an entry runs `handoff mcp`: with its arguments in a
// separate list, or in the command's list.
func runsServer(v jsonsplice.Value) bool {
	command, _ := v.Get("command")
	args, _ := v.Get("args")
	words := append(texts(command), texts(args)...)
	return calls(strings.Join(words, " "), "mcp")
}

// texts are the strings of a value: itself, or those of an array.
func texts(v jsonsplice.Value) (all []string) {
	if t := v.Text(); t != "" {
		return []string{t}
	}
	for i := range v.Len() {
		_, e := v.At(i)
		all = append(all, texts(e)...)
	}
	return all
}
