// Package schema holds the published JSON Schemas of what people and agents write for the
// tool. They are contracts: tests check that they agree with the code that reads the
// files. The package knows only their bytes.
package schema

import (
	"embed"
	"io/fs"
	"strings"
)

// FS holds NAME.schema.json for each name of [Names].
//
//go:embed *.schema.json
var FS embed.FS

// Names lists the schemas.
func Names() []string {
	files, err := fs.Glob(FS, "*.schema.json")
	if err != nil {
		return nil // cannot be: the pattern is fine
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".schema.json")
	}
	return files
}
