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
)

// SessionName is the stem of the file in which Bub since 0.3 keeps the tape of
// a session: 16 hex digits for the workspace, the folder that Bub runs in, and
// 16 for the session. Sessions are "cli:local", "cli_session", "telegram:123".
func SessionName(workspace, session string) (string, error) {
	hash, err := workspaceHash(workspace)
	if err != nil {
		return "", err
	}
	return hash[:16] + "__" + hexMD5(session)[:16], nil
}

// NewName is the stem of the file for a tape that is not there yet: the name
// itself where it has the form of such a stem, else that of a session.
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
	return hash + "__" + quote(name), nil
}

// OldSession is what Bub before 0.3 calls the tape of a session, unless it was
// told otherwise than "bub" by BUB_TAPE_NAME.
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

// mostLinks is how many symbolic links a path may lead through.
const mostLinks = 40

// resolve is Python's Path.resolve: absolute, and symbolic links followed as
// far as the path is there, each before the ".." behind it.
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
		if err != nil { // no link, or nothing at all
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

// root parts an absolute path from where it begins.
func root(path string) (from string, parts []string) {
	volume := filepath.VolumeName(path)
	return volume + string(filepath.Separator), split(path[len(volume):])
}

func split(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

// quote is Python's urllib.parse.quote(name, safe=""): all but letters, digits
// and -_.~ becomes %XX.
func quote(name string) string { return strings.ReplaceAll(url.QueryEscape(name), "+", "%20") }

// unquote is the name that was quoted; not every text is one.
func unquote(s string) (name string, ok bool) {
	name, err := url.PathUnescape(s)
	return name, err == nil && quote(name) == s
}

func isHex(s string, n int) bool {
	return len(s) == n && strings.Trim(s, "0123456789abcdef") == ""
}
