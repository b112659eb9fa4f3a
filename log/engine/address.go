package engine

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Address is where a store is. The zero value means the files of the workspace.
type Address struct {
	// Remote of git: its name in the repository of the workspace, or a URL.
	Remote string
	// Servers and Stream of JetStream: "nats://HOST:PORT" or "tls://HOST:PORT" each.
	Servers []string
	Stream  string
}

// forms is what an address can be, for errors.
const forms = "want files, git:REMOTE or nats://HOST:PORT[,HOST:PORT…]/STREAM"

// ParseAddress parses the address of a store, as in the configuration:
//
//	files
//	git:REMOTE                               a name such as origin, or an https:// or ssh:// URL
//	nats://HOST[:PORT][,HOST[:PORT]…]/STREAM  also tls://
//
// An address contains no credentials, because a configuration is committed. It names
// no folder as a git remote, because git would run the hooks of a repository that came
// with the tree.
func ParseAddress(text string) (Address, error) {
	if i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }); i >= 0 {
		return Address{}, fmt.Errorf("%w store: it has a space or a control character: %s", ErrInvalid, forms)
	}
	if text == "files" {
		return Address{}, nil
	}
	scheme, rest, _ := strings.Cut(text, ":")
	switch scheme {
	case "git":
		return parseGit(rest)
	case "nats", "tls":
		return parseNATS(scheme, rest)
	}
	return Address{}, fmt.Errorf("%w store: %s", ErrInvalid, forms)
}

// String is the text of the address.
func (a Address) String() string {
	switch {
	case a.Remote != "":
		return "git:" + a.Remote
	case a.Stream != "":
		scheme, _, _ := strings.Cut(a.Servers[0], "://")
		var hosts []string
		for _, server := range a.Servers {
			hosts = append(hosts, strings.TrimPrefix(server, scheme+"://"))
		}
		return scheme + "://" + strings.Join(hosts, ",") + "/" + a.Stream
	}
	return "files"
}

// IsFiles reports whether the store is the files of the workspace.
func (a Address) IsFiles() bool { return a.Remote == "" && a.Stream == "" }

func parseGit(remote string) (Address, error) {
	bad := func(why string) (Address, error) {
		return Address{}, fmt.Errorf("%w store: git:REMOTE: %s", ErrInvalid, why)
	}
	if !strings.Contains(remote, "://") {
		if !isRemote(remote) {
			return bad("want the name of a remote, such as origin, or an https:// or ssh:// URL")
		}
		return Address{Remote: remote}, nil
	}
	u, err := url.Parse(remote)
	if err != nil {
		return bad("the URL cannot be parsed")
	}
	switch _, password := u.User.Password(); {
	case u.Scheme != "https" && u.Scheme != "http" && u.Scheme != "ssh":
		return bad("want an https:// or ssh:// URL; `git remote add` gives any other remote a name")
	case password, u.Scheme != "ssh" && u.User != nil:
		return bad("remove the user and the password from the URL: git asks its credential helper for them")
	case u.Host == "" || u.Hostname() == "" || u.Hostname()[0] == '-':
		return bad("the URL has no valid host")
	}
	return Address{Remote: remote}, nil
}

// isRemote reports whether a text can be the name of a remote and is not an option or
// a path.
func isRemote(name string) bool {
	if name == "" || name[0] == '-' || name[0] == '.' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-", r)
	})
}

func parseNATS(scheme, rest string) (a Address, err error) {
	bad := func(why string) (Address, error) {
		return Address{}, fmt.Errorf("%w store: %s://HOST:PORT[,HOST:PORT…]/STREAM: %s", ErrInvalid, scheme, why)
	}
	rest, ok := strings.CutPrefix(rest, "//")
	hosts, stream, slash := strings.Cut(rest, "/")
	if !ok || hosts == "" {
		return bad("it has no host")
	}
	if strings.Contains(rest, "@") {
		return bad("remove the user, the password or the token: set HANDOFF_STORE_CREDS or HANDOFF_STORE_TOKEN")
	}
	if !slash || !isStream(stream) {
		return bad("STREAM must be a name of at most 100 letters, digits, - and _")
	}
	for host := range strings.SplitSeq(hosts, ",") {
		server, ok := withPort(host)
		if !ok {
			return bad("want HOST or HOST:PORT, separated by commas")
		}
		a.Servers = append(a.Servers, scheme+"://"+server)
	}
	a.Stream = stream
	return a, nil
}

// isStream reports whether a text can be the name of a stream. NATS allows more, but
// not in file names on all systems.
func isStream(name string) bool {
	return 0 < len(name) && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_')
	})
}

// natsPort is the port of a NATS server if the address has none.
const natsPort = "4222"

func withPort(text string) (server string, ok bool) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"), natsPort
		if strings.Contains(host, ":") && !strings.HasPrefix(text, "[") {
			return "", false
		}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	plain := host != "" && !strings.ContainsAny(host, "/?#[]%\"'\\") && host[0] != '-'
	return net.JoinHostPort(host, port), err == nil && n > 0 && plain
}
