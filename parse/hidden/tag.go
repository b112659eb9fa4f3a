package hidden

import (
	"html"
	"slices"
	"strconv"
	"strings"
)

// tag is an HTML tag.
type tag struct {
	from, to   int
	name       string // in lower case
	closes     bool
	cut        bool // the limit is before its end
	attributes []attribute
}

// attribute is an attribute of a tag; from is after the blanks before it.
type attribute struct {
	from, to int
	name     string // in lower case
	value    string // with entities resolved
	bare     bool   // has no value
	cut      bool   // the limit is before its end
}

// tagAt reads the tag that begins at src[at:], as CommonMark does; ok is false
// if there is none. It ends before limit.
func tagAt(src string, at, limit int) (t tag, ok bool) {
	t.from = at
	i := at + 1
	if i < limit && src[i] == '/' {
		t.closes = true
		i++
	}
	start := i
	for i < limit && (letter(src[i]) || i > start && (digit(src[i]) || src[i] == '-')) {
		i++
	}
	if t.cut = i == limit; i == start || t.cut {
		return t, false
	}
	t.name = strings.ToLower(src[start:i])
	for {
		gap := i
		for i < limit && space(src[i]) {
			i++
		}
		switch {
		case i >= limit:
			t.cut = true
			return t, false
		case src[i] == '>':
			t.to = i + 1
			return t, true
		case src[i] == '/' && i+1 < limit && src[i+1] == '>':
			t.to = i + 2
			return t, true
		case gap == i || t.closes:
			return t, false
		}
		a, ok := attributeAt(src, i, limit)
		if !ok {
			t.cut = a.cut
			return t, false
		}
		t.attributes = append(t.attributes, a)
		i = a.to
	}
}

// attributeAt reads the attribute at src[i:].
func attributeAt(src string, i, limit int) (a attribute, ok bool) {
	a.from = i
	for i < limit && (letter(src[i]) || src[i] == '_' || src[i] == ':' || i > a.from && (digit(src[i]) || src[i] == '.' || src[i] == '-')) {
		i++
	}
	if i == a.from {
		return a, false
	}
	a.name, a.to = strings.ToLower(src[a.from:i]), i
	for i < limit && space(src[i]) {
		i++
	}
	if i >= limit || src[i] != '=' {
		a.bare = true
		return a, true
	}
	for i++; i < limit && space(src[i]); {
		i++
	}
	if a.cut = i >= limit; a.cut {
		return a, false
	}
	start := i
	if quote := src[i]; quote == '"' || quote == '\'' {
		end := strings.IndexByte(src[i+1:limit], quote)
		if a.cut = end < 0; a.cut {
			return a, false
		}
		start, i = i+1, i+1+end
		a.value, a.to = html.UnescapeString(src[start:i]), i+1
		return a, true
	}
	for i < limit && !space(src[i]) && strings.IndexByte("\"'=<>`", src[i]) < 0 {
		i++
	}
	a.value, a.to = html.UnescapeString(src[start:i]), i
	return a, i > start
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func digit(c byte) bool  { return '0' <= c && c <= '9' }
func space(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// undisplayed are the elements whose content is not displayed until a reader
// unfolds it, or at all.
func undisplayed(name string) bool {
	switch name {
	case "details", "template", "script", "style", "title", "head", "noscript", "noembed", "noframes", "datalist", "dialog",
		"progress", "meter", "colgroup", "frameset", "object", "iframe", "audio", "video", "canvas", "svg", "math", "applet", "textarea", "select", "optgroup", "option", "rp":
		return true
	}
	return false
}

// void are the elements without content.
func void(name string) bool {
	switch name {
	case "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr":
		return true
	}
	return false
}

// raw are the elements whose content has no tags.
func raw(name string) bool {
	return name == "script" || name == "style" || name == "textarea" || name == "title"
}

// conceals reports whether a tag hides its element.
func (t *tag) conceals() bool {
	folded := undisplayed(t.name)
	if ink := t.value("color"); ink != "" && alike(ink, t.value("bgcolor")) {
		return true
	}
	for _, a := range t.attributes {
		switch {
		case a.name == "open" && (t.name == "details" || t.name == "dialog"):
			folded = false
		case a.name == "hidden", a.name == "popover", a.name == "style" && styleConceals(a.value), a.name == "class" && classConceals(a.value),
			a.name == "color" && pale(strings.ToLower(a.value)), t.name == "font" && a.name == "size" && a.value == "0":
			return true
		}
	}
	return folded
}

// value is that of an attribute, in lower case, "" for none.
func (t *tag) value(name string) string {
	for _, a := range t.attributes {
		if a.name == name {
			return strings.ToLower(a.value)
		}
	}
	return ""
}

// styleConceals reports whether a style makes text invisible.
func styleConceals(style string) bool {
	if strings.IndexByte(style, '\\') >= 0 {
		return true // an escape in a name: visible text needs none
	}
	style = withoutComments(style)
	ink, paper := "", ""
	for declaration := range strings.SplitSeq(style, ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name = strings.ToLower(strings.TrimSpace(name))
		value = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(strings.ToLower(value)), "!important"))
		switch name {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility", "content-visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "opacity", "max-height", "max-width", "height", "width", "line-height", "zoom", "scale":
			if zero(value) || tiny(value) {
				return true
			}
		case "font-size", "font":
			if zero(value) || tiny(value) || small(value) {
				return true
			}
		case "color", "-webkit-text-fill-color":
			if ink = value; pale(value) {
				return true
			}
		case "background", "background-color":
			paper = value
		case "text-indent", "left", "top", "right", "bottom", "margin-left", "margin-top", "letter-spacing":
			if strings.HasPrefix(value, "-") && len(strings.TrimRight(value, "abcdefghijklmnopqrstuvwxyz%")) > 4 {
				return true
			}
		case "clip", "clip-path", "mask", "transform", "filter", "-webkit-text-security":
			return true
		}
	}
	return ink != "" && alike(ink, paper)
}

