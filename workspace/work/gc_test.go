package work

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"handoff/log/receipt"
)

// TestJudge: work ends with its handoff, or after a month if it has none.
func TestJudge(t *testing.T) {
	now := time.Date(2026, 2, 12, 16, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	day := 24 * time.Hour
	kept := func(task, n int, by, handoff string, age time.Duration) Kept {
		return Kept{Ref: fmt.Sprintf("%s%d/%d", Prefix, task, n), Task: task, N: n, By: by, Handoff: handoff, At: ago(age)}
	}
	all := []Kept{
		kept(0, 1, "session-end", "", 31*day), kept(0, 2, "session-end", "", 29*day),
		kept(5, 1, "session-end", "", 3*day), kept(5, 2, "new", "done", 2*day), kept(5, 3, "session-end", "", 2*day),
		kept(5, 4, ByRestore, "", 2*day), kept(5, 5, "new", "waits", 2*day), kept(5, 6, "session-end", "", day),
		kept(6, 1, "new", "superseded", day), kept(6, 2, "new", "just done", day), kept(6, 3, "new", "done", time.Minute),
	}
	got := []string{}
	for k, err := range judge(all, now, time.Hour, func(handoff string) (receipt.State, time.Time, error) {
		switch handoff {
		case "done":
			return receipt.Done, ago(day), nil
		case "superseded":
			return receipt.Superseded, ago(day), nil
		case "just done":
			return receipt.Done, ago(time.Minute), nil
		}
		return receipt.Waiting, time.Time{}, nil
	}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, k.Name())
	}
	if want := "[work/0/1 work/5/2 work/5/3 work/6/1]"; fmt.Sprint(got) != want {
		t.Errorf("%v\nwant %s", got, want)
	}
	damaged := errors.New("damaged")
	for _, err := range judge(all[3:4], now, 0, func(string) (receipt.State, time.Time, error) { return receipt.Done, time.Time{}, damaged }) {
		if !errors.Is(err, damaged) {
			t.Errorf("work of a handoff whose receipts cannot be read: %v", err)
		}
	}
}

// TestBelongs: a handoff has what was kept with it, or later by its sessions, and never what a
// restore replaced.
func TestBelongs(t *testing.T) {
	all := []Kept{{N: 1, Handoff: "a"}, {N: 2}, {N: 3, By: ByRestore}, {N: 4, Handoff: "b"}, {N: 5}, {N: 6, By: ByRestore}}
	for path, want := range map[string]int{"a": 2, "b": 5, "c": 5} {
		if got := belongs(all, path); got.N != want {
			t.Errorf("%s: %d, want %d", path, got.N, want)
		}
	}
	if got := belongs(all[2:3], "a"); got.N != 0 {
		t.Errorf("what a restore replaced: %v", got)
	}
}
