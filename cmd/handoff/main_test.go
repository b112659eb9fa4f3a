package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// clockVar sets the time in tests, where output holds times. Only the test
// binary knows it.
const clockVar = "HANDOFF_TEST_NOW"

func TestMain(m *testing.M) {
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
		os.Exit(run(context.Background(), w, os.Args[1:]))
	}})
}

func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "",
		Setup: func(e *testscript.Env) error {
			e.Setenv(clockVar, "2026-02-12T16:05:00Z")
			e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
			e.Setenv("BIN", filepath.SplitList(e.Getenv("PATH"))[0]) // where handoff is, and little else
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
