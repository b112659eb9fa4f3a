package agents

import (
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
)

// TestGaugeContradictions: options of gauge that contradict each other, without a command line.
func TestGaugeContradictions(t *testing.T) {
	gauge := func(o gaugeOptions) error {
		if o.interval == 0 {
			o.interval = time.Second
		}
		return gaugeUsage(&o)
	}
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{gauge(gaugeOptions{NamedSession: command.NamedSession{Session: "a", Transcript: "b"}}), "--session and --transcript exclude"},
		{gauge(gaugeOptions{note: true, watch: true}), "--note and --watch exclude"},
		{gauge(gaugeOptions{intervalGiven: true}), "--interval requires --watch"},
		{gauge(gaugeOptions{watch: true, intervalGiven: true, interval: time.Millisecond}), "--interval: want"},
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
