package strictyaml

import (
	"encoding"
	"math"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// fill puts n into v, which is settable.
func (r *Reading) fill(n *yaml.Node, v reflect.Value, path string) {
	switch {
	case n.Kind == yaml.AliasNode:
		r.bad(n, "aliases are not supported: write the value out")
		return
	case n.Anchor != "":
		r.bad(n, "anchors are not supported: put text that starts with & in quotes")
		return
	case !knownTag(n):
		r.bad(n, "unknown tag %s: put text that starts with ! in quotes", shown(n.Tag))
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		r.fill(n, v.Elem(), path)
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok && isText(n) {
		if err := u.UnmarshalText([]byte(n.Value)); err != nil {
			r.bad(n, "%v", err)
		}
		return
	}
	if u, ok := v.Addr().Interface().(Numbered); ok {
		var i int64
		if !r.fillInt(n, reflect.ValueOf(&i).Elem()) {
			r.mismatch(n, v)
		}
		u.SetNumber(int(i))
		return
	}
	if !r.fillKind(n, v, path) {
		r.mismatch(n, v)
	}
}

// Numbered is a value that is written as a whole number or, if it is an encoding.TextUnmarshaler
// too, as text.
type Numbered interface{ SetNumber(n int) }

// fillKind fills v and reports whether n has the right type.
func (r *Reading) fillKind(n *yaml.Node, v reflect.Value, path string) bool {
	switch v.Kind() {
	case reflect.String:
		if isText(n) {
			v.SetString(n.Value)
		}
		return isText(n)
	case reflect.Bool:
		return fillBool(n, v)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.fillInt(n, v)
	case reflect.Float64:
		f, ok := number(n)
		v.SetFloat(f)
		return ok
	case reflect.Slice:
		return r.fillSlice(n, v, path)
	case reflect.Map:
		return r.fillMap(n, v, path)
	case reflect.Struct:
		return r.fillStruct(n, v, path)
	}
	panic("strictyaml: cannot fill a " + v.Type().String())
}

func fillBool(n *yaml.Node, v reflect.Value) bool {
	yes, no := strings.EqualFold(n.Value, "true"), strings.EqualFold(n.Value, "false")
	if n.ShortTag() != "!!bool" || !yes && !no {
		return false
	}
	v.SetBool(yes)
	return true
}

func (r *Reading) fillInt(n *yaml.Node, v reflect.Value) bool {
	i, err := strconv.ParseInt(n.Value, 10, 64)
	if err != nil || n.ShortTag() != "!!int" {
		f, ok := number(n)
		if !ok || f != math.Trunc(f) {
			return false
		}
		i = int64(f)
		if math.Abs(f) >= 1<<53 {
			r.bad(n, "%s is out of range", shown(n.Value))
			return true
		}
	}
	if v.OverflowInt(i) {
		r.bad(n, "%s is out of range", shown(n.Value))
		return true
	}
	v.SetInt(i)
	return true
}

// number reads a decimal number: no 0x10, no 1_000, no infinities.
func number(n *yaml.Node) (float64, bool) {
	if t := n.ShortTag(); t != "!!int" && t != "!!float" || strings.Trim(n.Value, "+-.eE0123456789") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Value, 64)
	return f, err == nil
}
