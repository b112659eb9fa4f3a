package jsonsplice

import "handoff/internal/json/jsontext"

// Line is the line on which the value begins, from 1.
func (v Value) Line() int {
	line, _ := jsontext.Position(v.src, v.n.Start)
	return line
}
