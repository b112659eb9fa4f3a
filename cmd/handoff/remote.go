package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/file/userstate"
	"handoff/internal/web/caller"
	"handoff/internal/web/localtoken"
	"handoff/surface/command"
	"handoff/surface/httpapi/client"
)

// serverOptions select a server.
type serverOptions struct {
	url, tokenFile string
	given          bool
}

// anyServer is for routes of threads, which both kinds of servers have.
const anyServer = "ours or RIP's"

// serverFlags select a server; whose names the kinds that are supported.
func serverFlags(o *serverOptions, whose string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Destination: &o.url, Action: command.Noting[string](&o.given), Usage: "use the server at `URL`, " + whose},
		&cli.StringFlag{Name: "token-file", Destination: &o.tokenFile, Usage: "`FILE` with the server's token", DefaultText: "that of your own server"},
	}
}

// serverOf is the client of the server that --server names.
func serverOf(w *command.Process, o *serverOptions) (*client.Client, error) {
	token, err := clientToken(w, o)
	if err != nil {
		return nil, err
	}
	t, err := client.New(addressIn(w, o.url), token)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	return t, nil
}

// absoluteSocket makes the path of a socket address absolute; it returns other
// addresses unchanged.
func absoluteSocket(w *command.Process, addr string) string {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return "unix:" + w.Path(path)
	}
	return addr
}

// addressIn is an address that the user typed in this folder. Only with -C it is
// made absolute, because the path of a socket must be short.
func addressIn(w *command.Process, addr string) string {
	if w.Under == "" {
		return addr
	}
	return absoluteSocket(w, addr)
}

// tokenIn is the token in the file that --token-file names, "" for none.
func tokenIn(w *command.Process, path string) (string, error) {
	if path == "" {
		return "", nil
	}
	token, err := caller.ReadToken(w.Path(path))
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return token, nil
}

// clientToken is the token for the server that --server names: that of --token-file, or the
// one that the server made.
func clientToken(w *command.Process, o *serverOptions) (string, error) {
	token, err := tokenIn(w, o.tokenFile)
	if token != "" || err != nil {
		return token, err
	}
	token, _, err = localtoken.Find(userstate.Dir(w.Getenv), o.url)
	return token, err
}
