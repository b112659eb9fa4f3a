package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"handoff"
)

// ParseBaseline reads what [Baseline.Bytes] wrote. It takes nothing it does
// not know: a baseline that is misread hides findings. Errors begin with
// "name:line:column:", columns in bytes, and are [handoff.ErrInvalid].
func ParseBaseline(name string, src []byte) (*Baseline, error) {
	r := baselineReader{name: name, src: src, dec: json.NewDecoder(bytes.NewReader(src))}
	if err := r.wellFormed(); err != nil {
		return nil, err
	}
	r.dec.UseNumber()
	version, files := false, false
	err := r.object("a baseline", func(key string) error {
		switch key {
		case "version":
			version = true
			return r.version()
		case "files":
			files = true
			return r.files()
		}
		return r.errorf("unknown key %q (version, files)", key)
	})
	switch {
	case err != nil:
		return nil, err
	case !version:
		return nil, r.errorAt(0, "no version: write \"version\": %d", baselineVersion)
	case !files:
		return nil, r.errorAt(0, "no files: write \"files\": {}")
	}
	return &r.out, nil
}

// baselineReader walks JSON that is known to be well-formed, so that tokens
// come without errors and only their meaning is left to check.
type baselineReader struct {
	name string
	src  []byte
	dec  *json.Decoder
	at   int // byte at which the last token began
	out  Baseline
}

func (r *baselineReader) wellFormed() error {
	for at := 0; at < len(r.src); {
		c, size := utf8.DecodeRune(r.src[at:])
		if c == utf8.RuneError && size == 1 {
			return r.errorAt(at, "byte %#x is no UTF-8", r.src[at])
		}
		at += size
	}
	var raw json.RawMessage
	err := json.Unmarshal(r.src, &raw)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return r.errorAt(int(syntax.Offset)-1, "%v", syntax)
	}
	return err
}

func (r *baselineReader) version() error {
	v, ok := r.next().(json.Number)
	if n, err := strconv.Atoi(string(v)); !ok || err != nil || n != baselineVersion {
		return r.errorf("version is not %d: a newer handoff may know it", baselineVersion)
	}
	return nil
}

func (r *baselineReader) files() error {
	return r.object("files", func(path string) error {
		return r.object("a file", func(rule string) error {
			v, ok := r.next().(json.Number)
			n, err := strconv.Atoi(string(v))
			if !ok || err != nil || n < 1 {
				return r.errorf("count of %q is no whole number above 0", rule)
			}
			r.out.set(path, rule, n)
			return nil
		})
	})
}

// object reads an object and calls member behind each key.
func (r *baselineReader) object(what string, member func(key string) error) error {
	if r.next() != json.Delim('{') {
		return r.errorf("%s is no object: write {…}", what)
	}
	seen := map[string]bool{}
	for r.dec.More() {
		key := r.next().(string)
		if seen[key] {
			return r.errorf("%q stands here twice", key)
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	r.next() // the closing brace
	return nil
}

func (r *baselineReader) next() json.Token {
	r.at = int(r.dec.InputOffset())
	for r.at < len(r.src) && bytes.IndexByte([]byte(" \t\r\n,:"), r.src[r.at]) >= 0 {
		r.at++
	}
	token, err := r.dec.Token()
	if err != nil {
		panic(err) // wellFormed has read it all
	}
	return token
}

func (r *baselineReader) errorf(format string, args ...any) error {
	return r.errorAt(r.at, format, args...)
}

func (r *baselineReader) errorAt(at int, format string, args ...any) error {
	before := r.src[:min(max(at, 0), len(r.src))]
	line := bytes.Count(before, []byte("\n")) + 1
	col := len(before) - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("%s:%d:%d: %w: %s", r.name, line, col, handoff.ErrInvalid, fmt.Sprintf(format, args...))
}
