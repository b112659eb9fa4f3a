package main

import (
	"context"
	"flag"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// clockVar, aheadVar and idsVar are what main_clock.go reads.
const (
	clockVar = "HANDOFF_TEST_NOW"
	aheadVar = "HANDOFF_TEST_AHEAD"
	idsVar   = "HANDOFF_TEST_IDS"
)

func TestMain(m *testing.M) {
	// The tests start thousands of processes. Under the race detector each would
	// sleep for a second before it exits, to wait for races.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	testscript.Main(withProgram{m}, map[string]func(){"await": await, "fetch": fetch, "person": person})
}

// withProgram builds handoff before the tests run, with the race detector if they have it.
// testscript has put the folder of its commands in PATH, and removes it at the end.
type withProgram struct{ *testing.M }

func (m withProgram) Run() int {
	args := []string{"build", "-tags", "handofftest", "-ldflags=-s -w", "-o", programFile()} // without tables for a debugger it takes half as long
	if raceDetector {
		args = append(args, "-race")
	}
	if out, err := exec.Command("go", append(args, ".")...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
		return 1
	}
	return m.M.Run()
}

// programFile is the handoff that the tests start, and the first one in PATH.
func programFile() string {
	name := "handoff"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return filepath.Join(filepath.SplitList(os.Getenv("PATH"))[0], name)
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

// person is a command for scripts: a person in a browser, who opens the page of an act on a socket, fills in
// fields and clicks on its button: person SOCKET 'do=claim&ref=1/2' name=ann. It prints the page, and the one
// that a refused form leads to.
func person() {
	flag.Parse()
	jar, _ := cookiejar.New(nil)
	client := http.Client{Jar: jar, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", flag.Arg(0))
	}}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	read := func(r *http.Response, err error) string {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text, _ := io.ReadAll(r.Body)
		os.Stdout.Write(text)
		fmt.Fprintln(os.Stderr, r.StatusCode)
		return string(text)
	}
	page := read(client.Get("http://localhost/view/act?" + flag.Arg(1)))
	form := url.Values{}
	for _, m := range regexp.MustCompile(`<input type="hidden" name="([a-z]+)" value="([^"]*)">`).FindAllStringSubmatch(page, -1) {
		form.Set(m[1], html.UnescapeString(m[2]))
	}
	for _, field := range flag.Args()[2:] {
		name, value, _ := strings.Cut(field, "=")
		form.Set(name, value)
	}
	read(client.PostForm("http://localhost/view/act", form))
}

// await is a command for scripts: it waits until a file exists, contains a text
// (-grep TEXT FILE), or a command prints it (-grep TEXT -run COMMAND), or no longer does (-gone).
func await() {
	text := flag.String("grep", "", "")
	run := flag.String("run", "", "")
	gone := flag.Bool("gone", false, "")
	flag.Parse()
	var got []byte
	if !waittest.Within(waittest.Limit, func() bool {
		var err error
		if *run != "" {
			words := strings.Fields(*run)
			got, err = exec.Command(words[0], words[1:]...).Output()
		} else if *text == "" {
			_, err = os.Stat(flag.Arg(0))
		} else {
			got, err = os.ReadFile(flag.Arg(0))
		}
		return err == nil && strings.Contains(string(got), *text) != *gone
	}) {
		fmt.Fprintln(os.Stderr, "it never came")
		os.Exit(1)
	}
	os.Stdout.Write(got)
	os.Exit(0)
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
			e.Defer(func() { noUnknownState(e) })
			e.Setenv(clockVar, "2026-02-12T16:05:00Z")
			numbered, err := os.MkdirTemp(ids, "")
			if err != nil {
				return err
			}
			e.Setenv(idsVar, numbered)
			e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			e.Setenv(needs.Ceilings, os.Getenv(needs.Ceilings))
			e.Setenv("XDG_STATE_HOME", e.Getenv("WORK")+".state")    // of the user: what is trusted, so not in the repository
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
