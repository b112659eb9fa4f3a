package listening

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"go.uber.org/goleak"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLoopbackOnly(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0", "127.3.2.1:0"} {
		l, err := Open(addr, false)
		if err != nil {
			if strings.Contains(addr, "::1") || runtime.GOOS != "linux" {
				continue // a machine without IPv6, or with one loopback address
			}
			t.Errorf("%s: %v", addr, err)
			continue
		}
		if name := Name(l); !strings.HasPrefix(name, "http://") || strings.HasSuffix(name, ":0") {
			t.Error(name)
		}
		l.Close()
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "[::ffff:0.0.0.0]:0"} {
		if l, err := Open(addr, false); !errors.Is(err, ErrBeyond) {
			t.Errorf("%s: %v", addr, err)
			if err == nil {
				l.Close()
			}
		}
	}
	l, err := Open("0.0.0.0:0", true)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

func TestUnix(t *testing.T) {
	needs.Unix(t, "Windows has no modes of sockets")
	path := filepath.Join(t.TempDir(), "s")
	l, err := Open("unix:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	if name := Name(l); name != "unix:"+path {
		t.Error(name)
	}
	if _, err := Open("unix:"+path, false); err == nil {
		t.Error("a socket that is listened on was taken over")
	}
	l.(*Socket).Keep() // as if it had been killed
	l.Close()
	if l, err = Open("unix:"+path, false); err != nil {
		t.Fatalf("the socket of a dead server: %v", err)
	}
	l.Close()
	if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("unix:"+path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "mine" {
		t.Error("the file is gone")
	}
}

func TestLimit(t *testing.T) {
	inner, err := Open("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := Limit(inner, 2)
	accepted := make(chan net.Conn)
	ended := make(chan error)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				ended <- err
				return
			}
			c.(*Conn).Serve()
			accepted <- c
		}
	}()
	for range 3 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, second := <-accepted, <-accepted
	select {
	case <-accepted:
		t.Fatal("a third connection was taken")
	case <-time.After(50 * time.Millisecond):
	}
	if n := l.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
	first.Close()
	first.Close() // a second time has no effect
	third := <-accepted
	l.Close()
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	second.Close()
	third.Close()
	if n := l.Connections(); n != 0 {
		t.Errorf("%d connections", n)
	}
}

// TestLimitOfSlow: idle connections are closed to make room for others, the longest
// idle first.
func TestLimitOfSlow(t *testing.T) {
	inner, err := Open("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	l := Limit(inner, 2)
	defer l.Close()
	next := func() (here, there net.Conn) {
		t.Helper()
		there, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { there.Close() })
		if here, err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		return here, there
	}
	gone := func(c net.Conn) bool {
		c.SetReadDeadline(waittest.Deadline())
		_, err := c.Read(make([]byte, 1))
		return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
	}
	first, _ := next()
	done := first.(*Conn).Serve()
	_, slow := next()
	third, thirdThere := next()
	if !gone(slow) {
		t.Error("a connection without a request was kept")
	}
	done() // after the third connected: that one has been idle longer
	next()
	if !gone(thirdThere) {
		t.Error("the one that was served last had to go")
	}
	if n := l.Connections(); n != 2 {
		t.Errorf("%d connections", n)
	}
	third.(*Conn).Serve()() // of a closed connection
	if n := len(l.resting); n != 2 {
		t.Errorf("%d rest", n)
	}
}

func TestNotActivated(t *testing.T) {
	for _, env := range []map[string]string{
		{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_PID": "x", "LISTEN_FDS": "1"},
	} {
		if l, err := Activated(func(k string) string { return env[k] }, false); l != nil || err != nil {
			t.Errorf("%v: %v, %v", env, l, err)
		}
	}
}

// TestUnixIsPrivate: the socket has its mode before it has its name. If it were
// created at its path, changing its mode there would be an event of the folder.
func TestUnixIsPrivate(t *testing.T) {
	needs.Linux(t, "inotify reports every change of a mode")
	dir := t.TempDir()
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Add(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := Open("unix:"+path, false)
	if err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left: %v", entries)
	}
	l.Close()
	for {
		select {
		case e := <-w.Events:
			switch {
			case e.Name != path:
			case e.Has(fsnotify.Chmod):
				t.Error("the socket got its mode after its name")
			case e.Has(fsnotify.Remove):
				return
			}
		case err := <-w.Errors:
			t.Fatal(err)
		}
	}
}
