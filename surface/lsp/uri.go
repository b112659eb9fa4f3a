package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
)

// pathOf returns the path of a file's URI; ok is false for other URIs: an untitled
// buffer, a revision of git, a file of another machine.
func pathOf(uri string) (path string, ok bool) {
	path, ok = pathFrom(uri, runtime.GOOS == "windows")
	return filepath.FromSlash(path), ok && filepath.IsAbs(filepath.FromSlash(path))
}

// pathFrom is pathOf with forward slashes, for a system.
func pathFrom(uri string, windows bool) (path string, ok bool) {
	u, err := url.Parse(uri)
	if err != nil || !strings.EqualFold(u.Scheme, "file") || u.Opaque != "" || strings.ContainsRune(u.Path, 0) {
		return "", false
	}
	switch {
	case !windows:
		return u.Path, u.Host == "" || u.Host == "localhost"
	case u.Host != "" && u.Host != "localhost": // a share
		return "//" + u.Host + u.Path, true
	case len(u.Path) > 2 && u.Path[0] == '/' && isLetter(u.Path[1]) && u.Path[2] == ':':
		return strings.ToUpper(u.Path[1:2]) + u.Path[2:], true
	}
	return "", false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// uriOf returns the URI of an absolute path.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	host := ""
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		host, path, _ = strings.Cut(rest, "/")
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Host: host, Path: path}).String()
}
