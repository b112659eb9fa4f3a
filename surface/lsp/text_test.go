package lsp

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// units are the columns of a text by another way than the server's.
func unitsOf(s string, enc encoding) int {
	switch enc {
	case utf8Units:
		return len(s)
	case utf16Units:
		return len(utf16.Encode([]rune(s)))
	}
	return utf8.RuneCountInString(s)
}

const mixed = "a\té́ 👩‍👩‍👧 日本\r\n𝒳y\rlone\n\n" + "end 😀"

func TestPositions(t *testing.T) {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(mixed), "\n")
	for _, enc := range []encoding{utf8Units, utf16Units, utf32Units} {
		txt := newText(mixed, enc)
		if len(txt.starts) != len(lines) {
			t.Fatalf("%d lines, want %d", len(txt.starts), len(lines))
		}
		for n, line := range lines {
			if txt.line(n) != line {
				t.Errorf("line %d is %q, want %q", n, txt.line(n), line)
			}
			for i := range line + " " {
				p := position{n, unitsOf(line[:min(i, len(line))], enc)}
				if got := txt.offset(p); got != txt.starts[n]+i {
					t.Errorf("%s: %v is byte %d, want %d", enc, p, got, txt.starts[n]+i)
				}
				if got := txt.position(txt.starts[n] + i); got != p {
					t.Errorf("%s: byte %d is %v, want %v", enc, txt.starts[n]+i, got, p)
				}
			}
		}
	}
}

func TestPositionsOutOfRange(t *testing.T) {
	txt := newText("a😀b\r\nc", utf16Units)
	for p, want := range map[position]int{
		{0, 2}: 1,                                        // the second half of the pair
		{0, 3}: 5, {0, 4}: 6, {0, 5}: 6, {0, 1 << 30}: 6, // not in or after the line end
		{1, 0}: 8, {1, 1}: 9, {1, 99}: 9, {2, 0}: 9, {1 << 30, 1}: 9, {-1, 5}: 0, {0, -5}: 0,
	} {
		if got := txt.offset(p); got != want {
			t.Errorf("%v is byte %d, want %d", p, got, want)
		}
	}
	for offset, want := range map[int]position{-1: {0, 0}, 9: {1, 1}, 99: {1, 1}} {
		if got := txt.position(offset); got != want {
			t.Errorf("byte %d is %v, want %v", offset, got, want)
		}
	}
	if got := newText("", utf16Units).apply(change{Range: &textRange{position{3, 3}, position{1, 1}}, Text: "x"}).src; got != "x" {
		t.Errorf("%q", got)
	}
}

