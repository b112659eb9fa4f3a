package lsp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// readAll reads all frames of a stream: contents, and the text of each error.
func readAll(in string) (list []string, last error) {
	for r := newFrameReader(strings.NewReader(in)); ; {
		content, err := r.next()
		var bad frameError
		switch {
		case errors.As(err, &bad):
			list = append(list, "bad")
		case err != nil:
			return list, err
		default:
			list = append(list, string(content))
		}
	}
}

func TestFrames(t *testing.T) {
	for in, want := range map[string]string{
		"":                            `[] EOF`,
		"\r\n\r\n":                    `[] EOF`,
		"Content-Length: 2\r\n\r\n{}": `["{}"] EOF`,
		"content-length:2\n\n{}":      `["{}"] EOF`,
		"Content-Length: 0\r\n\r\n":   `[""] EOF`,
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}": `["{}"] EOF`,
		"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{ }":                                `["{}" "{ }"] EOF`,
		"Content-Length: x\r\n\r\n{}Content-Length: 3\r\n\r\n{ }":                                `["bad" "{ }"] EOF`,
		"Content-Length: -1\r\n\r\nContent-Length: 2\r\n\r\n{}":                                  `["bad" "{}"] EOF`,
		"Content-Length: 99999999999999999999\r\n\r\n{}\r\nContent-Length: 3\r\n\r\n{ }":         `["bad" "{ }"] EOF`,
		"Content-Length: 2":                    `[] unexpected EOF`,
		"Content-Length: 2\r\n":                `[] unexpected EOF`,
		"Content-Length: 5\r\n\r\n{}":          `[] unexpected EOF`,
		"Content-Length: 5000000000\r\n\r\n{}": `[] unexpected EOF`,
		strings.Repeat("x", 3*maxHeader) + "\r\nContent-Length: 2\r\n\r\n{}": `["{}"] EOF`,
	} {
		list, err := readAll(in)
		if got := fmt.Sprintf("%q %v", list, err); got != want {
			t.Errorf("%.60q: %s, want %s", in, got, want)
		}
	}
}

// TestLargeFrame skips a frame that is too large, and reads the next one.
func TestLargeFrame(t *testing.T) {
	in := io.MultiReader(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n", maxFrame+1)),
		bytes.NewReader(make([]byte, maxFrame+1)), strings.NewReader("Content-Length: 2\r\n\r\n{}"))
	r := newFrameReader(in)
	if _, err := r.next(); !errors.As(err, new(frameError)) {
		t.Errorf("%v", err)
	}
	if content, err := r.next(); string(content) != "{}" || err != nil {
		t.Errorf("%q, %v", content, err)
	}
}

// FuzzFrames: reading any bytes ends, and a frame after them is read if they end with an
// empty line and were not the content of another frame.
func FuzzFrames(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}", "{}")
	f.Add("Content-Length: x\r\n\r\n", "[1]")
	f.Add("\r\n\r\nContent-Length: 7", "")
	f.Fuzz(func(t *testing.T, junk, content string) {
		readAll(junk)
		var frame bytes.Buffer
		if err := writeFrame(&frame, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if list, err := readAll(frame.String()); err != io.EOF || len(list) != 1 || list[0] != content {
			t.Errorf("%q: %q, %v", content, list, err)
		}
		if strings.Contains(strings.ToLower(junk), "content-length") {
			return
		}
		list, err := readAll(junk + "\n\n" + frame.String())
		if err != io.EOF || len(list) == 0 || list[len(list)-1] != content {
			t.Errorf("after %q: %q, %v", junk, list, err)
		}
	})
}
