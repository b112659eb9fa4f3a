package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startBytes is the most memory that the package variables of a package may take at each
// start, in kilobytes, where that is more than startLimit: libraries that we use, and what
// they use.
var startBytes = map[string]int{
	"github.com/russross/blackfriday/v2":         220, // of urfave/cli, for manual pages; a release has the tag urfave_cli_no_docs, without it
	"github.com/yuin/goldmark/util":              145,
	"github.com/yuin/goldmark/parser":            115,
	"github.com/google/jsonschema-go/jsonschema": 85, // of the MCP SDK
	"github.com/modelcontextprotocol/go-sdk/mcp": 10,
	"go.yaml.in/yaml/v4/internal/libyaml":        35,
	"gopkg.in/yaml.v2":                           30, // of frontmatter
	"github.com/nats-io/nats.go":                 25,
	"github.com/nats-io/nkeys":                   15,
	"github.com/klauspost/compress/flate":        20, // of nats.go
	"encoding/gob":                               30, // of nats.go and the MCP SDK
	"github.com/charmbracelet/ultraviolet":       30, // of Bubble Tea
	"github.com/charmbracelet/x/ansi":            15,
	"html/template":                              20, // of the dashboard
	"unicode":                                    12,
	"main":                                       12, // tables of the help
	"debug/dwarf":                                10, // doctor reads which handoff is in PATH
	"vendor/golang.org/x/net/http2/hpack":        10,
	"github.com/BurntSushi/toml/internal":        9, // it looks up the local time zone
}

// startLimit is the most for a package that startBytes does not name, in kilobytes.
const startLimit = 7

// TestStart finds package variables that each start of the program pays for, also in a
// hook. Compute such a table when it is first used; if a library does it, look for one that
// does not, or for a version of it, before it gets a row.
func TestStart(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates, too")
	}
	cmd := exec.Command(programFile(), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for lines := bufio.NewScanner(&trace); lines.Scan(); {
		var path string
		var at, clock float64
		var size, allocs int
		if n, _ := fmt.Sscanf(lines.Text(), "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &path, &at, &clock, &size, &allocs); n != 5 {
			continue
		}
		seen++
		path = strings.ReplaceAll(path, "%2e", ".") // a dot after the last slash
		limit, named := startBytes[path]
		if !named {
			limit = startLimit
		}
		if size > limit<<10 {
			t.Errorf("%s takes %d bytes in %d allocations at each start, at most %d KB are allowed", path, size, allocs, limit)
		}
	}
	if seen < 100 {
		t.Errorf("%d packages are traced:\n%s", seen, trace.String())
	}
}
