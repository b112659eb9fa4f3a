package transcript

import (
	"cmp"
	"encoding/json"
	"path"
	"strings"
)

// toolInput has the names that hosts use for the file and the command of a
// tool.
type toolInput struct {
	FilePath     string  `json:"file_path"`
	FilePathJS   string  `json:"filePath"`
	AbsolutePath string  `json:"absolute_path"`
	Path         string  `json:"path"`
	Notebook     string  `json:"notebook_path"`
	Offset       int     `json:"offset"`
	Command      command `json:"command"`
	Cmd          command `json:"cmd"`
	Workdir      string  `json:"workdir"`
	Subagent     string  `json:"subagent_type"`
	Description  string  `json:"description"`
	Pattern      string  `json:"pattern"`
	Query        string  `json:"query"`
	URL          string  `json:"url"`
	Todos        todos   `json:"todos"`
	Plan         todos   `json:"plan"`
	TaskID       string  `json:"taskId"`
	Subject      string  `json:"subject"`
	Status       string  `json:"status"`
}

// todos parses a to-do list. Any other form is an empty list.
type todos []Todo

func (t *todos) UnmarshalJSON(src []byte) error {
	var list []struct {
		ID, Content, Description, Step, Title, Status string
	}
	if json.Unmarshal(src, &list) != nil {
		return nil
	}
	*t = todos{}
	for _, e := range list {
		*t = append(*t, Todo{e.ID, cmp.Or(e.Content, e.Step, e.Description, e.Title), e.Status})
	}
	return nil
}

// todo adds what a tool does to the list.
func (in *toolInput) todo(t *Tool) {
	switch strings.ToLower(t.Name) {
	case "todowrite", "todo_write", "write_todos", "update_plan":
		if t.Todos = in.Todos; t.Todos == nil {
			t.Todos = in.Plan
		}
	case "taskcreate":
		t.Todos, t.Change = []Todo{{Text: in.Subject}}, true
	case "taskupdate":
		if in.TaskID != "" {
			t.Todos, t.Change = []Todo{{in.TaskID, in.Subject, in.Status}}, true
		}
	}
}

// command is a shell's command: one text, or its words.
type command string

func (c *command) UnmarshalJSON(src []byte) error {
	var words []string
	if json.Unmarshal(src, &words) == nil {
		if n := len(words); n == 3 && strings.HasSuffix(words[0], "sh") && strings.HasPrefix(words[1], "-") {
			words = words[2:] // sh -lc COMMAND
		}
		*c = command(strings.Join(words, " "))
		return nil
	}
	var text string
	_ = json.Unmarshal(src, &text) // any other form is not a command
	if shell, inner, ok := strings.Cut(text, " -lc "); ok && strings.HasSuffix(shell, "sh") {
		text = strings.Trim(inner, `'"`)
	}
	*c = command(text)
	return nil
}

// writers are the tools that change the file that they name, in lower case.
var writers = map[string]bool{"write": true, "edit": true, "multiedit": true, "notebookedit": true, "write_file": true, "replace": true,
	"create": true, "str_replace": true, "apply_patch": true, "patch": true, "insert": true}

// Writes reports whether a tool changes the file that it names.
func Writes(tool string) bool { return writers[strings.ToLower(tool)] }

// Commits reports whether a shell's command makes a commit.
func Commits(command string) bool { return strings.Contains(command, "git commit") }

func (in toolInput) tool(id, name string) Tool {
	t := Tool{ID: id, Name: name, Part: in.Offset, Command: strings.TrimSpace(string(cmp.Or(in.Command, in.Cmd)))}
	t.File = cmp.Or(in.FilePath, in.FilePathJS, in.AbsolutePath, in.Notebook, in.Path)
	t.Writes, t.Dir = Writes(name), in.Workdir
	if name == "Task" || name == "Agent" {
		t.Subagent, t.Task = cmp.Or(in.Subagent, "general-purpose"), in.Description
	}
	if t.File == "" {
		t.File = fileRead(t.Command)
	}
	if t.What = in.Pattern; t.What == "" && t.File == "" && t.Command == "" {
		t.What = cmp.Or(in.Query, in.URL, in.Description)
	}
	in.todo(&t)
	return t
}

// readers are the programs that print a file that they are given as their last
// argument.
var readers = map[string]bool{"cat": true, "sed": true, "head": true, "tail": true, "nl": true, "less": true, "bat": true}

// fileRead is the file that a simple command prints, "" for a command with
// pipes, quotes around its last word or another program.
func fileRead(command string) string {
	words := strings.Fields(command)
	if len(words) < 2 || !readers[path.Base(words[0])] || strings.ContainsAny(command, "|;&<>$`*") {
		return ""
	}
	last := words[len(words)-1]
	if strings.HasPrefix(last, "-") || strings.ContainsAny(last, `'"`) || words[0] == "sed" && strings.Contains(command, " -i") {
		return ""
	}
	return last
}

// Saves reports whether a call of a tool saves a handoff: it writes a document
// into a handoffs folder, or runs `handoff new`.
func (t Tool) Saves() bool {
	if t.Writes {
		dir, name := path.Split(strings.ReplaceAll(t.File, `\`, "/"))
		return strings.HasSuffix(dir, "/handoffs/") && strings.HasSuffix(name, ".md") && strings.Contains(name, "handoff")
	}
	for _, words := range commands(t.Command) {
		if len(words) > 1 && path.Base(words[0]) == "handoff" && words[1] == "new" {
			return true
		}
	}
	return strings.HasSuffix(t.Name, "handoff_new") // the tool of an MCP server
}

// commands are the words of the commands that a shell's command consists of,
// split where a shell would in the usual cases.
func commands(command string) [][]string {
	var all [][]string
	split := func(r rune) bool { return strings.ContainsRune("|;&\n()", r) }
	for _, part := range strings.FieldsFunc(command, split) {
		words := strings.Fields(part)
		for len(words) > 0 && strings.Contains(words[0], "=") { // NAME=value COMMAND
			words = words[1:]
		}
		all = append(all, words)
	}
	return all
}
