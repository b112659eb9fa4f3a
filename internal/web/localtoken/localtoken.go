// Package localtoken lets the programs of one user find the token of a server that he runs
// on this machine. Every user of the machine can reach a port of loopback, so a server wants
// a token there. It makes a new one at each start, and writes it to a file that only its
// user can read, named after the address.
//
// Only the command line uses it, on both sides: to serve, and to find the server. It is apart so that
// both sides are tested together.
package localtoken

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/web/caller"
)

// folder is the folder of the tokens, in that of the user's state.
const folder = "servers"

// Publish writes the token of a server that listens at an address. state is the folder of
// the user's state: see [handoff/internal/file/userstate.Dir]. leave removes the token.
func Publish(state string, at *net.TCPAddr, token string) (path string, leave func() error, err error) {
	path = filepath.Join(state, folder, name(at.AddrPort()))
	root := nofollow.Root(filepath.Dir(state))
	if err := nofollow.Named.MkdirAll(string(root), 0o700); err != nil {
		return "", nil, err
	}
	if err := atomicfile.MkdirAll(root, filepath.Dir(path), 0o700); err != nil {
		return "", nil, err
	}
	if err := atomicfile.Write(root, path, []byte(token+"\n"), 0o600); err != nil {
		return "", nil, err
	}
	leave = func() error {
		if now, err := caller.ReadToken(path); err != nil || now != token {
			return nil // of another server, which listens there by now
		}
		return root.Remove(path)
	}
	return path, leave, nil
}

// Find returns the token of the server with a URL, and its file; "" if it is not on
// loopback or no server of this user has published one.
func Find(state, server string) (token, path string, err error) {
	for _, at := range addresses(server) {
		path = filepath.Join(state, folder, name(at))
		if _, err := os.Lstat(path); state == "" || err != nil {
			continue
		}
		token, err = caller.ReadToken(path)
		return token, path, err
	}
	return "", "", nil
}

// addresses are those that a URL may mean, on loopback.
func addresses(server string) []netip.AddrPort {
	u, err := url.Parse(server)
	if err != nil || u.Scheme != "http" {
		return nil
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return nil
	}
	hosts := []string{u.Hostname()}
	if u.Hostname() == "localhost" {
		hosts = []string{"127.0.0.1", "::1"}
	}
	var list []netip.AddrPort
	for _, host := range hosts {
		if ip, err := netip.ParseAddr(host); err == nil && ip.Unmap().IsLoopback() {
			list = append(list, netip.AddrPortFrom(ip, uint16(port)))
		}
	}
	return list
}

// name is the name of a token's file, such as 127.0.0.1_7341 and --1_7341 for [::1]: Windows
// has no colons in names.
func name(at netip.AddrPort) string {
	return fmt.Sprintf("%s_%d", strings.ReplaceAll(at.Addr().Unmap().String(), ":", "-"), at.Port())
}
