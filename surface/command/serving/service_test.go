package serving

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
)

const anyProgram, anyRoot = "/usr/local/bin/handoff", "/home/you/project"

func atHome(string) string { return "/home/you" }

// TestServiceExamples compares the examples in docs with the output of
// --install-service. With HANDOFF_UPDATE_SCRIPTS=1 it writes them.
func TestServiceExamples(t *testing.T) {
	watch := watchService(anyProgram, anyRoot)
	serve := serveService(anyProgram, anyRoot, []string{"--listen", "unix:/home/you/project.sock", "--runner", "my-agent --quiet"})
	for example, s := range map[string]service{"handoff-watch.service": watch, "handoff-watch.plist": watch, "handoff-serve.service": serve} {
		system := "linux"
		if filepath.Ext(example) == ".plist" {
			system = "darwin"
		}
		s, err := s.on(system, atHome)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("../../../docs", example)
		if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
			if err := os.WriteFile(path, []byte(s.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if s.text != string(want) {
			t.Errorf("docs/%s is not what is installed: run with HANDOFF_UPDATE_SCRIPTS=1", example)
		}
	}
}

func TestServiceQuotes(t *testing.T) {
	if got, want := systemdQuoted(`/a b/100%/$x/"q"\`), `"/a b/100%%/$$x/\"q\"\\"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for arg, want := range map[string]string{"--log-format": "--log-format", "127.0.0.1:0": "127.0.0.1:0", "": `""`, "a b": `"a b"`, "100%": `"100%%"`, "ä": `"ä"`, ";": `";"`} {
		if got := systemdArgument(arg); got != want {
			t.Errorf("%q: got %s, want %s", arg, got, want)
		}
	}
	for name, s := range map[string]service{
		"root": watchService(anyProgram, "/a\nExecStart=evil"), "flag": serveService(anyProgram, anyRoot, []string{"--runner", "a\nExecStart=evil"}),
	} {
		if _, err := s.on("linux", atHome); err == nil {
			t.Errorf("%s: a line break gets into the unit", name)
		}
	}
	if _, err := watchService(anyProgram, anyRoot).on("plan9", atHome); err == nil {
		t.Error("a service for a system without one")
	}
}

// TestServiceUnit: systemd-analyze reports no problem in the units of a tree with
// an awkward name. systemd need not be running.
func TestServiceUnit(t *testing.T) {
	needs.Linux(t, "systemd")
	needs.Tool(t, "systemd-analyze")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const root = `/a b/100%/$x/"q"`
	for _, s := range []service{watchService(self, root), serveService(self, root, []string{"--runner", `sh -c 'echo "$x" 100%'; true`})} {
		s, err := s.on("linux", atHome)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(s.path))
		if err := os.WriteFile(path, []byte(s.text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("systemd-analyze", "--user", "--man=no", "verify", path)
		cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir()) // for a separate service manager, which reads the unit
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %s\n%s", err, out, s.text)
		}
	}
}

func TestServiceManager(t *testing.T) {
	needs.Unix(t, "there is no systemd on Windows")
	path := filepath.Join(t.TempDir(), "n")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	tell, err := serviceManager(func(string) string { return path })
	if err != nil {
		t.Fatal(err)
	}
	tell("READY=1")
	buf := make([]byte, 100)
	if n, err := conn.Read(buf); err != nil || string(buf[:n]) != "READY=1" {
		t.Errorf("%q, %v", buf[:n], err)
	}
}
