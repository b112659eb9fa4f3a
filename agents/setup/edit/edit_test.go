package edit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/agents/host"
	"handoff/agents/setup/edit"
	"handoff/agents/skill"
	"handoff/internal/text/managed"
)

func named(name string) host.Host {
	h, _ := host.Named(name)
	return h
}

var (
	claude = edit.Hooks{Host: named("claude"), Handler: `{"type":"command","command":$COMMAND,"timeout":$TIMEOUT}`, Grouped: true}
	cursor = edit.Hooks{Host: named("cursor"), Handler: `{"command":$COMMAND,"timeout":$TIMEOUT}`, With: []edit.Member{{Name: "version", JSON: "1"}}}
	server = edit.Server{Path: []string{"mcpServers", "handoff"}, Entry: `{"command":"handoff","args":["mcp"]}`}
	schema = edit.Server{Path: []string{"mcp", "handoff"}, Entry: `{"command":["handoff","mcp"]}`, With: []edit.Member{{Name: "$schema", JSON: `"x"`}}}
	block  = edit.Block{Block: managed.Block{Begin: skill.BlockBegin, End: skill.BlockEnd}, Lines: skill.Block()}
	whole  = edit.Whole{Content: "text\n", Start: "<!-- ", End: " -->"}
	exact  = edit.Exact{Content: "{}\n"}
	listed = edit.Element{Path: []string{"plugin"}, Entry: `"./handoff.ts"`}
	typed  = edit.Template{Path: []string{"command", "pickup"}, About: "it \"continues\"", Whole: whole}
)

// drawJSON is settings of a user in any layout, with containers that exist and are
// empty, and hooks of other programs.
func drawJSON(t *rapid.T) string {
	eol := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol")
	space := func() string {
		return rapid.SampledFrom([]string{"", " ", "\t", eol, eol + "    ", " // note" + eol, "/* , */"}).Draw(t, "space")
	}
	list := func(open, end string, items ...string) string {
		text := open + space()
		for i, item := range items {
			text += item + space()
			if i < len(items)-1 || rapid.Bool().Draw(t, "trailing comma") {
				text += "," + space()
			}
		}
		return text + end
	}
	some := func(items ...string) (kept []string) {
		for _, item := range items {
			if rapid.Bool().Draw(t, "kept") {
				kept = append(kept, item)
			}
		}
		return kept
	}
	group := list("{", "}", `"matcher": ""`, `"hooks": [{"type": "command", "command": "other hook x"}]`)
	events := list("{", "}", some(`"SessionStart":`+list("[", "]", some(group)...), `"stop":`+list("[", "]"), `"PreToolUse": [ ]`)...)
	root := list("{", "}", some(`"version": 1`, `"hooks": `+events, `"a": [1, 2.0]`, `"mcpServers":`+list("{", "}", some(`"other": {}`)...), `"z": null`)...)
	return rapid.SampledFrom([]string{"", "\ufeff"}).Draw(t, "bom") + space() + root + space()
}

// drawTOML is a configuration of Codex.
func drawTOML(t *rapid.T) string {
	some := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"[features]\nweb = true\n", "[features] # mine\n", "[mcp_servers.other]\ncommand = \"x\"\n", "[a.\"b c\"]\ntext = \"\"\"\n[tool]\n\"\"\"\n", "[[list]]\n# [features]\n",
	}), 0, 4, func(s string) string { return s[:6] }).Draw(t, "tables")
	top := rapid.SampledFrom([]string{"", "model = \"x\" # note\n", "\n\n", "# nothing\n"}).Draw(t, "top")
	if !strings.Contains(strings.Join(some, ""), "[features]") {
		top += rapid.SampledFrom([]string{"", "features.web = true\n"}).Draw(t, "dotted")
	}
	text := top + strings.Join(some, "\n")
	text = strings.TrimSuffix(text, rapid.SampledFrom([]string{"", "\n"}).Draw(t, "cut"))
	return strings.ReplaceAll(text, "\n", rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "eol"))
}

