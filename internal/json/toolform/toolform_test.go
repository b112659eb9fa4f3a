package toolform

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

var forms = map[string]string{
	OpenAI:        `{"type":"function","function":{"name":"fetch","description":"Get <it>.","parameters":{"type":"object","properties":{"id":{"type":"string"}}}}}`,
	OpenResponses: `{"type":"function","name":"fetch","description":"Get <it>.","parameters":{"type":"object","properties":{"id":{"type":"string"}}}}`,
	Anthropic:     `{"name":"fetch","description":"Get <it>.","input_schema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
	MCP:           `{"name":"fetch","description":"Get <it>.","inputSchema":{"type":"object","properties":{"id":{"type":"string"}}}}`,
}

func compact(t *testing.T, v any) string {
	t.Helper()
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(out.String())
}

// TestForms reads each form and writes it in each.
func TestForms(t *testing.T) {
	for from, src := range forms {
		tools, err := Parse([]byte(src))
		if err != nil || len(tools) != 1 {
			t.Fatalf("%s: %v, %v", from, tools, err)
		}
		for to, want := range forms {
			got, lost, err := tools[0].In(to)
			if err != nil || compact(t, got) != want || len(lost) > 0 {
				t.Errorf("%s as %s: %v, %v\n got %s\nwant %s", from, to, err, lost, compact(t, got), want)
			}
		}
	}
	if _, _, err := (Tool{}).In("cohere"); err == nil {
		t.Error("there is a form for cohere")
	}
}

// TestLists reads definitions in all supported arrangements.
func TestLists(t *testing.T) {
	a, b := forms[Anthropic], strings.Replace(forms[OpenAI], "fetch", "other", 1)
	for name, src := range map[string]string{
		"list": "[" + a + "," + b + "]", "one after another": a + "\n" + b + "\n", "request": `{"model":"m","tools":[` + a + "," + b + "]}",
	} {
		tools, err := Parse([]byte(src))
		if err != nil || len(tools) != 2 || tools[0].Name != "fetch" || tools[1].Name != "other" {
			t.Errorf("%s: %+v, %v", name, tools, err)
		}
	}
	for _, bad := range []string{"", "[]", "nothing", "3", `[3]`, `{"name":"x"}`, `{"type":"function","function":{}}`, "[" + a + "," + a + "]"} {
		if tools, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, tools)
		}
	}
}

// TestMore: members that only one form has are kept in that form and reported for
// others.
func TestMore(t *testing.T) {
	tools, err := Parse([]byte(`[{"name":"a","input_schema":{},"cache_control":{"type":"ephemeral"}},{"type":"web_search"},{"type":"function","name":"b","parameters":{},"strict":true}]`))
	if err != nil {
		t.Fatal(err)
	}
	if got, lost, _ := tools[0].In(Anthropic); !strings.Contains(compact(t, got), "cache_control") || lost != nil {
		t.Errorf("%s, %v", compact(t, got), lost)
	}
	if got, lost, _ := tools[0].In(OpenAI); !slices.Equal(lost, []string{"cache_control"}) || compact(t, got) != `{"type":"function","function":{"name":"a","parameters":{}}}` {
		t.Errorf("%s, %v", compact(t, got), lost)
	}
	if got, _, _ := tools[1].In(Anthropic); compact(t, got) != `{"type":"web_search"}` {
		t.Error(compact(t, got))
	}
	if got, _, _ := tools[2].In(OpenAI); !strings.Contains(compact(t, got), `"strict":true`) {
		t.Error(compact(t, got))
	}
	if _, lost, _ := tools[2].In(MCP); !slices.Equal(lost, []string{"strict"}) {
		t.Error(lost)
	}
}
