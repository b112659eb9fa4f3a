package figures

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Shell is a source as a line for a shell.
type Shell struct {
	Dir  string // from the root
	Line string
	Not  string // why it cannot be run as it is; "" if it can
	Long bool   // it takes minutes
}

// Where is the line with the folder that it is run in, from the root; "" if there is none.
func (c Shell) Where() string {
	if c.Dir == "." || c.Line == "" {
		return c.Line
	}
	return "cd " + c.Dir + " && " + c.Line
}

// Shell returns how a source is run. The error says that there is no such test, script or package.
func (s Source) Shell(root string) (c Shell, err error) {
	switch s.Kind {
	case Hand:
		return Shell{Not: "a person counted"}, nil
	case Page:
		return Shell{Not: "the page names no command, but " + s.Name}, nil
	case Script:
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(s.Name))); err != nil {
			return c, fmt.Errorf("there is no script %s", s.Name)
		}
		return Shell{Dir: ".", Line: s.Name, Long: true, Not: needsMore(s.Name)}, nil
	case Test:
		where, err := tests(root)
		if err != nil {
			return c, err
		}
		module, folder, ok := strings.Cut(where[s.Name], ":")
		if !ok {
			return c, fmt.Errorf("there is no test %s", s.Name)
		}
		return Shell{Dir: module, Line: fmt.Sprintf("go test ./%s -run '^%s$' -v -count=1", folder, s.Name)}, nil
	}
	return s.command(root)
}

// modules are the folders in which commands of pages are run, by the first that has what they name.
var modules = []string{".", "measure", "measure/bench", "release"}

// folderOf finds the folders that a command of Go names.
var folderOf = regexp.MustCompile(`(?:^| )\./([\w/]*\w)?`)

func (s Source) command(root string) (c Shell, err error) {
	c.Line = s.Name
	if folder, rest, ok := strings.Cut(strings.TrimPrefix(c.Line, "cd "), " && "); ok && strings.HasPrefix(c.Line, "cd ") {
		s.Dir, c.Line = folder, rest
	}
	c.Not, c.Long = placeholder(c.Line), strings.Contains(c.Line, ".sh") || strings.Contains(c.Line, "-timeout") || assigned.MatchString(c.Line)
	for _, c.Dir = range modules {
		if s.Dir != "" && s.Dir != c.Dir {
			continue
		}
		there := func(folder []string) bool {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(c.Dir), filepath.FromSlash(folder[1])))
			return err == nil && (folder[1] != "" || !strings.Contains(c.Line, "go run"))
		}
		main := !strings.Contains(c.Line, "go run . ") && !strings.HasSuffix(c.Line, "go run .") || exists(filepath.Join(root, filepath.FromSlash(c.Dir), "main.go"))
		if main && !slices.ContainsFunc(folderOf.FindAllStringSubmatch(c.Line, -1), func(m []string) bool { return !there(m) }) {
			if strings.Contains(c.Line, "go test ") && !strings.Contains(c.Line, " -v") && !strings.Contains(c.Line, "-bench") {
				c.Line += " -v"
			}
			return c, nil
		}
	}
	return c, fmt.Errorf("no module has what `%s` names", s.Name)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// assigned are variables that make a run longer.
var assigned = regexp.MustCompile(`HANDOFF_[A-Z_]+=(?:[0-9]|all|full|PATH)`)

// readersOwn are words for which the reader has to write something: in capitals, or a folder that is not in the checkout.
var readersOwn = regexp.MustCompile(`(?:^|[ =])(?:[A-Z]{3,}|[A-Z]+_[A-Z]+)(?: |$)|…|~/| \.\./\.\./\S+`)

// placeholder says what a command needs that the page does not have, "" for nothing.
func placeholder(line string) string {
	if word := readersOwn.FindString(line); word != "" {
		return "write something for " + strings.Trim(word, " =")
	}
	return ""
}

// needsMore says what a script needs that is not in the repository.
func needsMore(name string) string {
	switch {
	case strings.HasSuffix(name, ".py"):
		return "it is started by another command"
	case strings.HasSuffix(name, "public-trees.sh"):
		return "it needs HANDOFF and LIST"
	}
	return ""
}

// found are the tests of a checkout, each with its module and its folder in that.
var found sync.Map

// tests finds the tests of all modules, as "module:folder" by name.
func tests(root string) (map[string]string, error) {
	if where, ok := found.Load(root); ok {
		return where.(map[string]string), nil
	}
	where := map[string]string{}
	declared := regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)\(`)
	err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") {
			return cmp.Or(err, fs.SkipDir)
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, filepath.Dir(file))
		module, folder := split(filepath.ToSlash(rel))
		for _, m := range declared.FindAllSubmatch(src, -1) {
			where[string(m[1])] = module + ":" + folder
		}
		return nil
	})
	if err == nil {
		found.Store(root, where)
	}
	return where, err
}

// split is the module of a folder, and the rest of its path.
func split(folder string) (module, rest string) {
	for _, module := range []string{"measure/bench", "measure", "release"} {
		if rest, ok := strings.CutPrefix(folder+"/", module+"/"); ok {
			return module, strings.TrimSuffix(rest, "/")
		}
	}
	return ".", folder
}
