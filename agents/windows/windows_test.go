package windows_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/agents/windows"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

// user is the environment of a new user.
func user(t testing.TB) (getenv func(string) string, file string) {
	home := t.TempDir()
	getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	return getenv, filepath.Join(home, ".local", "state", "handoff", "windows.json")
}

func keep(t testing.TB, getenv func(string) string, session, model string, window, used int) {
	t.Helper()
	if err := windows.Keep(t.Context(), getenv, windows.Report{Agent: "claude", Session: session, Model: model, Window: window}, used); err != nil {
		t.Error(err)
	}
}

func TestLast(t *testing.T) {
	getenv, _ := user(t)
	check := func(session, model string, want int, from windows.Source) {
		t.Helper()
		if n, got := windows.Last(getenv, "claude", session, model); n != want || got != from {
			t.Errorf("%s %s: %d from %q, want %d from %q", session, model, n, got, want, from)
		}
	}
	check("a", "large", 0, windows.Unknown)
	keep(t, getenv, "a", "large", 1_000_000, 20_000)
	check("a", "large", 1_000_000, windows.Session)
	check("b", "large", 1_000_000, windows.Host)
	check("b", "large-20260801", 1_000_000, windows.Host)
	check("a", "", 1_000_000, windows.Session)
	check("a", "small", 0, windows.Unknown) // it has changed its model since
	check("", "", 0, windows.Unknown)

	keep(t, getenv, "c", "small[1m]", 1_000_000, 0)
	check("c", "small", 1_000_000, windows.Session) // its transcript leaves the size out
	check("d", "small", 0, windows.Unknown)         // another session may have chosen another size
	check("d", "small[1m]", 1_000_000, windows.Host)

	keep(t, getenv, "b", "large", 500_000, 0) // the host has changed it
	check("d", "large", 500_000, windows.Host)
	keep(t, getenv, "a", "large", 1_000_000, 30_000) // as it reported before
	check("a", "large", 1_000_000, windows.Session)
	check("d", "large", 500_000, windows.Host)
	if n, from := windows.Last(getenv, "codex", "a", "large"); n != 0 || from != windows.Unknown {
		t.Errorf("another agent: %d from %q", n, from)
	}
}

// TestNonsense: what cannot be true is neither kept nor read.
func TestNonsense(t *testing.T) {
	getenv, file := user(t)
	for _, window := range []int{0, -1, 999, 20_000_001, 1 << 62} {
		keep(t, getenv, "a", "large", window, 0)
	}
	keep(t, getenv, "a", "large", 200_000, 250_000) // more is in the context
	keep(t, getenv, "a", "", 200_000, 0)
	keep(t, getenv, "a", "two\nlines", 200_000, 0)
	keep(t, getenv, "a", strings.Repeat("x", 300), 200_000, 0)
	keep(t, getenv, strings.Repeat("x", 300), "large", 200_000, 0)
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("a report was kept: %v", err)
	}
	keep(t, getenv, "a", "large", 200_000, 210_000) // hosts count some more
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, changed := range []string{"-5", "5", "99999999999"} {
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(string(src), "200000", changed)), 0o600); err != nil {
			t.Fatal(err)
		}
		if n, from := windows.Last(getenv, "claude", "a", "large"); n != 0 || from != windows.Unknown {
			t.Errorf("%s is read as %d", changed, n)
		}
	}
}

// TestDamage: a damaged file is reported, not replaced, and has no reports.
func TestDamage(t *testing.T) {
	getenv, file := user(t)
	keep(t, getenv, "a", "large", 200_000, 0)
	if err := os.WriteFile(file, []byte(`{"models": [`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := windows.Keep(t.Context(), getenv, windows.Report{Agent: "claude", Model: "large", Window: 200_000}, 0)
	if err == nil || !strings.Contains(err.Error(), "delete the file") {
		t.Error(err)
	}
	if n, _ := windows.Last(getenv, "claude", "a", "large"); n != 0 {
		t.Errorf("%d", n)
	}
	nowhere := func(string) string { return "" }
	keep(t, nowhere, "a", "large", 200_000, 0)
	if n, _ := windows.Last(nowhere, "claude", "a", "large"); n != 0 {
		t.Errorf("%d", n)
	}
	if n, _ := windows.Last(nil, "claude", "a", "large"); n != 0 {
		t.Errorf("%d", n)
	}
}

// TestAtOnce has many programs report at once: no report is lost, and only the newest stay.
func TestAtOnce(t *testing.T) {
	getenv, file := user(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for k := range 30 {
				keep(t, getenv, fmt.Sprint(i, " ", k), fmt.Sprint("model", i), 100_000+i, 0)
			}
		})
	}
	all.Wait()
	for i := range 8 {
		if n, from := windows.Last(getenv, "claude", "new", fmt.Sprint("model", i)); n != 100_000+i || from != windows.Host {
			t.Errorf("model %d: %d from %q", i, n, from)
		}
	}
	src, err := os.ReadFile(file)
	if n := strings.Count(string(src), `"session"`); err != nil || n != 200 {
		t.Errorf("%d sessions, %v", n, err)
	}
	st, err := os.Stat(file)
	if err != nil || filepath.Separator == '/' && st.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}
