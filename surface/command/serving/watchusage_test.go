package serving

import (
	"strings"
	"testing"
	"time"
)

// TestWatchContradictions: options of watch that contradict each other, without a command line.
func TestWatchContradictions(t *testing.T) {
	watch := func(o watchOptions) error {
		if o.interval == 0 {
			o.interval = time.Minute
		}
		return watchUsage(&o)
	}
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{watch(watchOptions{}), ""},
		{watch(watchOptions{json: true}), "--json requires --status"},
		{watch(watchOptions{debounce: -1}), "--debounce"},
		{watch(watchOptions{interval: time.Millisecond}), "--interval"},
		{watch(watchOptions{asks: []string{"--status", "--install-service"}}), "--status and --install-service exclude"},
		{watch(watchOptions{asks: []string{"--status"}, settings: []string{"--poll"}}), "--status and --poll exclude"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if c.want == "" && c.err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
