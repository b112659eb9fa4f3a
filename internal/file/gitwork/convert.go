package gitwork

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// settings are the settings that decide how files are written.
func (r *Repo) settings(ctx context.Context, top string) map[string]string {
	// It fails if none is set.
	out, _ := r.runIn(ctx, top, job{args: []string{"config", "-z", "--get-regexp", `^core\.(filemode|autocrlf|eol|attributesfile)$`}})
	set := map[string]string{}
	for one := range strings.SplitSeq(string(out), "\x00") {
		key, value, _ := strings.Cut(one, "\n")
		set[key] = strings.ToLower(value)
	}
	return set
}

// converts reports whether the files of the tree may have other line ends than their contents
// in the repository. Where git writes CRLF to all files, it does so again at a checkout, and
// nothing needs to be stored.
func converts(top, git string, set map[string]string, entries []entry, others []string) bool {
	if set["core.autocrlf"] == "true" || set["core.eol"] == "crlf" {
		return false
	}
	const attributes = ".gitattributes"
	if set["core.autocrlf"] == "input" || set["core.attributesfile"] != "" ||
		slices.ContainsFunc(entries, func(e entry) bool { return path.Base(e.path) == attributes }) ||
		slices.ContainsFunc(others, func(name string) bool { return path.Base(name) == attributes }) {
		return true
	}
	for _, file := range []string{filepath.Join(top, attributes), filepath.Join(git, "info", "attributes"), filepath.Join(commonOf(git), "info", "attributes")} {
		if _, err := os.Lstat(file); err == nil {
			return true
		}
	}
	return false
}

// commonOf is the folder that the working trees of a repository share.
func commonOf(git string) string {
	if dir := filepath.Dir(git); filepath.Base(dir) == "worktrees" {
		return filepath.Dir(dir)
	}
	return git
}

// converted finds those files whose bytes are not those of the index although nothing has
// changed: git has removed line ends when they were added. They are found by their sizes. What
// a filter has stored is left to the filter: it is not changed, and its bytes may be large.
func (s *scanner) converted() error {
	if len(s.clean) == 0 {
		return nil
	}
	var ids bytes.Buffer
	for _, e := range s.clean {
		ids.WriteString(e.ID + "\n")
	}
	out, err := s.r.runIn(s.ctx, s.top, job{args: []string{"cat-file", "--batch-check=%(objectsize)", "--buffer"}, in: ids.Bytes()})
	if err != nil {
		return err
	}
	var other []*entry
	i := 0
	for l := range strings.Lines(string(out)) {
		size, bad := strconv.ParseUint(strings.TrimSpace(l), 10, 64)
		if i < len(s.clean) && (bad != nil || uint32(size) != s.clean[i].stat.size) {
			other = append(other, s.clean[i])
		}
		i++
	}
	filtered, err := s.filtered(other)
	if err != nil {
		return err
	}
	for _, e := range other {
		if err := s.convertedFile(e, filtered); err != nil {
			return err
		}
	}
	return nil
}

func (s *scanner) convertedFile(e *entry, filtered map[string]bool) error {
	st, err := os.Lstat(s.full(e.path))
	if err != nil || filtered[e.path] || !s.isFolder(path.Dir(e.path)) {
		return s.ctx.Err() // a file that is gone was skipped by a sparse checkout
	}
	f, err := s.read(e.path, st, e.Mode, MaxNew)
	if err == nil && f != e.File && f.Mode != "" {
		s.out.as = append(s.out.as, Changed{Path: e.path, File: f})
		s.out.tracked[e.path] = f
	}
	return s.ctx.Err()
}

// filtered are those files for which a filter is set.
func (s *scanner) filtered(list []*entry) (map[string]bool, error) {
	filtered := map[string]bool{}
	if len(list) == 0 {
		return filtered, nil
	}
	var in bytes.Buffer
	for _, e := range list {
		in.WriteString(e.path + "\x00")
	}
	out, err := s.r.runIn(s.ctx, s.top, job{args: []string{"check-attr", "-z", "--stdin", "filter"}, in: in.Bytes()})
	f := strings.Split(string(out), "\x00") // path attribute value
	for ; len(f) > 3; f = f[3:] {
		filtered[f[0]] = f[2] != "unspecified" && f[2] != "unset"
	}
	return filtered, err
}

// normal is a content as git stores it where it converts line ends and expands $Id$.
func normal(src []byte) []byte {
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	head, rest, ok := bytes.Cut(src, []byte("$Id: "))
	var out []byte
	for ok {
		_, after, closed := bytes.Cut(rest, []byte("$"))
		if !closed {
			break
		}
		out = append(append(out, head...), "$Id$"...)
		src = after
		head, rest, ok = bytes.Cut(src, []byte("$Id: "))
	}
	return append(out, src...)
}
