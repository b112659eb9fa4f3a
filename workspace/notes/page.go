package notes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"
)

// page is the file with the states of all sessions. A hook asks for one of up to
// [maxSessions], so the entries stay encoded: decoding and encoding all of them takes 6
// ms, longer than everything else that a hook does.
type page []item

// item is an entry of the file: its key, in quotes as in the file, and its JSON.
type item struct{ key, text []byte }

// The lines of a file around its entries, as [page.bytes] writes them.
const (
	opening   = "{\n \"sessions\": {\n"
	closing   = "\n }\n}\n"
	keyBegins = "  \""
	keyEnds   = "\": {\n"
	entryEnds = "\n  }"
	between   = ",\n"
)

// parse splits a file. What page.bytes wrote is split at its lines, anything else is decoded.
func parse(src []byte) (p page, err error) {
	if p, ok := split(src); ok {
		return p, nil
	}
	var file struct {
		Sessions map[string]json.RawMessage `json:"sessions"`
	}
	if err := json.Unmarshal(src, &file); err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(file.Sessions)) {
		var text bytes.Buffer
		if err := json.Indent(&text, file.Sessions[key], "  ", " "); err != nil {
			return nil, err
		}
		p = append(p, item{quoted(key), text.Bytes()})
	}
	return p, nil
}

func split(src []byte) (p page, ok bool) {
	rest, ok := bytes.CutPrefix(src, []byte(opening))
	if !ok {
		return nil, false
	}
	for {
		key := bytes.Index(rest, []byte(keyEnds))
		end := bytes.Index(rest, []byte(entryEnds))
		if !bytes.HasPrefix(rest, []byte(keyBegins)) || key < 0 || end < key {
			return nil, false
		}
		begin := key + len("\": ")
		end += len(entryEnds)
		p = append(p, item{rest[len("  ") : key+1], rest[begin:end]})
		rest = rest[end:]
		if string(rest) == closing {
			return p, true
		}
		if rest, ok = bytes.CutPrefix(rest, []byte(between)); !ok {
			return nil, false
		}
	}
}

// quoted is a key as spelled in the file.
func quoted(key string) []byte {
	text, _ := json.Marshal(key) // a string always can be
	return text
}

// entry is the entry of a session; the zero value if it has none.
func (p page) entry(key string) (e entry, err error) {
	if i := p.index(quoted(key)); i >= 0 {
		if err = json.Unmarshal(p[i].text, &e); err != nil {
			return entry{}, fmt.Errorf("%s: %w", key, err)
		}
	}
	return e, nil
}

func (p page) index(key []byte) int {
	return slices.IndexFunc(p, func(i item) bool { return bytes.Equal(i.key, key) })
}

// set changes the entry of a session. If there are too many, the ones that were changed
// last are kept.
func (p page) set(key string, e entry) (page, error) {
	text, err := json.MarshalIndent(e, "  ", " ")
	if err != nil {
		return nil, err
	}
	one := item{quoted(key), text}
	if i := p.index(one.key); i >= 0 {
		p[i] = one
	} else {
		p = append(p, one)
	}
	if len(p) > maxSessions {
		return p.latest()
	}
	return p, nil
}

// latest keeps the entries that were changed last.
func (p page) latest() (page, error) {
	at := map[string]time.Time{}
	for _, i := range p {
		var e entry
		if err := json.Unmarshal(i.text, &e); err != nil {
			return nil, fmt.Errorf("%s: %w", i.key, err)
		}
		at[string(i.key)] = e.At
	}
	slices.SortFunc(p, func(x, y item) int {
		return cmp.Or(at[string(y.key)].Compare(at[string(x.key)]), bytes.Compare(x.key, y.key))
	})
	return p[:min(len(p), keptSessions)], nil
}

// bytes is the file.
func (p page) bytes() []byte {
	var b bytes.Buffer
	b.WriteString(opening)
	for i, one := range p {
		if i > 0 {
			b.WriteString(between)
		}
		b.WriteString("  ")
		b.Write(one.key)
		b.WriteString(": ")
		b.Write(one.text)
	}
	b.WriteString(closing)
	return b.Bytes()
}
