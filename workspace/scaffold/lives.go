package scaffold

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/workspace"
	"handoff/workspace/config"
)

// Where handoffs live, and in which language new ones are, are settings, each a line that init adds to a configuration.

// lines are the settings of a request.
func (r Request) lines() (text string) {
	if r.Local {
		text += "local: true\n"
	}
	if r.UntilMerge != "" {
		text += "until_merge: " + r.UntilMerge + "\n"
	}
	if r.Language != "" {
		text += "language: " + r.Language + "\n"
	}
	return text
}

// meets reports whether a configuration has the settings of a request.
func (r Request) meets(c config.Config) bool {
	return c.Local == r.Local && c.UntilMerge == r.UntilMerge && (r.Language == "" || c.Language == r.Language)
}

// set adds the settings of a request to the configuration. One that has other values for them is
// not changed.
func set(req Request) (Step, error) {
	lines := req.lines()
	if lines == "" {
		return Step{}, nil
	}
	root, path := nofollow.Root(req.Root), filepath.Join(req.Root, config.File)
	src, err := root.ReadFile(path, workspace.MaxSize)
	if err != nil {
		return Step{}, err
	}
	before, err := config.Parse(path, src, nil)
	if err != nil {
		return Step{}, err
	}
	if req.meets(before) {
		return Step{}, nil
	}
	text := string(src)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	after, err := config.Parse(path, []byte(text+lines), nil)
	if err != nil || !req.meets(after) {
		return Step{}, handoff.Invalid(fmt.Errorf("%s exists and could not be changed safely: change it to have\n%s", config.File, strings.TrimSuffix(lines, "\n")))
	}
	if err := atomicfile.Write(root, path, []byte(text+lines), 0o644); err != nil {
		return Step{}, err
	}
	return Step{Verb: "changed", Path: config.File, Why: strings.ReplaceAll(strings.TrimSuffix(lines, "\n"), "\n", ", ")}, nil
}

var setLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(local: true|until_merge: .*|language: [a-z]+)\n`)
})

// startersOf are the contents that init writes, with the settings that a content has.
func startersOf(content string) []string {
	list := starters()
	if bare := setLine().ReplaceAllString(content, ""); bare != content {
		for _, s := range list {
			if s == bare {
				return append(list, content)
			}
		}
	}
	return list
}

// excludePath is how the list of exclusions is called.
const excludePath = ".git/info/exclude"

// excludeIn keeps the handoffs of a workspace out of git.
func excludeIn(ctx context.Context, root string) (Step, error) {
	ws, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		return Step{}, err
	}
	defer ws.Close()
	added, err := ws.Exclude(ctx)
	if err != nil || !added {
		return Step{}, err
	}
	return Step{Verb: "changed", Path: excludePath, Why: "handoffs are not committed"}, nil
}

// include ends that.
func include(root string) (Step, error) {
	ws, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		return Step{}, nil // another step reports it
	}
	defer ws.Close()
	removed, err := ws.Include()
	if err != nil || !removed {
		return Step{}, err
	}
	return Step{Verb: "changed", Path: excludePath, Why: "handoffs can be committed"}, nil
}