func drawText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"# T", "\n", "\r\n", "\n\n", "text", "\ufeff"}), 0, 8).Draw(t, "lines"), "")
}

// TestRoundTrip installs in any file: installing again changes nothing, and removing
// gives the file back byte for byte.
func TestRoundTrip(t *testing.T) {
	for name, c := range map[string]struct {
		edits []edit.Edit // in one file
		draw  func(*rapid.T) string
	}{
		"claude":            {[]edit.Edit{claude}, drawJSON},
		"cursor":            {[]edit.Edit{cursor}, drawJSON},
		"server":            {[]edit.Edit{server}, drawJSON},
		"a schema":          {[]edit.Edit{schema}, drawJSON},
		"hooks and server":  {[]edit.Edit{claude, server}, drawJSON},
		"codex":             {[]edit.Edit{edit.Codex{}}, drawTOML},
		"block":             {[]edit.Edit{block}, drawText},
		"a file of theirs":  {[]edit.Edit{whole}, drawText},
		"a manifest theirs": {[]edit.Edit{exact}, drawText},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				before := edit.Text{Bytes: c.draw(t), Exists: true}
				if rapid.IntRange(0, 9).Draw(t, "no file") == 0 {
					before = edit.Text{}
				}
				with := before
				for range 2 {
					last := with
					for _, e := range c.edits {
						with = must(t, e.Add, with)
					}
					if last != before && with != last {
						t.Fatalf("%q became %q the second time", last.Bytes, with.Bytes)
					}
				}
				after := with
				for i := len(c.edits) - 1; i >= 0; i-- {
					after = must(t, c.edits[i].Cut, after)
				}
				if after != before {
					t.Fatalf("%+v became %q and then %+v", before, with.Bytes, after)
				}
			})
		})
	}
}

func must(t interface{ Fatalf(string, ...any) }, do func(edit.Text) (edit.Text, string, error), text edit.Text) edit.Text {
	after, _, err := do(text)
	if err != nil {
		t.Fatalf("%q: %v", text.Bytes, err)
	}
	return after
}

