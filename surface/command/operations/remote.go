package operations

import (
	"fmt"
	"strings"

	"handoff/internal/file/userstate"
	"handoff/internal/web/caller"
	"handoff/internal/web/localtoken"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/httpapi/client"
)

// ServerOptions select a server.
type ServerOptions struct {
	URL, TokenFile string
	Given          bool
}

// The kinds of servers that a command can use. Both have the routes of threads.
const (
	OurServer = "one of 'handoff serve'"
	AnyServer = "one of 'handoff serve', or RIP's"
)

// ServerFlags select a server; whose names the kinds that are supported.
func ServerFlags(o *ServerOptions, whose string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Destination: &o.URL, Action: command.Noting[string](&o.Given), Usage: "`URL`  use this server instead of the files here: " + whose},
		&cli.StringFlag{Name: "token-file", Destination: &o.TokenFile, Usage: "`FILE`  file with the server's token", DefaultText: "that of your own server"},
	}
}

// ServerOf is the client of the server that --server names.
func ServerOf(w *command.Process, o *ServerOptions) (*client.Client, error) {
	token, err := clientToken(w, o)
	if err != nil {
		return nil, err
	}
	t, err := client.New(AddressIn(w, o.URL), token)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	return t, nil
}

// AbsoluteSocket makes the path of a socket address absolute; it returns other
// addresses unchanged.
func AbsoluteSocket(w *command.Process, addr string) string {
	if path, ok := strings.CutPrefix(addr, "unix:"); ok {
		return "unix:" + w.Path(path)
	}
	return addr
}

// AddressIn is an address that the user typed in this folder. Only with -C it is
// made absolute, because the path of a socket must be short.
func AddressIn(w *command.Process, addr string) string {
	if w.Under == "" {
		return addr
	}
	return AbsoluteSocket(w, addr)
}

// TokenIn is the token in the file that --token-file names, "" for none.
func TokenIn(w *command.Process, path string) (string, error) {
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
func clientToken(w *command.Process, o *ServerOptions) (string, error) {
	token, err := TokenIn(w, o.TokenFile)
	if token != "" || err != nil {
		return token, err
	}
	token, _, err = localtoken.Find(userstate.Dir(w.Getenv), o.URL)
	return token, err
}
