package planted

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// repository is a clone in which handoffs are written, and what git says of it.
type repository struct {
	dir     string
	random  *rand.Rand
	program string // handoff
	main    string

	files    []string // text files that git has, with an extension
	lines    map[string][]string
	symbols  []place
	folders  []string // with files only
	commits  []string
	subjects map[string]string
	merged   []string
	unmerged []string // the last one is on no remote
	ahead    string   // a branch that no remote has
	gone     []string
	renames  [][2]string
	tags     []string
}

// place is a name and where it is defined.
type place struct {
	name, file string
	line       int
}

func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "core.quotePath=false"}, args...)...)
	cmd.Dir = r.dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimRight(string(out), "\n"), err
}

// asks are the lines that git prints; none if it fails.
func (r *repository) asks(ctx context.Context, args ...string) []string {
	out, err := r.git(ctx, args...)
	if err != nil || out == "" {
		return nil
	}
	return strings.Split(out, "\n")
}

// plainPath are paths that a wording can hold without quotes.
var plainPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*$`)

// maxText is the most bytes of a file whose lines are used.
const maxText = 256 << 10

// learn collects what can be said of the repository.
func (r *repository) learn(ctx context.Context) error {
	r.lines, r.subjects = map[string][]string{}, map[string]string{}
	hidden := map[string]bool{}
	for _, file := range r.asks(ctx, "ls-files") {
		hidden[path.Dir(file)] = hidden[path.Dir(file)] || !plainPath.MatchString(file)
		if plainPath.MatchString(file) {
			r.readLines(file)
		}
	}
	for _, file := range r.files {
		if dir := path.Dir(file); dir != "." && !hidden[dir] && !slices.Contains(r.folders, dir) && r.entries(dir) > 2 {
			r.folders = append(r.folders, dir)
		}
	}
	for _, line := range r.asks(ctx, "log", "--no-merges", "-n", "2000", "--format=%h %s", "--abbrev=9") {
		id, subject, _ := strings.Cut(line, " ")
		if strings.ContainsAny(id, "abcdef") && strings.ContainsAny(id, "0123456789") {
			r.commits = append(r.commits, id)
			if plainSubject.MatchString(subject) {
				r.subjects[id] = subject
			}
		}
	}
	for _, file := range r.asks(ctx, "log", "-n", "2000", "--no-renames", "--diff-filter=D", "--name-only", "--format=") {
		if plainPath.MatchString(file) && strings.Contains(file, "/") && !r.exists(file) && !slices.Contains(r.gone, file) {
			r.gone = append(r.gone, file)
		}
	}
	for _, line := range r.asks(ctx, "log", "-n", "2000", "-M", "--diff-filter=R", "--name-status", "--format=") {
		parts := strings.Split(line, "\t")
		if len(parts) == 3 && plainPath.MatchString(parts[1]) && plainPath.MatchString(parts[2]) && !r.exists(parts[1]) && r.exists(parts[2]) {
			r.renames = append(r.renames, [2]string{parts[1], parts[2]})
		}
	}
	r.tags = slices.DeleteFunc(r.asks(ctx, "tag"), func(tag string) bool { return strings.ContainsAny(tag, " `") })
	if len(r.files) < 3 || len(r.commits) < 3 || len(r.symbols) < 2 {
		return errors.New("it has too few files or commits")
	}
	return r.branches(ctx)
}

