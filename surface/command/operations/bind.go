package operations

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"handoff/log/artifact"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/ops"
)

// Bound is a field of a request with the flag that sets it: see package ops.
type Bound struct {
	reflect.StructField
	Name, value string // of the flag
	inverted    bool   // the flag makes the field false
	what, File  string // of a text: what it is, and the flag with the name of its file
}

// BoundTo are the fields of a request with a flag, in their order.
func BoundTo(request reflect.Type) (list []Bound) {
	for _, f := range ops.Fields(request) {
		tag := f.Tag.Get("flag")
		if tag == "" {
			continue
		}
		b := Bound{StructField: f}
		b.Name, b.value, _ = strings.Cut(tag, "=")
		b.Name, b.inverted = strings.CutPrefix(b.Name, "!")
		b.what, b.File, _ = strings.Cut(f.Tag.Get("text"), ",")
		list = append(list, b)
	}
	return list
}

// filling is what the flags of a request need besides the command line.
type filling struct {
	w        *command.Process
	command  string                                 // in errors
	artifact func(name string) (artifact.ID, error) // of which the beginning may be given
}

// bind returns the flags that set the fields of a request, which is a pointer, and a function
// that completes the request when the command works: it reads files and finds artifacts.
func bind(request any) (all []cli.Flag, complete func(filling) error) {
	into := reflect.ValueOf(request).Elem()
	var late []func(filling) error
	for _, b := range BoundTo(into.Type()) {
		at := into.FieldByIndex(b.Index).Addr().Interface()
		switch {
		case b.File != "":
			o := new(TextOptions)
			all = append(all, b.textFlags(o)...)
			late = append(late, func(f filling) error { return b.setText(f, o, at) })
			continue
		case b.Tag.Get("names") == "task":
			named := new(*string)
			all = append(all, command.TaskFlag(at.(**int), named, &cli.StringFlag{Usage: b.usage(), DefaultText: b.Tag.Get("unset")}))
			late = append(late, func(filling) error { into.FieldByName("Named").SetString(*cmp.Or(*named, new(""))); return nil })
			continue
		case b.Tag.Get("names") == "artifact":
			late = append(late, func(f filling) error { return b.setArtifact(f, at.(**string)) })
		}
		all = append(all, b.flag(at))
	}
	return all, func(f filling) error {
		for _, set := range late {
			if err := set(f); err != nil {
				return err
			}
		}
		return nil
	}
}

// FlagsOf are the flags that set the fields of a request, which is a pointer: none of them is a text or an artifact.
func FlagsOf(request any) []cli.Flag {
	all, _ := bind(request)
	return all
}