// TestLongLine asks for many positions in one long line, across the blocks of the sums.
func TestLongLine(t *testing.T) {
	line := strings.Repeat("é😀x", block)
	txt := newText("\n"+line, utf16Units)
	for i, want := 0, 0; i < len(line); {
		if got := txt.position(1 + i); got != (position{1, want}) {
			t.Fatalf("byte %d is %v, want %d", i, got, want)
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		want += utf16.RuneLen(r)
		i += size
	}
}

// utf16Text is a text as an editor in JavaScript keeps it, with its own idea of lines.
type utf16Text struct{ units []uint16 }

func (u utf16Text) offset(p position) int {
	at := 0
	for n := 0; n < p.Line; n++ {
		for at < len(u.units) && u.units[at] != '\n' && u.units[at] != '\r' {
			at++
		}
		if at == len(u.units) {
			return at
		}
		if u.units[at] == '\r' && at+1 < len(u.units) && u.units[at+1] == '\n' {
			at++
		}
		at++
	}
	for n := 0; n < p.Character && at < len(u.units) && u.units[at] != '\n' && u.units[at] != '\r'; n++ {
		at++
	}
	return at
}

// FuzzEdits: a text that gets an edit has the text of an editor that counts in UTF-16 and
// applies the same edit. Positions come from the fuzzer, and may be out of range.
func FuzzEdits(f *testing.F) {
	f.Add(mixed, "x\r\n", 0, 2, 1, 1)
	f.Add(mixed, "", 1, 0, 4, 99)
	f.Add("a😀\r", "\n", 0, 3, 1, 0)
	f.Fuzz(func(t *testing.T, src, insert string, line, char, endLine, endChar int) {
		src, insert = strings.ToValidUTF8(src, "?"), strings.ToValidUTF8(insert, "?")
		before := newText(src, utf16Units)
		in := func(n, most int) int { return max(n, -n, 0) % (most + 3) }
		start := position{in(line, len(before.starts)), in(char, len(src))}
		end := position{in(endLine, len(before.starts)), in(endChar, len(src))}
		if end.before(start) {
			start, end = end, start
		}
		editor := utf16Text{utf16.Encode([]rune(src))}
		from, to := editor.offset(start), editor.offset(end)
		if splits(editor.units, from) || splits(editor.units, to) {
			return // no editor sends half a character
		}
		want := string(utf16.Decode(editor.units[:from])) + insert + string(utf16.Decode(editor.units[to:]))
		after := before.apply(change{Range: &textRange{start, end}, Text: insert})
		if after.src != want {
			t.Fatalf("%q with %v to %v = %q is %q, want %q", src, start, end, insert, after.src, want)
		}
		edits := before.editTo(want)
		back := before
		for _, e := range edits {
			back = back.apply(change{Range: &e.Range, Text: e.Text})
		}
		if back.src != want || len(edits) > 1 {
			t.Errorf("the edit from %q to %q gives %q: %+v", src, want, back.src, edits)
		}
	})
}

func splits(units []uint16, at int) bool {
	return at > 0 && at < len(units) && units[at-1] >= 0xd800 && units[at-1] < 0xdc00 && units[at] >= 0xdc00 && units[at] < 0xe000
}

func TestEditTouchesOneLine(t *testing.T) {
	edits := newText("one\r\ntwo 😀\r\nthree\r\n", utf16Units).editTo("one\r\ntwo 😃\r\nthree\r\n")
	want := textEdit{textRange{position{1, 0}, position{2, 0}}, "two 😃\r\n"}
	if len(edits) != 1 || edits[0] != want {
		t.Errorf("%+v", edits)
	}
}

func TestPathOfURI(t *testing.T) {
	for _, c := range []struct {
		uri     string
		windows bool
		want    string
	}{
		{"file:///home/a%20b/%C3%A9.md", false, "/home/a b/é.md"},
		{"FILE:///x%23y%3Fz", false, "/x#y?z"},
		{"file://localhost/x", false, "/x"},
		{"file://server/share/x", false, ""},
		{"file:///c%3A/Users/x.md", true, "C:/Users/x.md"},
		{"file:///C:/Users/x.md", true, "C:/Users/x.md"},
		{"file://server/share/x.md", true, "//server/share/x.md"},
		{"file:///home/x", true, ""},
		{"untitled:Untitled-1", false, ""},
		{"git:/x/y.md?ref", false, ""},
		{"file:x.md", false, ""},
		{"file:///x%00.md", false, ""},
		{"file:///%zz", false, ""},
		{"", false, ""},
	} {
		got, ok := pathFrom(c.uri, c.windows)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q on windows=%v: %q, %v", c.uri, c.windows, got, ok)
		}
	}
	for path, want := range map[string]string{"/a b/é#.md": "file:///a%20b/%C3%A9%23.md", "C:/x y.md": "file:///C:/x%20y.md", "//server/share/x": "file://server/share/x"} {
		if got := uriOf(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestEncodingOf(t *testing.T) {
	for want, offered := range map[encoding][]string{utf8Units: {"utf-7", "utf-8", "utf-16"}, utf32Units: {"utf-32"}, utf16Units: nil} {
		if got := encodingOf(offered); got != want {
			t.Errorf("%v: %s", offered, got)
		}
	}
	if got := encodingOf([]string{"ebcdic"}); got != utf16Units {
		t.Errorf("an unknown encoding: %s", got)
	}
}
