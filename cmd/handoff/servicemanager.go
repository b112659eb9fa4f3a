package main

import "net"

// serviceManager returns a function that reports a service's state to systemd:
// a datagram to the socket in NOTIFY_SOCKET (sd_notify(3)). Without that
// variable the function does nothing. The variable needs no removal from the
// environment, because the process starts no others that would inherit it.
func serviceManager(getenv func(string) string) (tell func(state string), err error) {
	name := getenv("NOTIFY_SOCKET")
	if name == "" {
		return func(string) {}, nil
	}
	// A name that begins with @ is an abstract socket without a file; net
	// supports that form.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	return func(state string) {
		conn.Write([]byte(state)) // nobody is left to report an error to
	}, nil
}
