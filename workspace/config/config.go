// Package config finds and reads the configuration of a workspace.
package config

import (
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"handoff/document/evidence"
	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/document/words"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/internal/text/strictyaml"
	"handoff/lint"
	"handoff/log/engine"
)

// File is the name of the configuration file, searched for in a folder and its
// parents.
const File = ".handoff.yaml"

// TemplateFile is the name of a template in the templates folder.
const TemplateFile = "handoff.md.tmpl"

// maxSize is the most bytes of the file that are read.
const maxSize = 1 << 20

// Config is the configuration of a project. Its published schema is
// docs/schema/config.schema.json.
type Config struct {
	Path      string // of the file, absolute; "" for the defaults
	Settings  lint.Settings
	Ignore    []string // globs, relative to the folder of the file; see [Config.Ignores]
	Templates string   // folder of the user's templates, relative to the workspace
	Threads   bool     // sync also creates threads for documents
	// CreateMetadata allows `new` and a watch to create a missing .return-meta.json for
	// a handoff that was written just now.
	CreateMetadata bool
	// KeepWork keeps uncommitted work in the repository when a handoff is written or a session ends.
	KeepWork bool
	// Replace lets hooks replace the compaction of a session by a handoff that it has
	// saved, where its host allows that.
	Replace bool
	// Local keeps handoffs out of git: see [handoff/workspace/stores.Private.Exclude].
	Local bool
	// UntilMerge is the branch on which no handoff may be: each is gone when its branch is merged. ""
	// for none.
	UntilMerge string
	// Language is the code of the language that new documents have: see [handoff/templates.FormOf]. "" is English.
	Language string
	// Share is what git gets of the outputs of agents. Without it they are private.
	Share Share
	Label string // name of the workspace in tape:// URIs; "" for none
	// Store is where threads, tapes, receipts and artifacts are: the zero value means
	// the files of the workspace. Otherwise those files are a copy.
	Store engine.Address
	// Documents are the layouts of handoffs outside of task folders.
	Documents task.Layouts
	// New is the layout of new documents, that of the first entry; nil for task folders.
	New *task.Layout
	// Found are the known places that the tree has, if it has no configuration. With more
	// than one it is not known where its handoffs are: see [handoff/workspace.ChoiceError].
	Found []task.Detected

	layouts map[string]*lint.Settings  // by the name of a layout
	chosen  map[string]map[string]bool // see choose

	// Checks are the commands that `handoff verify --claims` may run.
	Checks Checks
	Output int64 // bytes of a run's output that are stored: see [runner.Options]
}

// Share selects the files that `handoff` does not hide from git. They contain whatever
// agents and their commands printed.
type Share struct {
	Threads bool // threads, their runs, and artifacts
	Tapes   bool
}

// Checks limits the commands that items of documents name as their checks.
type Checks struct {
	Allow   evidence.Allowed // none if it is empty; Tests are among them
	Tests   [][]string       // commands that run the tests
	Timeout time.Duration    // of one command
	Output  int              // bytes of its output that are kept, the last ones
}

// Default is the configuration of a project that has none.
func Default() Config {
	return Config{Settings: lint.Defaults(), Templates: state.Dir + "/" + state.Templates, CreateMetadata: true, KeepWork: true,
		Checks: Checks{Timeout: time.Minute, Output: 64 << 10}, Output: 64 << 20}
}

// Find looks for the configuration in dir and the folders above it that belong to the same
// project.
func Find(dir string) (path string, ok bool) {
	for up := range regular.Project(dir) {
		path := filepath.Join(up, File)
		switch regular.KindOf(path) {
		case regular.Nothing, regular.Dir:
		case regular.Link: // a dangling symlink: reading it reports the error
			if !isFolder(path) {
				return path, true
			}
		default:
			return path, true
		}
	}
	return "", false
}

// Load reads a configuration file that the user named.
func Load(path string, rules []string) (Config, error) {
	return load(nofollow.Named, path, rules)
}

// LoadFound reads a configuration file that was found for a workspace, in it or in a
// folder above.
func LoadFound(root, path string, rules []string) (Config, error) {
	trusted := nofollow.Root(root)
	if !nofollow.Within(root, path) {
		trusted = nofollow.Root(filepath.Dir(path))
	}
	return load(trusted, path, rules)
}

func isFolder(path string) bool {
	_, folder := regular.Look(path)
	return folder
}

func load(trusted nofollow.Root, path string, rules []string) (Config, error) {
	src, err := trusted.ReadFile(path, maxSize)
	if err != nil {
		return Config{}, err
	}
	c, err := Parse(path, src, rules)
	c.Path = path
	return c, err
}

