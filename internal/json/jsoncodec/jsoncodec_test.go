package jsoncodec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/internal/json/jsontext"
)

// all has a field of each kind.
type all struct {
	Text, Later, Sparse, One string
	Omitted, Null            *string
	Number                   uint64
	U32                      uint32
	I32                      int32
	NullNumber               *uint64
	Bool                     bool
	Any, OmitAny, NullAny    json.RawMessage
	Texts, NullTexts         []string
	In                       point
	OmitIn                   *point
	List, OmitList           []point
	Good, OmitGood           string
}

type point struct{ X uint64 }

func (p *point) fields(c *Codec) { c.Number("x", &p.X) }

func (a *all) fields(c *Codec) {
	short := func(s string) bool { return len(s) < 5 }
	c.Text("text", &a.Text, "words")
	c.LaterText("later", &a.Later, "late")
	c.OmitEmptyText("sparse", &a.Sparse)
	c.OneOf("one", &a.One, "a", "b")
	c.OmitText("omitted", &a.Omitted)
	c.NullText("null", &a.Null)
	c.Number("number", &a.Number)
	c.Uint32("u32", &a.U32)
	c.Int32("i32", &a.I32)
	c.NullNumber("nullnumber", &a.NullNumber)
	c.Bool("bool", &a.Bool)
	c.Value("any", &a.Any)
	c.OmitValue("omitany", &a.OmitAny)
	c.NullValue("nullany", &a.NullAny)
	c.Texts("texts", &a.Texts)
	c.NullTexts("nulltexts", &a.NullTexts)
	Record(c, "in", &a.In, (*point).fields)
	OmitRecord(c, "omitin", &a.OmitIn, (*point).fields)
	Records(c, "list", &a.List, (*point).fields)
	OmitRecords(c, "omitlist", &a.OmitList, (*point).fields)
	c.TextAs("good", "a short text", &a.Good, short)
	c.OmitTextAs("omitgood", "a short text", &a.OmitGood, short)
}

const (
	least = `{"text":"","later":"","one":"a","null":null,"number":0,"u32":0,"i32":0,"nullnumber":null,"bool":false,` +
		`"any":null,"nullany":null,"texts":[],"nulltexts":null,"in":{"x":0},"list":[],"good":"g"}`
	full = `{"text":"<é>\n","later":"l","sparse":"s","one":"b","omitted":"","null":"n","number":18446744073709551615,` +
		`"u32":4294967295,"i32":-2147483648,"nullnumber":9007199254740993,"bool":true,"any":{"a":[1.50,-0]},"omitany":[],"nullany":1e5,` +
		`"texts":["","t"],"nulltexts":["u"],"in":{"x":1},"omitin":{"x":2},"list":[{"x":3},{"x":4}],"omitlist":[{"x":5}],"good":"g","omitgood":"o"}`
)

func TestRoundTrip(t *testing.T) {
	for _, src := range []string{least, full} {
		var a all
		if err := Read(jsontext.Strict, src, a.fields); err != nil {
			t.Fatal(err)
		}
		out, err := Write(jsontext.Strict, nil, a.fields)
		if err != nil || string(out) != src {
			t.Errorf("%v\n got %s\nwant %s", err, out, src)
		}
		if lenient := WriteAll(jsontext.Sound, nil, a.fields); string(lenient) != src {
			t.Errorf("got %s\nwant %s", lenient, src)
		}
		var again all
		python := string(WriteAll(jsontext.Python, nil, a.fields))
		if err := Read(jsontext.Python, python, again.fields); err != nil || !strings.Contains(python, `, "in": {"x": `) {
			t.Errorf("%v: %s", err, python)
		}
	}
}

// TestFields: the described fields are those that are written, and those that may be
// missing can be left out.
func TestFields(t *testing.T) {
	fields := Fields(new(all).fields)
	for _, f := range fields {
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(full), &members); err != nil || members[f.Name] == nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		delete(members, f.Name)
		src, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		err = Read(jsontext.Strict, string(src), new(all).fields)
		if may := f.Omitted || f.Null || f.Name == "later"; (err == nil) != may {
			t.Errorf("without %s: %v", f.Name, err)
		}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(full), &members); err != nil || len(members) != len(fields) {
		t.Errorf("%d fields are described, %d written, %v", len(fields), len(members), err)
	}
	properties := Schema(fields)["properties"].(map[string]any)
	want := map[string]any{"type": "array", "items": Schema([]Field{{Name: "x", How: "u64"}})}
	if got := properties["list"]; !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}

