package templates

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestLimits: a template that would take all time or all memory is an error soon.
func TestLimits(t *testing.T) {
	big := strings.Repeat("x", 1<<16)
	for name, text := range map[string]string{
		"nothing, often":      "{{range 2000000000}}{{end}}",
		"text, often":         "{{range 2000000000}}xxxxxxxxxxxxxxxx{{end}}",
		"much text":           "{{range 2000}}" + big + "{{end}}",
		"inner ranges":        "{{range 30000}}{{range 30000}}{{end}}{{end}}",
		"in the else":         "{{range 0}}{{else}}{{range 2000000000}}{{end}}{{end}}",
		"in an if":            "{{if true}}{{range 2000000000}}{{if false}}{{end}}{{end}}{{end}}",
		"continues":           "{{range 2000000000}}{{continue}}{{end}}",
		"itself":              `{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`,
		"itself twice":        `{{define "a"}}{{template "a"}}{{template "a"}}{{end}}{{template "a"}}`,
		"itself with content": `{{define "a"}}{{with 1}}{{template "a"}}{{template "a"}}{{end}}{{end}}{{template "a"}}`,
		"doubled":             `{{$a := "xxxxxxxxxxxxxxxx"}}{{range 64}}{{$a = print $a $a}}{{end}}`,
		"doubled by printf":   `{{$a := "xxxxxxxxxxxxxxxx"}}{{range 64}}{{$a = printf "%s%s" $a $a}}{{end}}`,
		"one value, often":    `{{$a := "` + big + `"}}{{printf "` + strings.Repeat("%[1]s", 10_000) + `" $a}}`,
		"wide":                `{{printf "` + strings.Repeat("%900000d", 1000) + `" 1}}`,
		"wide by a value":     `{{printf "` + strings.Repeat("%[1]*[2]d", 1000) + `" 900000 1}}`,
		"its own layout":      `{{$a := "1"}}{{range 64}}{{$a = .Time.Format $a}}{{end}}`,
		"piped layout":        `{{$a := "1"}}{{range 64}}{{$a = $a | $.Time.Format}}{{end}}`,
		"less than nothing":   "{{range 2000000000}}{{handoff_step_ -99}}{{end}}",
		"compared":            `{{$a := "` + big + `a"}}{{$b := "` + big + `b"}}{{range 2000000000}}{{eq $a $b}}{{end}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begin := time.Now()
		_, err := Render(Values{Time: time.Unix(1, 0)}, text, false)
		runtime.ReadMemStats(&after)
		if err == nil || strings.Contains(err.Error(), stepName) || len(err.Error()) > 400 {
			t.Errorf("%s: %v", name, err)
		}
		if took, made := time.Since(begin), (after.TotalAlloc-before.TotalAlloc)>>20; took > time.Minute || made > 400 { // without a limit it takes hours; a busy machine needs seconds
			t.Errorf("%s: %s and %d MB, %.100v", name, took, made, err)
		} else {
			t.Logf("%s: %s, %d MB, %.150v", name, took.Round(time.Millisecond), made, err)
		}
	}
}

// TestWithinLimits: what templates do for real documents is the same as without limits.
func TestWithinLimits(t *testing.T) {
	v := Values{Task: 7, Time: time.Date(2026, 2, 12, 0, 0, 0, 0, time.UTC), Decisions: make([]string, 500)}
	for text, want := range map[string]string{
		`{{range $i, $d := .Decisions}}{{if eq $i 499}}last {{$i}}{{end}}{{end}}`:         "last 499\n",
		`{{printf "%03d|%5.1f|%q" .Task 1.5 "a<"}} {{html "<"}} {{print 1 2}} {{js "'"}}`: "007|  1.5|\"a<\" &lt; 1 2 \\'\n",
		`{{.Time.Format "2006"}} {{with .Time}}{{.Format "01"}}{{end}}`:                   "2026 02\n",
		`{{range 3}}{{if eq . 1}}{{continue}}{{end}}{{.}}{{end}}`:                         "02\n",
		`{{define "a"}}[{{.}}]{{end}}{{template "a" .Task}}`:                              "[7]\n",
		`{{range .DeadEnds}}x{{else}}none{{end}}`:                                         "none\n",
	} {
		if got, err := Render(v, text, false); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", text, got, err, want)
		}
	}
	if _, err := Render(v, "a\n{{.Nothing}}", false); err == nil || !strings.Contains(err.Error(), "template:2:2") {
		t.Errorf("the place of an error: %v", err)
	}
}

// TestCallerLeft: an execution ends when its caller has left.
func TestCallerLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := RenderIn(ctx, Values{}, "{{range 10}}x{{end}}", false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
