package bundle

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// FuzzParseHandoff: an accepted document is JSON, decodes to the same value before
// and after (except for nulls, which may be added or left out), and has one byte
// form. A rejected document has a problem with a place.
func FuzzParseHandoff(f *testing.F) {
	f.Add([]byte(ripHandoff))
	f.Add([]byte(ripContext))
	f.Add([]byte(`{"schema":"rip.handoff_context_bundle.v1","summary_markdown":"\ud83d\ude00\u0000","x":[1e400,{"y":null}],"refs":{"threads":[{"thread_id":"t","seq":18446744073709551615}],"artifacts":[],"files":[{"path":"a/b"}]}}`))
	f.Add([]byte(`{"schema":"\ud800","refs":{"threads":[{}],"threads":[[]]}}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		h, err := ParseHandoff(src)
		if err != nil {
			for _, p := range err.(*Invalid).Problems {
				if p.Line < 1 || p.Column < 1 || p.Text == "" {
					t.Errorf("%+v", p)
				}
			}
			return
		}
		once := h.Bytes()
		if before, after := meaning(t, src), meaning(t, once); !reflect.DeepEqual(before, after) {
			t.Errorf("%v became %v", before, after)
		}
		again, err := ParseHandoff(once)
		if err != nil || !reflect.DeepEqual(again, h) || !bytes.Equal(again.Bytes(), once) {
			t.Errorf("%v\n%s\n%s", err, once, again.Bytes())
		}
	})
}

func meaning(t *testing.T, src []byte) any {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return withoutNulls(v)
}

func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			if v[name] = withoutNulls(member); member == nil {
				delete(v, name)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}
