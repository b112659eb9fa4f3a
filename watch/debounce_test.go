package watch

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// handed is a set of tasks and when it came, since the start.
type handed struct {
	tasks string
	at    time.Duration
}

// played runs a debouncer against changes in virtual time.
func played(d Debouncer, play func(change func(task string), wait func(time.Duration))) []handed {
	in, out, done := make(chan Change), make(chan []string), make(chan []handed)
	start := time.Now()
	go func() {
		var got []handed
		for tasks := range out {
			got = append(got, handed{strings.Join(tasks, " "), time.Since(start)})
		}
		done <- got
	}()
	go d.Run(in, out)
	play(func(task string) { in <- Change{Tasks: []string{task}} }, time.Sleep)
	close(in)
	return <-done
}

const ms = time.Millisecond

func TestDebounce(t *testing.T) {
	usual := Debouncer{Quiet: 20 * ms, Cap: 250 * ms}
	for _, tt := range []struct {
		name string
		d    Debouncer
		play func(change func(string), wait func(time.Duration))
		want []handed
	}{
		{"one change waits for quiet", usual, func(change func(string), wait func(time.Duration)) {
			change("a")
			wait(time.Second)
		}, []handed{{"a", 20 * ms}}},
		{"a burst is one", usual, func(change func(string), wait func(time.Duration)) {
			for range 5 {
				change("a")
				wait(10 * ms)
			}
			wait(time.Second)
		}, []handed{{"a", 60 * ms}}},
		{"no task waits for another", usual, func(change func(string), wait func(time.Duration)) {
			change("a")
			for range 8 {
				change("b")
				wait(10 * ms)
			}
			wait(time.Second)
		}, []handed{{"a", 20 * ms}, {"b", 90 * ms}}},
		{"steady changes are capped", usual, func(change func(string), wait func(time.Duration)) {
			for range 72 { // the last after 497 ms
				change("a")
				wait(7 * ms)
			}
			wait(time.Second)
		}, []handed{{"a", 250 * ms}, {"a", 502 * ms}}},
		{"no quiet: at once", Debouncer{Cap: 250 * ms}, func(change func(string), wait func(time.Duration)) {
			change("a")
			wait(5 * ms)
			change("b")
			wait(5 * ms)
		}, []handed{{"a", 0}, {"b", 5 * ms}}},
		{"the end is not waited for", usual, func(change func(string), wait func(time.Duration)) {
			change("b")
			change("a")
		}, []handed{{"a b", 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if got := played(tt.d, tt.play); !slices.Equal(got, tt.want) {
					t.Errorf("got %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// A receiver that takes nothing must not delay the recording of events: all
// changes in the meantime come as one set.
func TestDebounceNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan Change), make(chan []string)
		go Debouncer{Quiet: 20 * ms, Cap: 250 * ms}.Run(in, out)
		for i := range 1000 {
			in <- Change{Tasks: []string{string(rune('a' + i%3))}}
			time.Sleep(ms)
		}
		time.Sleep(time.Minute)
		if got := <-out; !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("got %v", got)
		}
		in <- Change{Tasks: []string{"d"}, Now: true}
		if got := <-out; !slices.Equal(got, []string{"d"}) {
			t.Errorf("got %v, want d at once", got)
		}
		close(in)
		if _, ok := <-out; ok {
			t.Error("handed out more than there was")
		}
	})
}

// Nothing rings while nothing changes.
func TestDebounceIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, out := make(chan Change), make(chan []string)
		go Debouncer{Quiet: 20 * ms, Cap: 250 * ms}.Run(in, out)
		in <- Change{Tasks: []string{"a"}}
		<-out
		start := time.Now()
		time.AfterFunc(100*time.Hour, func() { close(in) }) // a timer of the debouncer's would ring before
		<-out
		if got := time.Since(start); got != 100*time.Hour {
			t.Errorf("ended after %v", got)
		}
	})
}
