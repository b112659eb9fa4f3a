package hooks

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/text/inert"
	"handoff/internal/text/visible"
	"handoff/lint"
	"handoff/workspace/check"
	"handoff/workspace/sync"
)

// maxWritten is the most documents of one call that are checked.
const maxWritten = 4

// written are the handoffs that a call of a tool wrote, below the root.
func (r *run) written() (paths []string) {
	for _, file := range r.in.Files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(r.in.Dir, file)
		}
		path := filepath.Clean(file)
		if real, err := filepath.EvalSymlinks(path); err == nil && !nofollow.Within(r.ws.Root, path) {
			path = real // the host may know the root by another name
		}
		if !nofollow.Within(r.ws.Root, path) {
			continue
		}
		exists := regular.KindOf(path) == regular.File // a call may have failed
		path = r.ws.Rel(path)
		name := r.ws.NameOf(path)
		filed := name.Layout != "" || name.Dir != "" && filepath.Ext(path) == ".md" && strings.HasPrefix(path, name.Dir+"/"+handoff.Folder+"/")
		if exists && filed && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths[:min(maxWritten, len(paths))]
}

// checked links a handoff that was written and returns what `handoff lint` finds in
// it, "" for nothing.
func (r *run) checked(ctx context.Context, path string) (text string, err error) {
	req := check.Request{Dir: r.ws.Root, Paths: []string{filepath.FromSlash(path)}}
	err = check.Run(ctx, r.ws.Options, req, func(c *check.Result) error {
		text = findings(r.ws.NameOf(path).Called(path), c.Findings)
		return c.Err
	})
	dir := handoff.ParseName(path).Dir
	linking := sync.Link(ctx, r.ws, sync.Request{Tasks: []string{dir}, Fresh: []string{path}}, path)
	return text, errors.Join(err, linking)
}

// maxFindings is the most findings that an agent is shown.
const maxFindings = 20

// findings are findings as text: the errors first. called is how the text names the
// document; the findings quote it, in a frame.
func findings(called string, list []lint.Finding) string {
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b lint.Finding) int { return rank(a) - rank(b) })
	var rows []string
	for i, f := range list {
		if i == maxFindings {
			rows = append(rows, fmt.Sprintf("- and %d more", len(list)-i))
			break
		}
		rows = append(rows, fmt.Sprintf("- line %d: %s (%s, %s)", max(1, f.Lines.First), line(f.Message), f.Severity, f.Rule))
	}
	return "`handoff lint` has findings in " + called + ", which was just written. " + inert.Quote("list", rows...) + "`handoff rules NAME` explains a rule.\n"
}

func rank(f lint.Finding) int {
	if f.Severity == lint.Error {
		return 0
	}
	return 1
}

// maxLine is the most bytes of a line with text of a document or of a name.
const maxLine = 300

// line returns such a text as one visible line, so that it cannot imitate the
// hook's own output.
func line(text string) string {
	text, _ = visible.Model(strings.Join(strings.Fields(text), " "))
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}
