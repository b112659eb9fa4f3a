package hidden

import (
	"slices"
	"strconv"
	"strings"
)

const (
	paleLeast = 0xf0 // of 255, for each part of a colour that is invisible on a white page
	clearMost = 0.1  // of the opacity of a colour that is invisible on any page
)

// pale reports whether a colour is nearly invisible on the page.
func pale(colour string) bool {
	switch colour {
	case "white", "transparent", "snow", "ivory", "ghostwhite", "whitesmoke", "floralwhite", "mintcream", "azure", "aliceblue", "seashell":
		return true
	}
	parts, opacity, ok := rgb(colour)
	return ok && (opacity <= clearMost || slices.Min(parts[:]) >= paleLeast)
}

// rgb reads #fff, #fffa, #fefefe, #fefefe80, rgb(254, 254, 254), rgb(99% 99% 99% / 10%)
// and rgba(0,0,0,.05): parts of 255, and the opacity, of 1.
func rgb(colour string) (parts [3]float64, opacity float64, ok bool) {
	if hex, isHex := strings.CutPrefix(colour, "#"); isHex {
		return fromHex(hex)
	}
	name, list, _ := strings.Cut(strings.TrimSuffix(colour, ")"), "(")
	values := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '/' || r == ' ' })
	if name != "rgb" && name != "rgba" || len(values) < 3 || len(values) > 4 {
		return parts, 0, false
	}
	for i := range parts {
		if parts[i], ok = part(values[i], 255); !ok {
			return parts, 0, false
		}
	}
	opacity = 1
	if len(values) == 4 {
		opacity, ok = part(values[3], 1)
	}
	return parts, opacity, ok
}

// part reads a number, or a percentage of the whole.
func part(value string, whole float64) (float64, bool) {
	number, percent := strings.CutSuffix(value, "%")
	n, err := strconv.ParseFloat(number, 64)
	if percent {
		n *= whole / 100
	}
	return n, err == nil
}

func fromHex(hex string) (parts [3]float64, opacity float64, ok bool) {
	digits := 2
	if len(hex) < 6 {
		digits = 1
	}
	if len(hex) != 3*digits && len(hex) != 4*digits {
		return parts, 0, false
	}
	var all [4]float64
	all[3] = 255
	for i := 0; i*digits < len(hex); i++ {
		n, err := strconv.ParseUint(strings.Repeat(hex[i*digits:(i+1)*digits], 3-digits), 16, 8)
		if err != nil {
			return parts, 0, false
		}
		all[i] = float64(n)
	}
	return [3]float64(all[:3]), all[3] / 255, true
}
