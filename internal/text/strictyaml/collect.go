package strictyaml

import (
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"handoff/internal/text/nearest"
)

func (r *Reading) fillSlice(n *yaml.Node, v reflect.Value, path string) bool {
	if n.Kind != yaml.SequenceNode {
		return n.ShortTag() == "!!null"
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
	for i, child := range n.Content {
		below := path + "/" + strconv.Itoa(i)
		r.positions[below] = Position{child.Line, child.Column, child.Line, child.Column}
		r.fill(child, v.Index(i), below)
	}
	return true
}

func (r *Reading) fillMap(n *yaml.Node, v reflect.Value, path string) bool {
	if n.Kind != yaml.MappingNode {
		return n.ShortTag() == "!!null"
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	r.pairs(n, path, func(key, value *yaml.Node, below string) {
		entry := reflect.New(v.Type().Elem()).Elem()
		r.fill(value, entry, below)
		v.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), entry)
	})
	return true
}

func (r *Reading) fillStruct(n *yaml.Node, v reflect.Value, path string) bool {
	if n.Kind != yaml.MappingNode {
		return n.ShortTag() == "!!null"
	}
	var known []string
	fields := map[string]int{}
	for i := range v.NumField() {
		if key := v.Type().Field(i).Tag.Get("yaml"); key != "" && key != "-" {
			known = append(known, key)
			fields[key] = i
		}
	}
	r.pairs(n, path, func(key, value *yaml.Node, below string) {
		if i, ok := fields[key.Value]; ok {
			r.fill(value, v.Field(i), below)
		} else {
			r.bad(key, "unknown key %s%s", shown(key.Value), nearest.Hint(key.Value, known))
		}
	})
	return true
}

// pairs calls take for every pair of a mapping, except for keys that are not text and
// duplicate keys.
func (r *Reading) pairs(n *yaml.Node, path string, take func(key, value *yaml.Node, path string)) {
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			r.bad(key, "<< is not supported: write the keys out")
			continue
		}
		if !isText(key) {
			r.bad(key, "want text as a key, got %s", what(key))
			continue
		}
		if first := seen[key.Value]; first != nil {
			r.bad(key, "duplicate key %s, first on line %d", shown(key.Value), first.Line)
			continue
		}
		seen[key.Value] = key
		below := path + "/" + escape.Replace(key.Value)
		r.positions[below] = Position{value.Line, value.Column, key.Line, key.Column}
		take(key, value, below)
	}
}

// escape writes a key as a part of a JSON pointer (RFC 6901).
var escape = strings.NewReplacer("~", "~0", "/", "~1")
