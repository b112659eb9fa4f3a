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

// nearEnough is how much two colours may differ in each part, of 255, and look the same.
const nearEnough = 0x10

// alike reports whether letters of one colour cannot be seen on a background, whose value may
// have more than a colour.
func alike(ink, paper string) bool {
	a, _, known := rgb(ink)
	for word := range strings.FieldsSeq(strings.ReplaceAll(paper, ", ", ",")) {
		if word == strings.ReplaceAll(ink, ", ", ",") {
			return true
		}
		if b, _, ok := rgb(word); known && ok && abs(a[0]-b[0]) <= nearEnough && abs(a[1]-b[1]) <= nearEnough && abs(a[2]-b[2]) <= nearEnough {
			return true
		}
	}
	return false
}

func abs(x float64) float64 { return max(x, -x) }

// rgb reads #fff, #fffa, #fefefe, #fefefe80, rgb(254, 254, 254), rgb(99% 99% 99% / 10%)
// and rgba(0,0,0,.05): parts of 255, and the opacity, of 1.
func rgb(colour string) (parts [3]float64, opacity float64, ok bool) {
	switch colour {
	case "black":
		return parts, 1, true
	case "white":
		return [3]float64{255, 255, 255}, 1, true
	}
	if hex, isHex := strings.CutPrefix(colour, "#"); isHex {
		return fromHex(hex)
	}
	name, list, _ := strings.Cut(strings.TrimSuffix(colour, ")"), "(")
	values := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == '/' || r == ' ' })
	if light, ok := lightness(name, values); ok {
		return [3]float64{light, light, light}, 1, true
	}
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

// lightness is that of hsl(0 0% 99%), if that makes it white whatever its hue.
func lightness(name string, values []string) (light float64, ok bool) {
	if name != "hsl" && name != "hsla" || len(values) != 3 {
		return 0, false
	}
	light, ok = part(values[2], 255)
	return light, ok && light >= paleLeast
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
