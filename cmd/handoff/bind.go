package main

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/workspace/ops"
)

// bound is a field of a request with the flag that sets it: see package ops.
type bound struct {
	reflect.StructField
	name, value string // of the flag
	inverted    bool   // the flag makes the field false
	what, file  string // of a text: what it is, and the flag with the name of its file
}

// boundTo are the fields of a request with a flag, in their order.
func boundTo(request reflect.Type) (list []bound) {
	for _, f := range ops.Fields(request) {
		tag := f.Tag.Get("flag")
		if tag == "" {
			continue
		}
		b := bound{StructField: f}
		b.name, b.value, _ = strings.Cut(tag, "=")
		b.name, b.inverted = strings.CutPrefix(b.name, "!")
		b.what, b.file, _ = strings.Cut(f.Tag.Get("text"), ",")
		list = append(list, b)
	}
	return list
}

// requestFlags are the flags of a request.
func requestFlags(request reflect.Type) (all []cli.Flag) {
	for _, b := range boundTo(request) {
		all = append(all, b.flag())
		if b.file != "" {
			all = append(all, &cli.StringFlag{Name: b.file, Usage: "read the message from `FILE`, - for standard input"})
		}
	}
	return all
}

func (b bound) flag() cli.Flag {
	usage, unset := b.Tag.Get("usage"), b.Tag.Get("unset")
	if b.value != "" {
		usage = strings.Replace(usage, b.value, "`"+b.value+"`", 1)
	}
	switch b.kind() {
	case reflect.Bool:
		return &cli.BoolFlag{Name: b.name, Usage: usage}
	case reflect.Uint64:
		return &cli.Uint64Flag{Name: b.name, Usage: usage, DefaultText: unset}
	case reflect.Uint32:
		return &cli.UintFlag{Name: b.name, Usage: usage, DefaultText: unset}
	}
	return &cli.StringFlag{Name: b.name, Usage: usage, DefaultText: unset, Value: b.Tag.Get("preset")}
}

// kind is that of the field, or of what it points to.
func (b bound) kind() reflect.Kind {
	if b.Type.Kind() == reflect.Pointer {
		return b.Type.Elem().Kind()
	}
	return b.Type.Kind()
}

// fill sets the fields of a request, which is a pointer, from the flags and arguments.
func (w *process) fill(c *cli.Context, request any) error {
	into := reflect.ValueOf(request).Elem()
	for _, b := range boundTo(into.Type()) {
		value, err := w.valueOf(c, b)
		if err != nil {
			return err
		}
		if value.IsValid() {
			set(into.FieldByIndex(b.Index), value)
		}
	}
	for _, f := range ops.Fields(into.Type()) {
		if n, err := strconv.Atoi(f.Tag.Get("arg")); err == nil && n < c.NArg() {
			set(into.FieldByIndex(f.Index), reflect.ValueOf(c.Args().Get(n)))
		}
	}
	return nil
}

// argumentsOfRequest is how many arguments set fields of a request.
func argumentsOfRequest(request reflect.Type) (n int) {
	for _, f := range ops.Fields(request) {
		if f.Tag.Get("arg") != "" {
			n++
		}
	}
	return n
}

// set sets a field, or what it points to.
func set(into, value reflect.Value) {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	into.Set(value.Convert(into.Type()))
}

// valueOf is the value that the flags give a field, the zero value for none.
func (w *process) valueOf(c *cli.Context, b bound) (value reflect.Value, err error) {
	switch {
	case b.file != "":
		return w.textFlag(c, b)
	case b.inverted:
		return reflect.ValueOf(!c.Bool(b.name)), nil
	case b.Type.Kind() == reflect.Pointer && !c.IsSet(b.name):
		return value, nil
	case b.Tag.Get("names") == "artifact":
		id, err := w.artifact(c, c.String(b.name))
		if err != nil {
			return value, fmt.Errorf("--%s: %w", b.name, err)
		}
		return reflect.ValueOf(id.String()), nil
	case b.kind() == reflect.Uint32: // as in RIP
		return reflect.ValueOf(min(c.Uint(b.name), 1<<32-1)), nil
	}
	return reflect.ValueOf(c.Value(b.name)), nil
}

// textFlag is the text that a flag or a file contains. It may be left out if the field is a
// pointer.
func (w *process) textFlag(c *cli.Context, b bound) (value reflect.Value, err error) {
	given, inFile := c.IsSet(b.name), c.IsSet(b.file)
	either := fmt.Sprintf("--%s %s or --%s FILE", b.name, b.value, b.file)
	switch optional := b.Type.Kind() == reflect.Pointer; {
	case given && inFile && optional:
		return value, fmt.Errorf("%s takes one %s: %s", commandName(c), b.what, either)
	case given == inFile && !optional:
		return value, fmt.Errorf("%s needs the %s: %s", commandName(c), b.what, either)
	}
	text, err := w.textOf(c, b.what, b.name, b.file)
	if err != nil || text == nil {
		return value, err
	}
	return reflect.ValueOf(*text), nil
}
