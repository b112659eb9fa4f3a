package agents

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// Keeping returns the built-in agents that keep transcripts, with nothing but their names and [Transcripts].
func Keeping() (list []Agent) {
	for _, name := range names {
		if a, _ := builtin(name); a.Transcripts != (Transcripts{}) {
			list = append(list, Agent{Name: name, Transcripts: a.Transcripts})
		}
	}
	return list
}

// Glob is the pattern of an agent's transcripts, absolute and with the
// separators of the system: of one session, or of all for "". dir is the folder
// of the session, which some agents put into the path; "" for any. ok is false
// if the agent keeps none that handoff reads, or there is no home folder.
func (t Transcripts) Glob(session, dir string, getenv func(string) string) (pattern string, ok bool) {
	root, ok := t.root(getenv)
	if !ok {
		return "", false
	}
	name := strings.NewReplacer("{session}", either(session), "{short}", either(session[:min(8, len(session))]), "{folder}", folderName(dir))
	return filepath.Join(root, filepath.FromSlash(name.Replace(t.Files))), true
}

// Under are the patterns of all transcripts, also of subagents, of sessions that worked in one of some
// folders or below it. An agent that does not put the folder into the path has one for all folders.
func (t Transcripts) Under(dirs []string, getenv func(string) string) (patterns []string) {
	root, ok := t.root(getenv)
	if !ok {
		return nil
	}
	for _, files := range []string{t.Files, t.Subs} {
		for _, dir := range dirs {
			own := folderName(dir)
			for _, folder := range []string{own, own + "-*"} {
				name := strings.NewReplacer("{session}", "*", "{short}", "*", "{folder}", folder)
				pattern := filepath.Join(root, filepath.FromSlash(name.Replace(files)))
				if files != "" && !slices.Contains(patterns, pattern) {
					patterns = append(patterns, pattern)
				}
			}
		}
	}
	return patterns
}

// root is the folder of the transcripts, as a pattern.
func (t Transcripts) root(getenv func(string) string) (pattern string, ok bool) {
	if t.Files == "" || t.Format == "" {
		return "", false
	}
	root := getenv(t.Env)
	if root == "" {
		rest, home := strings.CutPrefix(t.Folder, "~")
		if root = t.Folder; home {
			above := cmp.Or(getenv(t.Home), getenv("HOME"), getenv("USERPROFILE"))
			if above == "" {
				return "", false
			}
			root = above + rest
		}
	}
	return quoteGlob(filepath.FromSlash(root)), true
}

// either is a part of a pattern: a text, or anything.
func either(text string) string {
	if text == "" {
		return "*"
	}
	return quoteGlob(text)
}

// quoteGlob escapes what is special in a pattern. The backslash is the
// separator on Windows, where nothing can be escaped and brackets are rare.
func quoteGlob(text string) string {
	if filepath.Separator == '\\' {
		return text
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(text)
}

// folderName is the pattern for how Claude Code and Qwen Code write a folder
// into a file name: every character that is not a letter or a digit of ASCII
// becomes a dash. They cut long names and add a hash.
func folderName(dir string) string {
	const most = 200
	name := []rune(dir)
	for i, c := range name {
		if c > 'z' || !('0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z') {
			name[i] = '-'
		}
	}
	if len(name) == 0 || len(name) > most {
		return string(name[:min(len(name), most)]) + "*"
	}
	return string(name)
}
