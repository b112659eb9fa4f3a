package transcript

import (
	"encoding/json"
	"strings"
)

// scripted is the tool that a script of Codex calls: since 2026 the model writes JavaScript that calls
// tools, `const r = await tools.exec_command({cmd:"go test ./...",workdir:"/src"}); text(r.output)`. All
// of it has one result, so it is one call here, with all its commands. A script that calls no
// tool that is known stays a call of exec.
func scripted(id, script string) Tool {
	t := Tool{ID: id, Name: "exec"}
	var commands []string
	for rest := script; ; {
		_, after, ok := strings.Cut(rest, "tools.")
		if !ok {
			break
		}
		name, arguments, _ := strings.Cut(after, "(")
		rest = after
		if strings.ContainsAny(name, " \n;.") {
			continue
		}
		var in toolInput
		literal, _ := object(arguments)
		_ = json.Unmarshal([]byte(literal), &in) // arguments that are not written out name no file
		one := in.tool(id, name)
		t.Name = name
		if one.Command != "" {
			commands, t.Dir = append(commands, one.Command), one.Dir
		}
		if len(one.Todos) > 0 {
			t.Todos = one.Todos
		}
		if name == "apply_patch" {
			t.File, t.Writes = scriptedPatch(script), true
		}
	}
	if len(commands) > 0 {
		t.Name, t.Command = "exec_command", strings.Join(commands, "\n")
		if len(commands) == 1 && !t.Writes {
			t.File = fileRead(commands[0])
		}
	}
	return t
}

// scriptedPatch is the first file that a patch in a text of a script adds or updates.
func scriptedPatch(script string) string {
	_, patch, ok := strings.Cut(script, "*** Begin Patch")
	if !ok {
		return ""
	}
	return patched(strings.ReplaceAll(patch, `\n`, "\n"))
}

// object is a literal of JavaScript as JSON: the names of members without quotes, and texts in
// any of its quotes. ok is false if it is not whole.
func object(src string) (literal string, ok bool) {
	var b strings.Builder
	depth := 0
	for at := 0; at < len(src); {
		switch c := src[at]; {
		case c == '"' || c == '\'' || c == '`':
			text, size := quotedText(src[at:])
			b.WriteString(text)
			at += size
			continue
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case isWord(c) && (c < '0' || c > '9'):
			end := at
			for end < len(src) && isWord(src[end]) {
				end++
			}
			word := src[at:end]
			if after := strings.TrimLeft(src[end:], " \t\n\r"); strings.HasPrefix(after, ":") {
				word = `"` + word + `"`
			}
			b.WriteString(word)
			at = end
			continue
		}
		b.WriteByte(src[at])
		if at++; depth == 0 {
			return withoutLastCommas(b.String()), strings.HasPrefix(b.String(), "{")
		}
	}
	return "", false
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quotedText is the text at the beginning of src as one of JSON, and its size in src.
func quotedText(src string) (text string, size int) {
	var b strings.Builder
	b.WriteByte('"')
	at := 1
	for ; at < len(src) && src[at] != src[0]; at++ {
		switch c := src[at]; {
		case c == '\\' && at+1 < len(src):
			at++
			if strings.IndexByte(`"\/bfnrtu`, src[at]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(src[at])
		case c == '"':
			b.WriteString(`\"`)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c >= ' ':
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String(), min(at+1, len(src))
}

// withoutLastCommas is a literal without the commas that JSON does not have.
func withoutLastCommas(literal string) string {
	return strings.NewReplacer(",}", "}", ",]", "]").Replace(literal)
}

// scriptedOutput is what a script printed. The exit status of its command is known if it printed the
// whole result as JSON. A script that goes on has no result yet.
func scriptedOutput(id, how, printed string) Result {
	if strings.HasPrefix(how, "Script running") {
		return Result{ID: id, Background: true}
	}
	if how == "Script failed" {
		return result(id, true, strings.TrimSpace(printed))
	}
	var one struct {
		Exit    *int   `json:"exit_code"`
		Session int    `json:"session_id"`
		Output  string `json:"output"`
	}
	anyObject([]byte(strings.TrimSpace(printed)), &one)
	switch {
	case one.Exit != nil:
		return exited(id, *one.Exit, one.Output)
	case one.Session > 0:
		return Result{ID: id, Background: true}
	}
	res := result(id, false, "")
	res.printed(printed)
	return res
}