// Others may change a file after the installation: only our entries are removed.
func TestCutAfterChanges(t *testing.T) {
	installed := must(t, claude.Add, edit.Text{Bytes: "{\n  \"model\": \"x\"\n}\n", Exists: true}).Bytes
	for name, c := range map[string]struct{ old, new, want string }{
		"a hook of the user before ours": {
			`"Stop": [`, `"Stop": [ {"hooks": [{"command": "mine"}]},`,
			"{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [ {\"hooks\": [{\"command\": \"mine\"}]}\n    ]\n  }\n}\n"},
		"a hook of the user in our group": {
			`handoff hook stop --host claude ; exit 0",`, `handoff hook stop --host claude ; exit 0"}, {"command": "mine",`,
			"{\n  \"model\": \"x\",\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [ {\"command\": \"mine\",\n            \"timeout\": 10\n          }\n        ]\n      }\n    ]\n  }\n}\n"},
		"other settings": {`"model": "x"`, `"model": "y", "z": 1`, "{\n  \"model\": \"y\", \"z\": 1\n}\n"},
		"other timeouts": {`"timeout": 10`, `"timeout": 99`, "{\n  \"model\": \"x\"\n}\n"},
	} {
		changed := strings.ReplaceAll(installed, c.old, c.new)
		if got := must(t, claude.Cut, edit.Text{Bytes: changed, Exists: true}).Bytes; changed == installed || got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// Hooks of an older version are replaced, those that the user wrote are not.
func TestOlderHooks(t *testing.T) {
	old := edit.Text{Bytes: `{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "handoff hook session-start --host claude", "timeout": 7}]}],
  "Gone": [{"hooks": [{"type": "command", "command": "handoff hook gone --host claude"}]}],
  "PreCompact": [{"hooks": [{"type": "command", "command": "handoff hook pre-compact --host claude ; exit 0", "timeout": 10}]}],
  "PostCompact": [{"hooks": [{"type": "command", "command": "type handoff && handoff hook post-compact --host claude"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "/opt/handoff hook stop --host claude"}]}]}}`, Exists: true}
	got := must(t, claude.Add, old).Bytes
	if strings.Contains(got, `"timeout": 7`) || strings.Contains(got, "Gone\": [{") || strings.Count(got, "hook session-start") != 1 {
		t.Errorf("the old ones are there: %s", got)
	}
	if strings.Count(got, "handoff hook ") != strings.Count(got, "exec 2>/dev/null; handoff hook ")+2 || strings.Count(got, "pre-compact --host claude ; exit 0") != 1 {
		t.Errorf("lines without the words that make them quiet: %s", got)
	}
	if strings.Count(got, "hook post-compact") != 1 || strings.Count(got, "hook stop --host") != 1 || !strings.Contains(got, "/opt/handoff hook stop") {
		t.Errorf("the user's own is doubled or gone: %s", got)
	}
}

func TestServerOfTheUser(t *testing.T) {
	for src, left := range map[string]bool{
		`{"mcpServers": {"handoff": {"command": "handoff", "args": ["mcp"], "env": {"A": "b"}}}}`: false,
		`{"mcpServers": {"handoff": {"command": "/opt/handoff.exe", "args": ["mcp"]}}}`:           false,
		`{"mcpServers": {"handoff": {"command": ["handoff", "mcp"]}}}`:                            false,
		`{"mcpServers": {"handoff": {"url": "https://example.com"}}}`:                             true,
	} {
		text := edit.Text{Bytes: src, Exists: true}
		if after, why, err := server.Add(text); after != text || (why != "") != left || err != nil {
			t.Errorf("%s: %q, %q, %v", src, after.Bytes, why, err)
		}
		if after, _, err := server.Cut(text); after != text || err != nil {
			t.Errorf("%s is removed: %q, %v", src, after.Bytes, err)
		}
	}
}

func TestWholeChanged(t *testing.T) {
	made := must(t, whole.Add, edit.Text{})
	for name, c := range map[string]struct {
		src       string
		cut, left bool
	}{
		"as written":         {made.Bytes, true, false},
		"CRLF of a checkout": {strings.ReplaceAll(made.Bytes, "\n", "\r\n"), true, false},
		"edited":             {"more " + made.Bytes, false, true},
		"of somebody else":   {"text\n", false, false},
	} {
		text := edit.Text{Bytes: c.src, Exists: true}
		after, why, err := whole.Cut(text)
		if err != nil || after.Exists == c.cut || (why != "") != c.left {
			t.Errorf("%s: %+v, %q, %v", name, after, why, err)
		}
	}
	newer := whole
	newer.Content = "newer\n"
	if after := must(t, newer.Add, made); !strings.HasPrefix(after.Bytes, "newer\n") {
		t.Errorf("an older version stays: %q", after.Bytes)
	}
	if after, why, _ := newer.Add(edit.Text{Bytes: "mine\n", Exists: true}); after.Bytes != "mine\n" || why == "" {
		t.Errorf("a file of the user is replaced: %q", after.Bytes)
	}
}

func TestCodex(t *testing.T) {
	for name, c := range map[string]struct{ src, want string }{
		"features of the user": {
			"[features]\nweb = true\n",
			"[features]\nhooks = true # handoff setup\nweb = true\n\n# handoff:begin v1\n[mcp_servers.handoff]\ncommand = \"handoff\"\nargs = [\"mcp\"]\nenv_vars = [\"HANDOFF_CLAIM\"]\n# handoff:end\n"},
		"a feature with a dot": {
			"features.web = true\r\n",
			"features.web = true\r\nfeatures.hooks = true # handoff setup\r\n\r\n# handoff:begin v1\r\n[mcp_servers.handoff]\r\ncommand = \"handoff\"\r\nargs = [\"mcp\"]\r\nenv_vars = [\"HANDOFF_CLAIM\"]\r\n# handoff:end\r\n"},
		"hooks are on": {
			"[features]\nhooks = true",
			"[features]\nhooks = true\n\n# handoff:begin v1\n[mcp_servers.handoff]\ncommand = \"handoff\"\nargs = [\"mcp\"]\nenv_vars = [\"HANDOFF_CLAIM\"]\n# handoff:end"},
		"a server of the user": {
			"[mcp_servers.handoff]\nurl = \"x\"\n",
			"[mcp_servers.handoff]\nurl = \"x\"\n\n# handoff:begin v1\n[features]\nhooks = true\n# handoff:end\n"},
	} {
		if got := must(t, edit.Codex{}.Add, edit.Text{Bytes: c.src, Exists: true}).Bytes; got != c.want {
			t.Errorf("%s:\n%q, want\n%q", name, got, c.want)
		}
	}
	for src, want := range map[string]string{
		"a = 1\nb = \n":                                   "2:",
		"features = { web = true }\n":                     "add hooks = true",
		"mcp_servers = { x = {} }\n":                      "add hooks = true",
		"[features]\nhooks = false\n":                     "switched off",
		"t = '''\n[features]\n'''\n[features.x]\ny = 1\n": "add hooks = true",
	} {
		text := edit.Text{Bytes: src, Exists: true}
		after, why, err := edit.Codex{}.Add(text)
		if err != nil {
			why = err.Error()
		}
		if after != text || !strings.Contains(why, want) {
			t.Errorf("%q became %q: %q, want %q", src, after.Bytes, why, want)
		}
	}
}

// TestExactOfAnotherVersion: a file of an earlier version is brought up to date and removed, one
// that differs elsewhere stays.
func TestExactOfAnotherVersion(t *testing.T) {
	now := edit.Exact{Content: "{\n  \"version\": \"2\",\n  \"a\": 1\n}\n", Version: `  "version": `}
	for _, c := range []struct {
		text string
		ours bool
	}{
		{now.Content, true},
		{strings.ReplaceAll(now.Content, "\n", "\r\n"), true},
		{strings.ReplaceAll(now.Content, `"2"`, `"1.0.0"`), true},
		{strings.ReplaceAll(now.Content, `"a": 1`, `"a": 2`), false},
		{strings.ReplaceAll(now.Content, "  \"version\": \"2\",\n", ""), false},
		{"", false},
	} {
		old := edit.Text{Bytes: c.text, Exists: true}
		added, problem, err := now.Add(old)
		if err != nil || (problem == "") != c.ours || c.ours && strings.ReplaceAll(added.Bytes, "\r\n", "\n") != now.Content || !c.ours && added != old {
			t.Errorf("add to %q: %q, %q, %v", c.text, added.Bytes, problem, err)
		}
		if cut, _, err := now.Cut(old); err != nil || cut.Exists == c.ours {
			t.Errorf("cut from %q: %+v, %v", c.text, cut, err)
		}
	}
}

// TestTemplate: a command in JSON is replaced by that of another version, and stays if it is the user's.
func TestTemplate(t *testing.T) {
	older := typed
	older.Whole.Content = "older\n"
	before := edit.Text{Bytes: "{\r\n  \"command\": {\"other\": {}}, // mine\r\n}", Exists: true}
	had := must(t, older.Add, before)
	now := must(t, typed.Add, had)
	if !strings.Contains(now.Bytes, `"template": "text\n<!-- handoff setup: sha256 `) || strings.Contains(now.Bytes, "older") {
		t.Errorf("%s", now.Bytes)
	}
	if after := must(t, typed.Cut, now); after != before {
		t.Errorf("%q", after.Bytes)
	}
	for _, template := range []string{"Continue with handoff.", strings.ReplaceAll(typed.Whole.Content, "text", "changed") + "<!-- handoff setup: sha256 0000000000000000 -->\n"} {
		mine := edit.Text{Bytes: `{"command": {"pickup": {"template": ` + quoted(template) + `}}}`, Exists: true}
		if after, why, err := typed.Add(mine); after != mine || why == "" || err != nil {
			t.Errorf("%q: %q, %v", after.Bytes, why, err)
		}
		if after, _, err := typed.Cut(mine); after != mine || err != nil {
			t.Errorf("%q: %v", after.Bytes, err)
		}
	}
}

func quoted(text string) string {
	src, _ := json.Marshal(text)
	return string(src)
}