// plainSubject are subjects that say what a commit did, and no more.
var plainSubject = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9 ,/:_-]{14,60}$`)

// definition finds names that many languages define on a line of their own.
var definition = regexp.MustCompile(`^\s*(?:(?:export|default|public|private|protected|static|final|abstract|async|pub|open|override|const|inline|virtual|defp?)\s+)*(?:func|def|defp|defmodule|fn|class|function|struct|interface|module|enum|trait|sub|type|data|void|int|char|const|let|var)\s+(?:\([^)]*\)\s*)?\*?([A-Za-z_][A-Za-z0-9_]{5,40})\b`)

// readLines keeps the lines of a text file and the names that it defines.
func (r *repository) readLines(file string) {
	src, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(file)))
	if err != nil || len(src) == 0 || len(src) > maxText || bytes.IndexByte(src, 0) >= 0 || src[len(src)-1] != '\n' {
		return
	}
	lines := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	if len(lines) < 8 {
		return
	}
	r.files, r.lines[file] = append(r.files, file), lines
	for i, line := range lines {
		if m := definition.FindStringSubmatch(line); m != nil && isName(m[1]) {
			r.symbols = append(r.symbols, place{m[1], file, i + 1})
		}
	}
}

// isName reports whether a word is a name of a program, and no word of English.
func isName(word string) bool {
	return strings.ContainsAny(word[1:], "_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.ToUpper(word) != word
}

// entries are the files in a folder; 0 if it has a folder, so that no count is in doubt.
func (r *repository) entries(dir string) int {
	list, err := os.ReadDir(filepath.Join(r.dir, filepath.FromSlash(dir)))
	if err != nil || slices.ContainsFunc(list, os.DirEntry.IsDir) {
		return 0
	}
	return len(list)
}

func (r *repository) exists(file string) bool {
	_, err := os.Lstat(filepath.Join(r.dir, filepath.FromSlash(file)))
	return err == nil
}

// wanted is how many branches of each sort there are at least, those of the repository first.
const wanted = 3

// branches makes branches as a session has them: of those that the remote has, and some of its own.
func (r *repository) branches(ctx context.Context) error {
	for _, full := range r.asks(ctx, "for-each-ref", "--format=%(refname:short)", "refs/remotes/origin") {
		name := strings.TrimPrefix(full, "origin/")
		if name == r.main || name == "HEAD" || full == "origin" || !plainBranch.MatchString(name) {
			continue
		}
		list := &r.unmerged
		if _, err := r.git(ctx, "merge-base", "--is-ancestor", full, "HEAD"); err == nil {
			list = &r.merged
		}
		if len(*list) < wanted {
			if _, err := r.git(ctx, "branch", "-q", "--no-track", name, full); err != nil {
				return err
			}
			*list = append(*list, name)
		}
	}
	tree, err := r.git(ctx, "rev-parse", "HEAD^{tree}")
	for i := 0; err == nil && len(r.merged) < wanted; i++ {
		name := fmt.Sprintf("fix/%s-%d", slug(r.symbols[r.random.IntN(len(r.symbols))].name), i+1)
		if _, err = r.git(ctx, "branch", name, r.commits[r.random.IntN(len(r.commits))]); err == nil {
			r.merged = append(r.merged, name)
		}
	}
	for i := 0; err == nil && (r.ahead == "" || len(r.unmerged) < wanted); i++ {
		var id string
		name := fmt.Sprintf("feat/%s-%d", slug(r.symbols[r.random.IntN(len(r.symbols))].name), i+1)
		if id, err = r.git(ctx, "commit-tree", tree, "-p", "HEAD", "-m", "work on "+name); err == nil {
			_, err = r.git(ctx, "branch", name, id)
		}
		r.unmerged, r.ahead = append(r.unmerged, name), name
	}
	return err
}

// plainBranch are names that are those of a branch when they are read: one word may be any word.
var plainBranch = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.]*[/-][A-Za-z0-9_./-]+$`)

func slug(name string) string {
	return strings.Trim(strings.ToLower(strings.ReplaceAll(name, "_", "-")), "-")
}

// pick is one of a list, by chance.
func pick[T any](r *repository, list []T) T { return list[r.random.IntN(len(list))] }

