package serving

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"

	"handoff/internal/file/userstate"
	"handoff/internal/web/listening"
	"handoff/internal/web/localtoken"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/surface/httpapi"
)

// tokenOptions are how a server knows its user.
type tokenOptions struct {
	tokenFile string
	open      bool // to every user of the machine
}

func tokenFlags(o *tokenOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "token-file", Destination: &o.tokenFile, Usage: "`FILE`  require the token in this file, which only you may read", DefaultText: "a new token, which your own programs find"},
		&cli.BoolFlag{Name: "no-token", Destination: &o.open, Usage: "let every user of this machine read and write"},
	}
}

// errNoPlace: no file for a token of the server's own.
var errNoPlace = errors.New("there is no place for a token that your programs find: set HOME or XDG_STATE_HOME, add --token-file FILE, or listen on unix:PATH")

// admissionTo is how a server that listens knows its user: by the token of a flag, or by a new
// one, which the user's own programs find until leave is called. A socket needs none,
// because its file has permissions; RIP's clients cannot have one, and --no-token wants none: open.
func admissionTo(getenv func(string) string, l net.Listener, given string, open bool) (a admission, err error) {
	at, tcp := l.Addr().(*net.TCPAddr)
	if given != "" || !tcp || open {
		return admission{token: given, leave: func() error { return nil }}, nil
	}
	state := userstate.Dir(getenv)
	if state == "" {
		return a, errNoPlace
	}
	a.token = rand.Text()
	a.file, a.leave, err = localtoken.Publish(state, at, a.token)
	return a, err
}

type admission struct {
	token string
	file  string       // in which the user's programs find it; "" if the server did not make it
	leave func() error // removes the file
}

// signInLink is the address at which a browser signs in, with a token that only the user can
// read.
func signInLink(server, token string) string {
	return server + httpapi.SignIn + "?" + url.Values{"token": {token}}.Encode()
}

// serveLink prints the link to the dashboard of the server that runs at --listen.
func serveLink(w *command.Process, o *serveOptions) error {
	server := "http://" + o.listen
	token, err := operations.TokenIn(w, o.tokenFile)
	if err == nil && token == "" {
		token, _, err = localtoken.Find(userstate.Dir(w.Getenv), server)
	}
	if err != nil {
		return err
	}
	if token == "" {
		return fmt.Errorf("no server of yours has published a token at %s: is `handoff serve` running there?", server)
	}
	out := w.Out()
	fmt.Fprintln(out, signInLink(server, token))
	return out.Flush()
}

// greet reports where a server listens, and on a terminal the link to its pages. The link
// has the token, which a log must not keep.
func greet(w *command.Process, l net.Listener, a admission) {
	name := listening.Name(l)
	fmt.Fprintf(w.Stderr, "handoff listening on %s\n", command.Plain(name))
	switch {
	case a.file == "":
	case command.IsTerminal(w.Stderr):
		w.Say("in a browser: %s", command.Plain(signInLink(name, a.token)))
	default:
		w.Say("`handoff serve --link` prints the link that signs a browser in")
	}
}
