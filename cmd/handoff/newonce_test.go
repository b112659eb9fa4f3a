package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestNewOnceKilled kills `handoff new` with one idempotency key at many moments. The call
// that is repeated until it ends has written one handoff, which is linked.
func TestNewOnceKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts 120 processes")
	}
	bin, dir := commandDir(t), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(raceValues), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	args := func(key string) []string {
		return []string{"new", "--task", "259", "--slug", "race", "--phase", "3", "--from", "values.yaml", "--idempotency-key", key}
	}
	began := time.Now()
	if out, err := programIn(t, bin, dir, args("first")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	whole := time.Since(began)
	const keys = 40
	for i := range keys {
		key := fmt.Sprint(i)
		for j := range 2 {
			cmd := programIn(t, bin, dir, args(key)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(whole * time.Duration(2*i+j+1) / (2 * keys))
			cmd.Process.Kill()
			cmd.Wait()
		}
		out, err := programIn(t, bin, dir, args(key)...).Output()
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		if _, err := os.Stat(filepath.Join(dir, strings.TrimSpace(string(out)))); err != nil {
			t.Error(err)
		}
		list, err := filepath.Glob(filepath.Join(dir, "specs/259_race/handoffs/*.md"))
		if err != nil || len(list) != i+2 {
			t.Fatalf("%d handoffs of %d keys: %q", len(list), i+2, list)
		}
	}
	if out, err := programIn(t, bin, dir, "verify").CombinedOutput(); err != nil {
		t.Errorf("verify: %v\n%s", err, out)
	}
}