// draw fills in the places of a kind: with what may be true, or may be false. Whether it is, [repository.holds] asks.
func (r *repository) draw(name string, lie bool) values {
	file := pick(r, r.files)
	v := values{"file": file, "main": r.main, "line": strconv.Itoa(1 + r.random.IntN(400)), "files": strconv.Itoa(2 + r.random.IntN(40)), "lines": strconv.Itoa(len(r.lines[file])), "folder": path.Dir(file), "commit": pick(r, r.commits)}
	switch name {
	case "file", "absent", "deleted":
		r.drawFile(v, name, lie)
	case "line", "text", "symbol":
		r.drawPlace(v, name, lie)
	case "count":
		more := 0
		if lie {
			more = 1 + r.random.IntN(12)
		}
		v["lines"] = strconv.Itoa(len(r.lines[file]) + more)
		if len(r.folders) > 0 {
			v["folder"] = pick(r, r.folders)
			v["files"] = strconv.Itoa(r.entries(v["folder"]) + more)
		}
	case "commit":
		if lie {
			v["commit"] = fmt.Sprintf("%08x", r.random.Uint32()) + "a"
		}
	case "subject":
		v["subject"] = r.subjects[v["commit"]]
		if lie {
			v["subject"] = r.subjects[pick(r, r.commits)]
		}
	case "branch", "merged", "unmerged", "pushed":
		r.drawBranch(v, name, lie)
	case "renamed":
		r.drawRename(v, lie)
	case "tag":
		r.drawTag(v, lie)
	}
	return v
}

func (r *repository) drawFile(v values, name string, lie bool) {
	ext := path.Ext(v["file"])
	nowhere := strings.TrimSuffix(v["file"], ext) + [...]string{"_helpers", "_v2", "_cache", "_utils"}[r.random.IntN(4)] + ext
	switch {
	case name == "file" && lie, name == "absent" && !lie:
		v["file"] = nowhere
	case name == "deleted" && !lie:
		v["file"] = ""
		if len(r.gone) > 0 {
			v["file"] = pick(r, r.gone)
		}
	}
}

// drawPlace draws a name or a text and a line. A false line is beyond the end of the file, or one at which something else is.
func (r *repository) drawPlace(v values, name string, lie bool) {
	s := pick(r, r.symbols)
	v["symbol"], v["file"], v["line"] = s.name, s.file, strconv.Itoa(s.line)
	lines := r.lines[s.file]
	at := r.random.IntN(len(lines))
	if name == "text" {
		v["line"], v["text"] = strconv.Itoa(at+1), strings.TrimSpace(lines[at])
	}
	switch {
	case !lie:
	case name == "symbol":
		v["file"] = pick(r, r.files)
	case r.random.IntN(2) == 0:
		v["line"] = strconv.Itoa(len(lines) + 1 + r.random.IntN(300))
	default:
		v["line"] = strconv.Itoa(1 + r.random.IntN(len(lines)))
	}
}

func (r *repository) drawBranch(v values, name string, lie bool) {
	all := slices.Concat(r.merged, r.unmerged)
	v["branch"] = pick(r, all)
	switch {
	case name == "branch" && lie:
		v["branch"] = [...]string{"fix/", "feat/", "chore/"}[r.random.IntN(3)] + slug(pick(r, r.symbols).name)
	case name == "merged" && lie, name == "unmerged" && !lie:
		v["branch"] = pick(r, r.unmerged)
	case name == "merged", name == "unmerged":
		v["branch"] = pick(r, r.merged)
	case name == "pushed" && lie:
		v["branch"] = r.ahead
	}
}

func (r *repository) drawRename(v values, lie bool) {
	v["old"], v["new"] = "", ""
	if len(r.renames) == 0 {
		return
	}
	pair := pick(r, r.renames)
	v["old"], v["new"] = pair[0], pair[1]
	switch ext := path.Ext(pair[1]); {
	case !lie:
	case r.random.IntN(2) == 0: // it has another name now
		v["new"] = strings.TrimSuffix(pair[1], ext) + "_core" + ext
	default: // it was not renamed
		v["old"] = pick(r, r.files)
	}
}

func (r *repository) drawTag(v values, lie bool) {
	v["tag"] = ""
	if len(r.tags) == 0 {
		return
	}
	v["tag"] = pick(r, r.tags)
	if id := r.asks(context.Background(), "rev-parse", "--short=9", v["tag"]+"^{commit}"); !lie && len(id) == 1 {
		v["commit"] = id[0]
	}
	if lie && r.random.IntN(2) == 0 {
		v["tag"] = fmt.Sprintf("v%d.%d.%d", 90+r.random.IntN(9), r.random.IntN(20), r.random.IntN(20))
	}
}
