package cli

import "reflect"

// Printed is what a command prints with --json. Its schema is published under a name, and made from the types unless it
// is written by hand.
type Printed struct {
	Schema string
	Types  []reflect.Type // of a value, one of them; none: the schema is written by hand
	Lines  bool           // any number of values, one a line
	Nulls  bool           // a list without items is null, and so is a map
}

// Prints is one value of a type.
func Prints[T any](schema string) Printed {
	return Printed{Schema: schema, Types: []reflect.Type{reflect.TypeFor[T]()}}
}

// PrintsLines is a line for each value of a type.
func PrintsLines[T any](schema string) Printed {
	p := Prints[T](schema)
	p.Lines = true
	return p
}

// Or is p where a value may also have the types of another one.
func (p Printed) Or(more Printed) Printed {
	p.Types = append(p.Types, more.Types...)
	return p
}

// WithNulls is p where lists and maps without items are null.
func (p Printed) WithNulls() Printed {
	p.Nulls = true
	return p
}

// Published is what a schema that is written by hand describes.
func Published(schema string) Printed { return Printed{Schema: schema} }

// JSONFlag is --json, and says what it prints.
type JSONFlag struct {
	*BoolFlag
	Printed []Printed
}

// JSON is --json of a command that prints one of these, depending on its other flags.
func JSON(to *bool, usage string, printed ...Printed) Flag {
	return &JSONFlag{&BoolFlag{Name: "json", Destination: to, Usage: usage}, printed}
}

// PrintedBy is what a command with these flags prints with --json; nothing if it does not say that.
func PrintedBy(flags []Flag) []Printed {
	for _, f := range flags {
		if json, ok := f.(*JSONFlag); ok {
			return json.Printed
		}
	}
	return nil
}