// content is the content of the file.
type content struct {
	Profile   string            `yaml:"profile"`
	MaxLines  int               `yaml:"max_lines"`
	MaxWords  int               `yaml:"max_next_action_words"`
	MaxFence  int               `yaml:"max_fence_lines"`
	Padding   padding           `yaml:"padding"`
	Rules     map[string]string `yaml:"rules"`
	Ignore    []string          `yaml:"ignore"`
	Templates string            `yaml:"templates"`
	Threads   bool              `yaml:"threads"`
	Create    bool              `yaml:"create_metadata"`
	KeepWork  bool              `yaml:"keep_work"`
	Local     bool              `yaml:"local"`
	Until     string            `yaml:"until_merge"`
	Language  string            `yaml:"language"`
	Compact   string            `yaml:"compaction"`
	Share     []string          `yaml:"share"`
	Workspace *string           `yaml:"workspace"`
	Store     string            `yaml:"store"`
	Documents []layout          `yaml:"documents"`
	Checks    checks            `yaml:"checks"`
	Runs      runs              `yaml:"runs"`
}

type checks struct {
	Allow   []string `yaml:"allow"`
	Tests   []string `yaml:"tests"`
	Timeout string   `yaml:"timeout"`
	Output  int      `yaml:"output"`
}

type runs struct {
	Output int64 `yaml:"output"`
}

// padding is a number of digits, or the word "any".
type padding int

const anyPadding padding = math.MinInt32

func (p *padding) UnmarshalText(text []byte) error {
	if string(text) != "any" {
		return errors.New("want any, or the number of digits: 0 for no padding, at most 6")
	}
	*p = anyPadding
	return nil
}

// Parse parses a configuration. The error lists all problems, each with the file's
// name, line and column. rules are the names of the rules that it may configure.
func Parse(name string, src []byte, rules []string) (Config, error) {
	c := Default()
	f := content{Profile: "handoff", MaxLines: c.Settings.MaxLines, MaxWords: c.Settings.MaxWords,
		MaxFence: c.Settings.MaxFence, Padding: anyPadding, Templates: c.Templates, Create: c.CreateMetadata, KeepWork: c.KeepWork, Compact: "host", Store: c.Store.String(),
		Checks: checks{Timeout: c.Checks.Timeout.String(), Output: c.Checks.Output}, Runs: runs{c.Output}}
	r := strictyaml.Read(name, src, &f)
	for key, n := range map[string]int{"/max_lines": f.MaxLines, "/max_next_action_words": f.MaxWords, "/max_fence_lines": f.MaxFence} {
		if n < 1 || n > maxLimit {
			r.Complain(key, "want a number from 1 to %d", maxLimit)
		}
	}
	if f.Padding != anyPadding && (f.Padding < 0 || f.Padding > 6) {
		r.Complain("/padding", "want any, or the number of digits: 0 for no padding, at most 6")
	}
	profile, ok := ParseProfile(f.Profile)
	if !ok {
		r.Complain("/profile", "unknown profile %q (handoff, completion, auto)", f.Profile)
	}
	if c.Replace = f.Compact == "handoff"; !c.Replace && f.Compact != "host" {
		r.Complain("/compaction", "unknown value %q (host, handoff)", f.Compact)
	}
	c.Settings.Profile, c.Settings.Padding = profile, max(int(f.Padding), -1)
	c.Settings.MaxLines, c.Settings.MaxWords, c.Settings.MaxFence = f.MaxLines, f.MaxWords, f.MaxFence
	c.Settings.Severity = severities(r, f.Rules, rules)
	c.choose("", c.Settings.Severity)
	c.Ignore = expandGlobs(r, "/ignore", f.Ignore, func(glob string) string {
		if strings.HasPrefix(glob, "!") {
			return fmt.Sprintf("%q: negated globs are not supported: write globs that match only what you want", glob)
		} else if !validGlob(glob) || strings.Trim(glob, "/") == "" {
			return fmt.Sprintf("invalid glob %q", glob)
		}
		return ""
	}, anchored)
	if !filepath.IsLocal(filepath.FromSlash(f.Templates)) || slices.Contains(strings.Split(f.Templates, "/"), "..") {
		r.Complain("/templates", "want a folder of the workspace, relative to it")
	}
	if f.Workspace != nil {
		if c.Label = *f.Workspace; !isLabel(c.Label) {
			r.Complain("/workspace", "want a name of at most 100 letters, without control characters; not \"workspace\", which stands for any")
		}
	}
	if f.Until != "" && !isBranch(f.Until) {
		r.Complain("/until_merge", "want the name of a branch, such as main")
	}
	if f.Until != "" && f.Local {
		r.Complain("/until_merge", "handoffs that are local are on no branch: leave out local or until_merge")
	}
	c.Local, c.UntilMerge, c.Language = f.Local, f.Until, f.Language
	if codes := words.Codes(); f.Language != "" && !slices.Contains(codes, f.Language) {
		r.Complain("/language", "want one of %s", strings.Join(codes, ", "))
	}
	store, err := engine.ParseAddress(f.Store)
	if err != nil {
		r.Complain("/store", "%v", err)
	}
	c.Store = store
	for i, name := range f.Share {
		switch name {
		case "threads":
			c.Share.Threads = true
		case "tapes":
			c.Share.Tapes = true
		default:
			r.Complain(fmt.Sprintf("/share/%d", i), "unknown value %q (threads, tapes)", name)
		}
	}
	documents(r, f.Documents, &c, rules)
	c.Checks = f.Checks.read(r)
	if c.Output = f.Runs.Output; c.Output < minOutput || c.Output > maxOutput {
		r.Complain("/runs/output", "want a number of bytes from %d to %d", minOutput, maxOutput)
	}
	c.Templates, c.Threads, c.CreateMetadata, c.KeepWork = f.Templates, f.Threads, f.Create, f.KeepWork
	return c, handoff.Invalid(r.Err())
}