// flag is the flag that sets the field to which at points.
func (b Bound) flag(at any) cli.Flag {
	usage, unset, preset := b.usage(), b.Tag.Get("unset"), b.Tag.Get("preset")
	text := &cli.StringFlag{Name: b.Name, Usage: usage, DefaultText: unset, Value: preset}
	switch at := at.(type) {
	case *string:
		text.Destination = at
	case **string:
		text.Action = command.Some(at)
	case *json.RawMessage:
		text.Action = func(_ *cli.Context, value string) (err error) { *at, err = JsonObject(b.Name, value); return err }
	case *[]string:
		if b.Tag.Get("single") != "" {
			text.Action = func(_ *cli.Context, value string) error { *at = []string{value}; return nil }
			return text
		}
		return &cli.StringSliceFlag{Name: b.Name, Usage: usage, Action: command.To(at)}
	case *bool:
		return &cli.BoolFlag{Name: b.Name, Usage: usage, Destination: at}
	case **bool:
		*at = new(b.inverted)
		return &cli.BoolFlag{Name: b.Name, Usage: usage, Action: func(_ *cli.Context, set bool) error { *at = new(set != b.inverted); return nil }}
	case *int:
		n, _ := strconv.Atoi(preset)
		f := &cli.IntFlag{Name: b.Name, Usage: usage, DefaultText: unset, Value: n, Destination: at}
		if least, err := strconv.Atoi(b.Tag.Get("least")); err == nil {
			return command.AtLeast(least, f)
		}
		return f
	case **int:
		return &cli.IntFlag{Name: b.Name, Usage: usage, DefaultText: unset, Action: command.Some(at)}
	case **int64:
		if unit, err := time.ParseDuration(b.Tag.Get("unit")); err == nil {
			value, _ := time.ParseDuration(preset)
			return &cli.DurationFlag{Name: b.Name, Usage: usage, Value: value, Action: func(_ *cli.Context, d time.Duration) error { *at = new(int64(d / unit)); return nil }}
		}
		return &cli.Int64Flag{Name: b.Name, Usage: usage, DefaultText: unset, Action: command.Some(at)}
	case *uint64:
		return &cli.Uint64Flag{Name: b.Name, Usage: usage, DefaultText: unset, Destination: at}
	case **uint64:
		return &cli.Uint64Flag{Name: b.Name, Usage: usage, DefaultText: unset, Action: command.Some(at)}
	case **uint32: // as in RIP
		return &cli.UintFlag{Name: b.Name, Usage: usage, DefaultText: unset, Action: func(_ *cli.Context, n uint) error { *at = new(uint32(min(n, 1<<32-1))); return nil }}
	default:
		panic(fmt.Sprintf("--%s: no flag sets a %T", b.Name, at)) // a programming error, which any test finds
	}
	if b.Tag.Get("enum") != "" {
		return command.OneOf(text)
	}
	return text
}

// usage is the help of the flag: see [command.ValueAndUsage].
func (b Bound) usage() string {
	if b.value == "" {
		return b.Tag.Get("usage")
	}
	return "`" + b.value + "`  " + b.Tag.Get("usage")
}

// JsonObject is the value of a flag that is a JSON object.
func JsonObject(flag, value string) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(value), &object); err != nil || object == nil {
		return nil, fmt.Errorf("--%s: want a JSON object: {\"tables\": 5}", flag)
	}
	return json.RawMessage(value), nil
}

func (b Bound) textFlags(o *TextOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: b.Name, Action: command.Some(&o.Text), Usage: b.usage()},
		&cli.StringFlag{Name: b.File, Action: command.Some(&o.File), Usage: "`FILE`  file to read --" + b.Name + " from, - for standard input"},
	}
}

// setText sets a field to the text that a flag or a file contains. It may be left out if the
// field is a pointer.
func (b Bound) setText(f filling, o *TextOptions, at any) error {
	into, optional := at.(**string)
	either := fmt.Sprintf("--%s %s or --%s FILE", b.Name, b.value, b.File)
	switch given, inFile := o.Text != nil, o.File != nil; {
	case given && inFile && optional:
		return fmt.Errorf("%s takes one %s: %s", f.command, b.what, either)
	case given == inFile && !optional:
		return fmt.Errorf("%s needs the %s: %s", f.command, b.what, either)
	}
	text, err := textOf(f.w, b.what, o)
	switch {
	case err != nil || text == nil:
	case optional:
		*into = text
	default:
		*at.(*string) = *text
	}
	return err
}

// setArtifact replaces the beginning of an id by the id.
func (b Bound) setArtifact(f filling, at **string) error {
	if *at == nil {
		return nil
	}
	id, err := f.artifact(**at)
	if err != nil {
		return fmt.Errorf("--%s: %w", b.Name, err)
	}
	*at = new(id.String())
	return nil
}

// setArguments sets the fields of a request that are arguments.
func setArguments(request any, args command.Arguments) {
	into := reflect.ValueOf(request).Elem()
	for _, f := range ops.Fields(into.Type()) {
		n, err := strconv.Atoi(f.Tag.Get("arg"))
		switch at := into.FieldByIndex(f.Index).Addr().Interface().(type) {
		case *string:
			if err == nil {
				*at = args.Get(n)
			}
		case **string:
			if err == nil && n < len(args) {
				*at = new(args[n])
			}
		}
	}
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
