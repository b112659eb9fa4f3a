//lint:file-ignore SA1019 Clients of both eras offer roots, and some name the workspace in no other way.

package mcp

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"runtime"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/workspace"
)

// A client may start the server outside of the workspace, in the folder of a plugin. Then
// the server asks for the client's roots, the folders that it works in, with the first
// request that needs the workspace. Clients from 2026-07-28 on repeat that request
// with the answer; for earlier ones the library asks, and calls the handler again.

// rootsID is the id of that question in a request.
const rootsID = "roots"

// maxRoots is the most roots of a client that are searched.
const maxRoots = 32

// locate opens the workspace: that of the server, else that of the first of the client's roots
// which is in one.
func (s *Server) locate() (*workspace.Workspace, error) {
	ws, err := s.config.Open()
	if err == nil {
		err = ws.Missing()
	}
	if !errors.Is(err, fs.ErrNotExist) || s.config.OpenIn == nil {
		return ws, err
	}
	s.mu.Lock()
	roots := s.roots
	s.mu.Unlock()
	for _, dir := range roots {
		in, bad := s.config.OpenIn(dir)
		if bad == nil {
			bad = in.Missing()
		}
		if !errors.Is(bad, fs.ErrNotExist) {
			return in, bad
		}
	}
	return ws, err
}

// asks is the question that must be answered before a request can be, nil for none.
// answers are those that the request brings.
func (s *Server) asks(client *sdk.ClientCapabilities, answers sdk.InputResponseMap) sdk.InputRequestMap {
	if s.config.OpenIn == nil {
		return nil
	}
	if list, ok := answers[rootsID].(*sdk.ListRootsResult); ok {
		s.mu.Lock()
		s.roots = foldersOf(list)
		s.mu.Unlock()
		return nil
	}
	if client == nil || client.RootsV2 == nil {
		return nil
	}
	if _, err := s.locate(); !errors.Is(err, fs.ErrNotExist) {
		return nil // it is found, or the request reports the error
	}
	return sdk.InputRequestMap{rootsID: &sdk.ListRootsParams{}}
}

// foldersOf are the roots that are folders of this machine.
func foldersOf(list *sdk.ListRootsResult) (dirs []string) {
	for _, root := range list.Roots[:min(len(list.Roots), maxRoots)] {
		if root == nil {
			continue
		}
		if dir := folderOf(root.URI, runtime.GOOS == "windows"); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// folderOf is the folder of a file: URI, "" for another URI.
func folderOf(uri string, windows bool) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return ""
	}
	dir := u.Path
	if windows {
		dir = strings.TrimPrefix(dir, "/") // file:///C:/work
	}
	if dir = filepath.FromSlash(dir); !filepath.IsAbs(dir) {
		return ""
	}
	return dir
}
