package main

import (
	"slices"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
)

// TestEffects: every command and every flag declares what it does besides reading the
// workspace. The names of many say it; a new one with such a name needs a good reason here.
func TestEffects(t *testing.T) {
	known := []operations.Effect{operations.NoEffect, operations.KeepsRecords, operations.NamesPath, operations.NamesFile, operations.WritesFiles, operations.StartsPrograms, operations.ChangesSettings, operations.IsConnected, operations.IsOutside}
	var walk func(above string, list []*cli.Command)
	walk = func(above string, list []*cli.Command) {
		for _, c := range list {
			name := above + c.Name
			if len(c.Subcommands) > 0 {
				walk(name+" ", c.Subcommands)
				continue
			}
			d, ok := operations.EffectsOf(name)
			if !ok {
				t.Errorf("%s is not declared", name)
				continue
			}
			if !slices.Contains(known, d.Does) || !slices.Contains(known, d.Args) {
				t.Errorf("%s: unknown effects %q, %q", name, d.Does, d.Args)
			}
			if whole := operations.Reasons[d.Does] != "" && d.Does != operations.WritesFiles; whole || d.Flags == "*" {
				if !whole || d.Flags != "*" {
					t.Errorf("%s: does %q, flags %q: * is for commands that are refused as a whole, at edit too", name, d.Does, d.Flags)
				}
				continue
			}
			var flags []string
			for _, f := range c.Flags {
				flags = append(flags, f.Names()[0])
				e, ok := d.Flag(f.Names()[0])
				switch usage := usageOf(f); {
				case !ok:
					t.Errorf("%s %s is not declared", name, command.Dashed(f.Names()[0]))
				case !slices.Contains(known, e):
					t.Errorf("%s %s: unknown effect %q", name, command.Dashed(f.Names()[0]), e)
				case e == operations.NoEffect && (strings.Contains(usage, "`FILE`") || strings.Contains(usage, "`DIR`")):
					t.Errorf("%s %s names a file or a folder, and is declared to have no effect", name, command.Dashed(f.Names()[0]))
				}
			}
			for word := range strings.FieldsSeq(d.Flags) {
				if flag, _, _ := strings.Cut(word, ":"); !slices.Contains(flags, flag) {
					t.Errorf("%s has no flag %s", name, command.Dashed(flag))
				}
			}
		}
	}
	walk("", newApp(&command.Process{}, "").Commands)
}

func usageOf(f cli.Flag) string {
	if d, ok := f.(cli.DocGenerationFlag); ok {
		return d.GetUsage()
	}
	return ""
}
