package edit

import (
	"encoding/json"
	"strings"

	"handoff/internal/json/jsonsplice"
)

// Element is an element of a list in JSON, at a path of names.
type Element struct {
	Path  []string
	Entry string // its JSON
}

func (e Element) Add(t Text) (Text, string, error) {
	return addTo(t, func(f *jsonsplice.File) error {
		if list, _ := f.Root().Get(e.Path...); some(list, e.is) {
			return nil
		}
		return f.AddElement(json.RawMessage(e.Entry), e.Path...)
	})
}

func (e Element) Cut(t Text) (Text, string, error) {
	return cutFrom(t, func(root jsonsplice.Value) []int {
		list, _ := root.Get(e.Path...)
		for i := range list.Len() {
			if _, v := list.At(i); e.is(v) {
				return append(indexes(root, e.Path), i)
			}
		}
		return nil
	})
}

func (e Element) is(v jsonsplice.Value) bool { return sameJSON(v.JSON(), []byte(e.Entry)) }

// Template is a command that a person types, in JSON: an object at a path of names, whose member
// template is a text with a checksum, as that of a file that handoff owns.
type Template struct {
	Path  []string
	About string // what the host shows beside it
	Whole Whole
}

// has is the text of the command in a file.
func (c Template) has(root jsonsplice.Value) Text {
	v, ok := root.Get(c.Path...)
	template, _ := v.Get("template")
	return Text{Bytes: template.Text(), Exists: ok}
}

func (c Template) Add(t Text) (after Text, why string, err error) {
	after, _, err = addTo(t, func(f *jsonsplice.File) error {
		had := c.has(f.Root())
		var text Text
		if text, why, _ = c.Whole.Add(had); why != "" || text == had {
			return nil
		}
		if had.Exists {
			if _, err := f.Remove(indexes(f.Root(), c.Path)...); err != nil {
				return err
			}
		}
		return f.AddMember(json.RawMessage(`{"description":`+quote(c.About)+`,"template":`+quote(text.Bytes)+`}`), c.Path...)
	})
	return after, why, err
}

func (c Template) Cut(t Text) (after Text, why string, err error) {
	after, _, err = cutFrom(t, func(root jsonsplice.Value) []int {
		had := c.has(root)
		var text Text
		if text, why, _ = c.Whole.Cut(had); text == had {
			return nil
		}
		return indexes(root, c.Path)
	})
	return after, why, err
}

// addTo adds to a file of JSON, or to a new one.
func addTo(t Text, add func(*jsonsplice.File) error) (Text, string, error) {
	src := t.Bytes
	if !t.Exists {
		src = "{}"
	}
	f, err := jsonsplice.Parse(src)
	if err == nil {
		err = add(f)
	}
	switch {
	case err != nil || f.Text() == src:
		return t, "", err
	case !t.Exists:
		return spread(Text{Bytes: f.Text(), Exists: true}), "", nil
	}
	return Text{Bytes: f.Text(), Exists: true}, "", nil
}

// cutFrom removes what is at a path of indexes from a file of JSON; nothing for nil.
func cutFrom(t Text, find func(root jsonsplice.Value) []int) (Text, string, error) {
	if !t.Exists || !strings.Contains(t.Bytes, "handoff") {
		return t, "", nil
	}
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return t, "", err
	}
	path := find(f.Root())
	if path == nil {
		return t, "", nil
	}
	emptied, err := f.Remove(path...)
	switch {
	case err != nil:
		return t, "", err
	case emptied:
		return Text{}, "", nil
	}
	return Text{Bytes: f.Text(), Exists: true}, "", nil
}

// indexes are those of the members at a path of names, which exists.
func indexes(root jsonsplice.Value, names []string) (path []int) {
	for at, rest := root, names; len(rest) > 0; rest = rest[1:] {
		path = append(path, index(at, rest[0]))
		_, at = at.At(path[len(path)-1])
	}
	return path
}
