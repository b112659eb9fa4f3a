package benchmark_test

import (
	"testing"

	"handoff/measure/benchmark"
)

func TestCell(t *testing.T) {
	for want, c := range map[string]benchmark.Cell{
		"1,234,567": benchmark.Number(1234567), "999": benchmark.Number(999), "3 of 4": benchmark.Share(3, 4), "-": benchmark.Share(0, 0),
		"75 % of 400": benchmark.Share(300, 400), "<1 % of 1,000": benchmark.Share(1, 1000), ">99 % of 1,000": benchmark.Share(999, 1000), "100 % of 41": benchmark.Share(41, 41),
	} {
		if got := c.String(); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

func TestSuite(t *testing.T) {
	s := benchmark.Suite{Name: "speed", About: "how far a snail goes, which is a long text so that a terminal of eighty columns has to wrap it", Limits: []string{"Snails."},
		Tables: []benchmark.Table{{Title: "metres", Columns: []string{"an hour", "a day"}, Rows: []benchmark.Row{{Name: "snail", Cells: []benchmark.Cell{benchmark.Number(3), benchmark.Share(1, 2)}}}}}}
	text := `speed: how far a snail goes, which is a long text so that a terminal of eighty
columns has to wrap it

  metres
         an hour   a day
  snail        3  1 of 2
`
	if got := s.Text(); got != text {
		t.Errorf("text:\n%s", got)
	}
	markdown := `## speed

How far a snail goes, which is a long text so that a terminal of eighty columns has to wrap it.

Metres:

|       | an hour |  a day |
|---|--:|--:|
| snail |       3 | 1 of 2 |

Limits:

* Snails.
`
	if got := s.Markdown(); got != markdown {
		t.Errorf("Markdown:\n%s", got)
	}
	if got := (benchmark.Suite{Name: "speed", About: "snails", Skipped: "no snails"}).Text(); got != "speed: snails\n\n  not run: no snails\n" {
		t.Errorf("skipped: %q", got)
	}
}