// tiny reports whether a value is at most a tenth of what it is of, or of a pixel.
func tiny(value string) bool {
	n, unit, ok := measure(value)
	return ok && (n <= 0.1 && unit != "%" || n <= 10 && unit == "%" || n < 1 && (unit == "px" || unit == "pt" || unit == "mm"))
}

// small reports whether a size of letters is too small to read.
func small(value string) bool {
	n, unit, ok := measure(value)
	switch unit {
	case "px", "pt":
		return ok && n <= 3
	case "em", "rem", "ex", "ch":
		return ok && n <= 0.25
	case "%":
		return ok && n <= 25
	}
	return false
}

// measure is the first number with a unit in a value.
func measure(value string) (n float64, unit string, ok bool) {
	for word := range strings.FieldsSeq(strings.ReplaceAll(value, "/", " ")) {
		number := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz%")
		if n, err := strconv.ParseFloat(number, 64); err == nil && (word != number || value == word) {
			return n, word[len(number):], true
		}
	}
	return 0, "", false
}

func withoutComments(style string) string {
	for {
		before, rest, ok := strings.Cut(style, "/*")
		if !ok {
			return style
		}
		_, after, _ := strings.Cut(rest, "*/")
		style = before + after
	}
}

// zero reports whether a value is too small to be visible.
func zero(value string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(value), " ")
	number := strings.TrimRight(first, "abcdefghijklmnopqrstuvwxyz%")
	if number == "" {
		return false
	}
	return strings.Trim(number, "0.+-") == "" || strings.HasPrefix(number, "0.0") || strings.HasPrefix(number, ".0")
}

// unseenClasses are the classes by which common style sheets hide text.
var unseenClasses = []string{"hidden", "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "d-none", "invisible"}

func classConceals(list string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(list)), func(c string) bool { return slices.Contains(unseenClasses, c) })
}

// speaks reports whether an attribute's value is text for a reader.
func (a *attribute) speaks() bool {
	words := len(strings.Fields(a.value))
	switch a.name {
	case "title", "alt", "summary", "label", "placeholder", "content", "abbr", "aria-label", "aria-description":
		return words > 1 || a.name == "title" && words > 0
	case "style":
		return false
	case "class", "rel", "srcset", "sizes", "points", "d", "viewbox":
		return words > 8
	case "href", "src", "id", "name":
		return words > 2
	}
	return words > 1
}
