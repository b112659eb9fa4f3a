// Package cli is what the commands use of github.com/urfave/cli/v2: its types of commands and flags, under their own
// names. It is the only package that imports the library, so that one file says what we rely on.
package cli

import "github.com/urfave/cli/v2"

// A program and its commands.
type (
	App              = cli.App
	Command          = cli.Command
	Context          = cli.Context
	ActionFunc       = cli.ActionFunc
	OnUsageErrorFunc = cli.OnUsageErrorFunc
)

// Flags, and what help and completion ask of any of them.
type (
	Flag                   = cli.Flag
	DocGenerationFlag      = cli.DocGenerationFlag
	DocGenerationSliceFlag = cli.DocGenerationSliceFlag
	BoolFlag               = cli.BoolFlag
	StringFlag             = cli.StringFlag
	StringSliceFlag        = cli.StringSliceFlag
	StringSlice            = cli.StringSlice
	IntFlag                = cli.IntFlag
	Int64Flag              = cli.Int64Flag
	UintFlag               = cli.UintFlag
	Uint64Flag             = cli.Uint64Flag
	Float64Flag            = cli.Float64Flag
	DurationFlag           = cli.DurationFlag
)
