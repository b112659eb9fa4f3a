package bub

import (
	"crypto/md5"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/state/names"
)

// SessionName is the stem of the file in which Bub since 0.3 keeps the tape of
// a session: 16 hex digits for the workspace, the folder in which Bub runs, and
// 16 for the session. Sessions are "cli:local", "cli_session", "telegram:123".
func SessionName(workspace, session string) (string, error) {
	hash, err := workspaceHash(workspace)
	if err != nil {
		return "", err
	}
	return hash[:16] + "__" + hexMD5(session)[:16], nil
}

// NewName returns the stem of the file for a new tape: the name itself if it
// has the form of a stem, else the stem for a session of that name.
func NewName(workspace, name string) (string, error) {
	if f := fileOf(name); f.Workspace != "" && !f.Old && checkStem(name) == nil {
		return name, nil
	}
	return SessionName(workspace, name)
}

// OldName is the stem of the file in which Bub before 0.3 keeps the tape of
// that name.
func OldName(workspace, name string) (string, error) {
	hash, err := workspaceHash(workspace)
	if err != nil {
		return "", err
	}
	return hash + "__" + names.Escape(name, ""), nil
}

// OldSession is the name of a session's tape in Bub before 0.3, unless
// BUB_TAPE_NAME is set to another name than "bub".
func OldSession(session string) string { return "bub:" + hexMD5(session)[:16] }

func hexMD5(s string) string {
	sum := md5.Sum([]byte(s))
	return hex.EncodeToString(sum[:])
}

// workspaceHash is the MD5 of the folder's path without symbolic links.
func workspaceHash(workspace string) (string, error) {
	path, err := resolve(workspace)
	return hexMD5(path), err
}

// mostLinks is how many symbolic links a path may contain.
const mostLinks = 40

// resolve is Python's Path.resolve: absolute, with the symbolic links of the
// existing part followed, each before a ".." after it.
func resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		wd, err := os.Getwd()
		if err != nil {
			return "", err
		}
		path = wd + string(filepath.Separator) + path
	}
	done, left := root(path)
	for links := 0; len(left) > 0; {
		next := left[0]
		left = left[1:]
		switch next {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next = filepath.Join(done, next)
		target, err := os.Readlink(next)
		if err != nil { // not a link, or nothing
			done = next
			continue
		}
		if links++; links > mostLinks {
			return "", &fs.PathError{Op: "resolve", Path: path, Err: errors.New("too many symbolic links")}
		}
		if filepath.IsAbs(target) {
			var parts []string
			done, parts = root(target)
			left = append(parts, left...)
		} else {
			left = append(split(target), left...)
		}
	}
	return done, nil
}

// root splits an absolute path into its root and the parts below.
func root(path string) (from string, parts []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), split(path[len(volume):])
}

func split(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

// unquote returns the name that a file name stands for; ok is false if there is none.
func unquote(s string) (name string, ok bool) {
	name, err := url.PathUnescape(s)
	return name, err == nil && names.Escape(name, "") == s
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
