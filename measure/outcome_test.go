package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"handoff/measure/benchmark"
)

// TestOutcome: texts of runs are counted by finding and by whether their successor solved the task; other files are left out.
func TestOutcome(t *testing.T) {
	dir := t.TempDir()
	for i, run := range []string{
		`{"condition":"brief","passed":true,"handoff":"# State\n- All tests pass.\n"}`,
		`{"condition":"brief","passed":true,"handoff":"# State\nHalf of it is done.\n"}`,
		`{"condition":"brief","passed":false,"handoff":"# State\nHalf of it is done.\n"}`,
		`{"condition":"none","passed":false,"handoff":""}`,
		`{"summary":1}`, `[1]`,
	} {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".json"), []byte(run), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := outcomes(context.Background(), lab{runs: dir})
	if err != nil || len(s.Tables) != 2 {
		t.Fatal(s, err)
	}
	for row, want := range map[string]string{"brief": "2 of 3", "none": "0 of 1"} {
		if got := cell(t, s.Tables[0].Rows, row, 0); got != want {
			t.Errorf("%s: %s, want %s", row, got, want)
		}
	}
	if got := cell(t, s.Tables[1].Rows, "unchecked-claim", 0) + ", " + cell(t, s.Tables[1].Rows, "unchecked-claim", 1); got != "1 of 2, 0 of 1" {
		t.Error(got)
	}
	if s, err = outcomes(context.Background(), lab{}); err != nil || s.Skipped == "" {
		t.Error(s, err)
	}
	if _, err = outcomes(context.Background(), lab{runs: filepath.Join(dir, "none")}); err == nil {
		t.Error("a folder that is not there is no error")
	}
}

func cell(t *testing.T, rows []benchmark.Row, name string, at int) string {
	t.Helper()
	for _, r := range rows {
		if r.Name == name {
			return r.Cells[at].String()
		}
	}
	t.Fatalf("no row %s in %v", name, rows)
	return ""
}

func TestFisher(t *testing.T) {
	for _, c := range []struct {
		a, of1, b, of2 int
		want           float64
	}{{3, 4, 1, 4, 0.4857}, {16, 24, 5, 24, 0.0030}, {2, 4, 2, 4, 1}, {0, 3, 0, 5, 1}} {
		if p := fisher(c.a, c.of1, c.b, c.of2); math.Abs(p-c.want) > 0.0005 {
			t.Errorf("%v: %v", c, p)
		}
	}
}