// The limits of runs.output.
const minOutput, maxOutput = 64 << 10, 1 << 40

// maxCheck is the longest time of a command that checks an item.
const maxCheck = time.Hour

func (f checks) read(r *strictyaml.Reading) Checks {
	c := Checks{Output: f.Output}
	for i, entry := range f.Allow {
		words, err := evidence.ParseAllowed(entry)
		if err != nil {
			r.Complain(fmt.Sprintf("/checks/allow/%d", i), "%v", err)
			continue
		}
		c.Allow = append(c.Allow, words)
	}
	for i, entry := range f.Tests {
		words, err := evidence.Words(entry)
		if err == nil && slices.Contains(words, evidence.More) {
			err = fmt.Errorf("it is run as it is, so %q has no meaning", evidence.More)
		}
		if err != nil {
			r.Complain(fmt.Sprintf("/checks/tests/%d", i), "%v", err)
			continue
		}
		c.Tests, c.Allow = append(c.Tests, words), append(c.Allow, words)
	}
	var err error
	if c.Timeout, err = time.ParseDuration(f.Timeout); err != nil || c.Timeout <= 0 || c.Timeout > maxCheck {
		r.Complain("/checks/timeout", "want a time from 1ms to 1h, such as 90s")
	}
	if f.Output < 1 || f.Output > maxLimit {
		r.Complain("/checks/output", "want a number of bytes from 1 to %d", maxLimit)
	}
	return c
}

// maxLimit is the highest limit. It is larger than any document, and the same on every
// machine.
const maxLimit = 1_000_000

// Template is the path of the user's template, relative to the workspace.
func (c Config) Template() string { return path.Join(c.Templates, TemplateFile) }

// Ignores reports whether the configuration ignores a path, which is relative to the
// configuration's folder and has forward slashes. A glob without a slash matches a name
// at any depth; one that matches a folder also ignores everything in it.
func (c Config) Ignores(rel string) bool {
	for p := rel; p != "." && p != "/"; p = path.Dir(p) {
		if c.matches(p) {
			return true
		}
	}
	return false
}

// matches reports whether a glob matches a path itself.
func (c Config) matches(rel string) bool {
	for _, glob := range c.Ignore {
		glob = strings.TrimSuffix(glob, "/")
		if rest, anchored := strings.CutPrefix(glob, "/"); anchored {
			glob = rest
		} else if !strings.Contains(glob, "/") {
			glob = "**/" + glob
		}
		if doublestar.MatchUnvalidated(glob, rel) {
			return true
		}
	}
	return false
}

// Keep returns the documents of a folder that the configuration does not ignore.
func (c Config) Keep(dir string, names []string) []string {
	if len(c.Ignore) == 0 || c.Path == "" {
		return names
	}
	rel := nofollow.Root(filepath.Dir(c.Path)).Rel(dir)
	kept := make([]string, 0, len(names))
	if c.Ignores(rel) {
		return kept
	}
	for _, n := range names {
		if !c.matches(path.Join(rel, n)) {
			kept = append(kept, n)
		}
	}
	return kept
}
