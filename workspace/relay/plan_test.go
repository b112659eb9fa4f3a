package relay

import "testing"

func TestSlugOf(t *testing.T) {
	for objective, want := range map[string]string{
		"Finish phase 2.":                   "finish_phase_2",
		"Write a parser for numbers, in Go": "write_a_parser_for",
		"":                                  "relay",
		"解析":                                "relay",
		"Über-schnell":                      "ber_schnell",
		"  \n--- ":                          "relay",
	} {
		if got := slugOf(objective); got != want {
			t.Errorf("%q: %q, want %q", objective, got, want)
		}
	}
}