func TestProblems(t *testing.T) {
	with := func(old, new string) string {
		if !strings.Contains(full, old) {
			t.Fatal(old)
		}
		return strings.Replace(full, old, new, 1)
	}
	for src, want := range map[string]string{
		`[]`:                                            "column 1: is an array, want an object",
		`{"text":}`:                                     "column 9: '}': want a value",
		with(`"text":"<é>\n"`, `"text":1`):              "text: is 1, want text",
		with(`"text":`, `"words":"x","text":`):          "text: duplicate key",
		with(`"later":"l"`, `"late":null`):              "later: is null, want text",
		with(`"sparse":"s"`, `"sparse":null`):           "sparse: is null, want text",
		with(`"one":"b"`, `"one":"c"`):                  `one: is "c", want "a" or "b"`,
		with(`"one":"b"`, `"one":""`):                   `one: is empty, want "a" or "b"`,
		with(`4294967295`, `4294967296`):                "u32: is 4294967296, want a whole number from 0 to 4294967295",
		with(`-2147483648`, `-0`):                       "i32: is -0, want a whole number of 32 bits",
		with(`"bool":true`, `"bool":"true"`):            "bool: is text, want true or false",
		with(`"in":{"x":1}`, `"in":{"x":-1}`):           "in: x: is -1, want a whole number from 0 to 18446744073709551615",
		with(`"in":{"x":1}`, `"in":7`):                  "in: is 7, want an object",
		with(`{"x":4}`, `{"x":1.0}`):                    "list: x: is 1.0, want a whole number",
		with(`"omitlist":[{"x":5}]`, `"omitlist":null`): "omitlist: is null, want an array",
		with(`"good":"g"`, `"good":"too long"`):         `good: is "too long", want a short text`,
	} {
		if err := Read(jsontext.Strict, src, new(all).fields); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", src, err, want)
		}
	}
}

func TestReadAll(t *testing.T) {
	src := strings.Replace(full, `{"x":3},{"x":4}`, `{"y/~":3},5`, 1)
	root, err := jsontext.Plain.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	ReadAll(src, root, func(p *Problem) { got = append(got, p.Where.String()+" "+src[p.Offset:p.Offset+1]+" "+p.Text) }, func(c *Codec) {
		new(all).fields(c)
		c.Complain("u32", "is odd")
	})
	want := []string{
		"/list/0/x { is missing, want a whole number from 0 to 18446744073709551615",
		"/list/1 5 is 5, want an object",
		"/u32 4 is odd",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if p := (*Place)(nil).Member("a/~b").At(2).String(); p != "/a~1~0b/2" {
		t.Error(p)
	}
}

// TestLastWins: of duplicate names Python takes the last.
func TestLastWins(t *testing.T) {
	var p point
	if err := Read(jsontext.Python, `{"x":1,"x":2}`, p.fields); err != nil || p.X != 2 {
		t.Error(p, err)
	}
}

func TestWriteRefuses(t *testing.T) {
	write := func(fields func(*Codec)) error {
		_, err := Write(jsontext.Strict, nil, fields)
		return err
	}
	deep := json.RawMessage(strings.Repeat("[", 127) + strings.Repeat("]", 127))
	for want, fields := range map[string]func(*Codec){
		"a: is not UTF-8":                          func(c *Codec) { c.Text("a", new("\xff")) },
		"b: is not UTF-8":                          func(c *Codec) { c.Texts("b", &[]string{"", "\xff"}) },
		"d: column 2: end of the text":             func(c *Codec) { c.Value("d", new(json.RawMessage("["))) },
		"e: column 127: nested more than 127 deep": func(c *Codec) { c.Value("e", &deep) }, // within the object
		"f: column 1: duplicate key \"a\"":         func(c *Codec) { c.Value("f", new(json.RawMessage(`{"a":1,"a":2}`))) },
	} {
		if err := write(fields); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	bad := json.RawMessage("{\xff")
	if got := WriteAll(jsontext.Sound, nil, func(c *Codec) { c.Value("a", &bad) }); string(got) != "{\"a\":{\ufffd}" {
		t.Errorf("%s", got)
	}
}
