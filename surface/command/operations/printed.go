package operations

import (
	"reflect"
	"strings"

	"handoff/surface/command/cli"
)

// JSONFlag is --json of the command of an operation. It prints the result, unless otherwise says something else for the
// name of the operation.
func JSONFlag(k *Call, usage string, otherwise map[string][]cli.Printed) cli.Flag {
	if of, ok := otherwise[k.About.Name]; ok {
		return cli.JSON(&k.JSON, usage, of...)
	}
	result := k.Result
	if result.Kind() == reflect.Pointer {
		result = result.Elem() // never nil
	}
	return cli.JSON(&k.JSON, usage, cli.Printed{Schema: strings.ReplaceAll(k.Command, " ", "-"), Types: []reflect.Type{result}})
}
