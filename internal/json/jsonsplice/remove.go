package jsonsplice

import (
	"strings"

	"handoff/internal/json/jsontext"
)

// Remove takes away the item at a path of indexes from the root, and each container
// around it that Add created and that has nothing else. emptied is true if the root
// is one of them: then Add wrote the whole text, and the file still has it.
func (f *File) Remove(path ...int) (emptied bool, err error) {
	chain := []*jsontext.Node{f.root}
	for _, i := range path {
		chain = append(chain, &chain[len(chain)-1].Children[i].Value)
	}
	last := len(path) - 1
	for last >= 0 && f.created(chain[last]) {
		last--
	}
	if last < 0 {
		return true, nil
	}
	return false, f.cut(chain[last], path[last])
}

// created reports whether a container has one item, nothing else, and whitespace
// after its opening bracket, as one that [File.AddMember] created.
func (f *File) created(n *jsontext.Node) bool {
	if len(n.Children) != 1 {
		return false
	}
	before, after := f.src[n.Start+1:n.Children[0].Start()], f.src[n.Children[0].End():n.End-1]
	return before != "" && strings.Trim(before+after, jsontext.Blanks) == ""
}

// cut removes an item of a container with the whitespace before it and one comma: the one
// after it, else the one before it.
func (f *File) cut(n *jsontext.Node, i int) error {
	c := &n.Children[i]
	end := c.End()
	start := len(strings.TrimRight(f.src[:c.Start()], jsontext.Blanks))
	drop := f.commaAfter(end)
	if drop < 0 && i > 0 {
		drop = f.commaAfter(n.Children[i-1].End())
	}
	switch {
	case drop < 0:
		return f.set(f.src[:start] + f.src[end:])
	case drop < start:
		return f.set(f.src[:drop] + f.src[drop+1:start] + f.src[end:])
	}
	return f.set(f.src[:start] + f.src[end:drop] + f.src[drop+1:])
}

// commaAfter is the offset of the comma that follows an item, after comments; -1 if
// none does. A trailing comma is one, too.
func (f *File) commaAfter(at int) int {
	for at < len(f.src) {
		switch c := f.src[at]; {
		case c == ',':
			return at
		case c == '/':
			at = comment(f.src, at)
		case strings.IndexByte(jsontext.Blanks, c) >= 0:
			at++
		default:
			return -1
		}
	}
	return -1
}
