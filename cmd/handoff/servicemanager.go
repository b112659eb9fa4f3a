package main

import "net"

// serviceManager returns what tells systemd of a service's state: a datagram
// to the socket in NOTIFY_SOCKET (sd_notify(3)). Without one it tells nobody.
// The variable is ours alone: nothing we start inherits it, as we start
// nothing.
func serviceManager(getenv func(string) string) (tell func(state string), err error) {
	name := getenv("NOTIFY_SOCKET")
	if name == "" {
		return func(string) {}, nil
	}
	// A name that begins with @ has no file; net knows that form.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	return func(state string) {
		conn.Write([]byte(state)) // nobody is there any more to be told of an error
	}, nil
}
