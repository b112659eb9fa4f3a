package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"handoff/internal/testing/waittest"
)

// clockVar sets the time in tests whose output contains times. Only the test
// binary reads it.
const clockVar = "HANDOFF_TEST_NOW"

// idsVar names a folder for tests whose output contains ids: ids are numbered
// in it across processes.
const idsVar = "HANDOFF_TEST_IDS"

func nextID(dir string) string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012d", n, n)
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err == nil {
			return id
		} else if !os.IsExist(err) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(failed)
		}
	}
}

func TestMain(m *testing.M) {
	// The tests start some 500 processes. Under the race detector each would
	// sleep for a second before it exits, to wait for races.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	testscript.Main(m, map[string]func(){"handoff": func() {
		w := system()
		if now := os.Getenv(clockVar); now != "" {
			t, err := time.Parse(time.RFC3339, now)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(failed)
			}
			w.now = func() time.Time { return t }
		}
		if dir := os.Getenv(idsVar); dir != "" {
			w.newID = func() string { return nextID(dir) }
		}
		os.Exit(run(context.Background(), w, os.Args[1:]))
	}, "await": await, "fetch": fetch})
}

// fetch is a command for scripts: it sends a request over a Unix socket and
// prints the body of the answer to stdout and its status to stderr. It fails if
// the status is 400 or higher.
func fetch() {
	method, body := flag.String("X", "GET", ""), flag.String("d", "", "")
	token := flag.String("token", "", "")
	flag.Parse()
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", flag.Arg(0))
	}}}
	r, err := http.NewRequest(*method, "http://localhost"+flag.Arg(1), strings.NewReader(*body))
	if err == nil {
		r.Header.Set("Authorization", "Bearer "+*token)
		r.Header.Set("Content-Type", "application/json")
		var resp *http.Response
		if resp, err = client.Do(r); err == nil {
			io.Copy(os.Stdout, resp.Body)
			fmt.Fprintln(os.Stderr, resp.StatusCode)
			if resp.StatusCode < 400 {
				os.Exit(0)
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(1)
}

// await is a command for scripts: it waits until a file exists, contains a text
// (-grep TEXT FILE), or a command prints it (-grep TEXT -run COMMAND).
func await() {
	text := flag.String("grep", "", "")
	run := flag.String("run", "", "")
	flag.Parse()
	for end := waittest.Deadline(); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		var got []byte
		var err error
		if *run != "" {
			words := strings.Fields(*run)
			got, err = exec.Command(words[0], words[1:]...).Output()
		} else if *text == "" {
			_, err = os.Stat(flag.Arg(0))
		} else {
			got, err = os.ReadFile(flag.Arg(0))
		}
		if err == nil && strings.Contains(string(got), *text) {
			os.Stdout.Write(got)
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, "it never came")
	os.Exit(1)
}

func TestScript(t *testing.T) {
	heedInterrupts(t)
	ids := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv(clockVar, "2026-02-12T16:05:00Z")
			numbered, err := os.MkdirTemp(ids, "")
			if err != nil {
				return err
			}
			e.Setenv(idsVar, numbered)
			e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			e.Setenv("XDG_STATE_HOME", e.Getenv("WORK")+"/.state")   // of the user: what is trusted
			e.Setenv("BIN", filepath.SplitList(e.Getenv("PATH"))[0]) // the folder of handoff, which contains little else
			for _, v := range []string{"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"} {
				e.Setenv(v, "A U Thor")
			}
			for _, v := range []string{"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"} {
				e.Setenv(v, "author@example.com")
			}
			return nil
		},
	})
}
