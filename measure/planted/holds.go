package planted

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

// near is how far a name must be from the line where it is said to be, for that to be false.
const near = 5

// holds asks git and the files whether a statement is true. ok is false if it is neither: a name three lines below the
// one that is said, or a kind that this repository has nothing for.
func (r *repository) holds(ctx context.Context, name, wording string, v values) (is, ok bool) {
	for place := range strings.SplitSeq(wording, "{") {
		if name, _, closed := strings.Cut(place, "}"); closed && v[name] == "" {
			return false, false
		}
	}
	switch name {
	case "file":
		return r.exists(v["file"]), true
	case "absent":
		return !r.exists(v["file"]), r.exists(v["file"]) || len(r.asks(ctx, "log", "-1", "--format=%h", "--", v["file"])) == 0
	case "deleted":
		return !r.exists(v["file"]), r.exists(v["file"]) || len(r.asks(ctx, "log", "-1", "--format=%h", "--", v["file"])) == 1
	case "line", "text", "symbol":
		return r.holdsPlace(name, v)
	case "count":
		if strings.Contains(wording, "{folder}") {
			n := r.entries(v["folder"])
			return strconv.Itoa(n) == v["files"], n > 2
		}
		return strconv.Itoa(len(r.lines[v["file"]])) == v["lines"], true
	case "renamed":
		return slices.Contains(r.renames, [2]string{v["old"], v["new"]}), true
	}
	return r.holdsInGit(ctx, name, wording, v)
}

// holdsInGit asks about commits, branches and tags.
func (r *repository) holdsInGit(ctx context.Context, name, wording string, v values) (is, ok bool) {
	runs := func(args ...string) bool { _, err := r.git(ctx, args...); return err == nil }
	switch name {
	case "commit":
		return runs("cat-file", "-e", v["commit"]+"^{commit}"), true
	case "subject":
		list := r.asks(ctx, "log", "-1", "--format=%s", v["commit"])
		return len(list) == 1 && list[0] == v["subject"], len(list) == 1
	case "branch":
		return runs("show-ref", "--verify", "-q", "refs/heads/"+v["branch"]) || runs("show-ref", "--verify", "-q", "refs/remotes/origin/"+v["branch"]), true
	case "merged":
		return runs("merge-base", "--is-ancestor", v["branch"], r.main), true
	case "unmerged":
		return !runs("merge-base", "--is-ancestor", v["branch"], r.main), true
	case "pushed":
		return len(r.asks(ctx, "branch", "-r", "--contains", v["branch"])) > 0, true
	case "tag":
		list := r.asks(ctx, "rev-parse", "-q", "--verify", "refs/tags/"+v["tag"]+"^{commit}")
		if !strings.Contains(wording, "{commit}") {
			return len(list) == 1, true
		}
		return len(list) == 1 && strings.HasPrefix(list[0], v["commit"]), true
	}
	return false, false
}

// holdsPlace asks whether a name or a text is on a line, or in a file.
func (r *repository) holdsPlace(name string, v values) (is, ok bool) {
	lines := r.lines[v["file"]]
	at, _ := strconv.Atoi(v["line"])
	switch name {
	case "symbol":
		return slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, v["symbol"]) }), true
	case "text":
		if n := len(v["text"]); n < 12 || n > 60 || strings.Contains(v["text"], "`") {
			return false, false
		}
		return at <= len(lines) && strings.TrimSpace(lines[at-1]) == v["text"], true
	}
	if at <= len(lines) && strings.Contains(lines[at-1], v["symbol"]) {
		return true, true
	}
	for i := max(1, at-near); i <= min(len(lines), at+near); i++ {
		if strings.Contains(lines[i-1], v["symbol"]) {
			return false, false
		}
	}
	return false, true
}
