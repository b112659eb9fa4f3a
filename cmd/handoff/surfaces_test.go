package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// layoutFiles are documents of layouts, one each: task folders, features of Spec Kit, and a known
// place of each kind.
var layoutFiles = []string{
	"specs/7_parser/handoffs/phase-1-handoff-20260212T101112Z.md", "specs/007-parser/handoffs/phase-1-handoff-20260212T101112Z.md",
	"HANDOFF.md", "docs/SESSION_HANDOFF.md", "docs/handoffs/2026-02-12-fix-auth.md", ".claude/handoffs/2026-02-12-fix-auth.md",
	"thoughts/shared/handoffs/ENG-7/2026-02-12_10-11-12_fix-auth.md", "memory-bank/activeContext.md",
	".planning/phases/07-auth/.continue-here.md", ".planning/HANDOFF.json", "openspec/changes/add-login/handoff-2026-02-12_10-11-12.md",
	".beads/handoffs/bd-7_2026-02-12_10-11-12.md", "backlog/handoffs/task-7_2026-02-12_10-11-12.md", "thoughts/ledgers/CONTINUITY_CLAUDE-auth.md", "claude-progress.txt", "docs/引き継ぎ.md",
}

// TestLayoutsOnSurfaces takes a document of each layout up on each surface, without a configuration.
func TestLayoutsOnSurfaces(t *testing.T) {
	needs.Unix(t, "the steps of the action run in bash")
	for _, tool := range []string{"git", "bash"} {
		needs.Tool(t, tool)
	}
	files := layoutFiles
	if testing.Short() {
		files = []string{files[1], files[6], files[8], files[10], files[len(files)-1]}
	}
	for _, path := range files {
		for surface, use := range map[string]func(layoutTest){"command line": onCommandLine, "top": onTop, "dashboard": onDashboard, "MCP": onMCP,
			"hook": onHook, "LSP": onLSP, "HTTP": onHTTP, "action": onAction, "pre-commit": onPreCommit} {
			t.Run(path+" "+surface, func(t *testing.T) {
				t.Parallel()
				l := layoutTest{t, t.TempDir(), path}
				git(t, l.dir, "init", "-q")
				l.write(placeAction)
				put(t, l.dir, "src/auth/token.test.ts", "test('x')\n")
				use(l)
			})
		}
	}
}

type layoutTest struct {
	*testing.T
	dir, path string
}

// write writes the document with a next action.
func (l layoutTest) write(action string) {
	text := placeText(l.path)
	if strings.HasPrefix(l.path, "specs/") {
		text = strings.Replace(documentWith("Phase 1 Handoff - 20260212T101112Z", placeAction), "README.md", "src/auth/token.test.ts", 1)
	}
	put(l.T, l.dir, l.path, strings.Replace(text, placeAction, action, 1))
}

func (l layoutTest) run(args ...string) string {
	l.Helper()
	out, _ := l.runs(args...)
	return out
}

func (l layoutTest) runs(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(commandDir(l.T), "handoff"), args...)
	cmd.Dir, cmd.Env = l.dir, append(os.Environ(), "HANDOFF_CLAIM=", "XDG_STATE_HOME="+l.dir+"/.git/state")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (l layoutTest) want(what, text string, parts ...string) {
	l.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			l.Errorf("%s: no %q in\n%s", what, part, text)
		}
	}
}

// task is the number of the task; "" if the layout has none.
func (l layoutTest) task() string {
	if strings.HasPrefix(l.path, "specs/") || strings.ContainsAny(l.path, "7") {
		return "7"
	}
	return ""
}

// called is what pictures call the task: its folder, or the document.
func (l layoutTest) called() string {
	if folder, _, ok := strings.Cut(l.path, "/handoffs/phase"); ok {
		return folder
	}
	return l.path
}

// drawn is what lists of tasks call it: by the number and the slug that ls --json has, if there are any.
func (l layoutTest) drawn() string {
	l.Helper()
	var rows []struct{ Ref, Slug string }
	cmd := exec.Command(filepath.Join(commandDir(l.T), "handoff"), "ls", "--json")
	cmd.Dir = l.dir
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &rows)
	}
	if err != nil || len(rows) == 0 {
		l.Fatalf("ls --json: %v\n%s", err, out)
	}
	ref, _, _ := strings.Cut(rows[0].Ref, "/") // of a task in a folder without its phase
	switch {
	case ref == "" || rows[0].Slug == "" || l.task() == "":
		return l.called()
	case ref == rows[0].Slug:
		return ref
	}
	return ref + " " + rows[0].Slug
}

func onCommandLine(l layoutTest) {
	refs := []string{l.path, "latest"}
	if l.task() != "" {
		refs = append(refs, l.task())
	}
	for _, id := range []string{"07-auth", "add-login", "bd-7", "task-7"} {
		if strings.Contains(l.path, id) {
			refs = append(refs, id)
			l.want("ls", l.run("ls"), id)
			l.want("ls --task", l.run("ls", "--task", id), "refreshToken")
			l.want("next --task", l.run("next", "--task", id), "refreshToken")
		}
	}
	for _, command := range []string{"ls", "next", "search refreshToken", "show latest"} {
		l.want(command, l.run(strings.Fields(command)...), "refreshToken")
	}
	l.want("graph", l.run("graph"), l.drawn())
	for _, ref := range refs {
		l.want("brief "+ref, l.run("brief", ref), "refreshToken")
		for _, args := range [][]string{{"lint", ref}, {"verify", ref}, {"graph", "--task", ref}, {"task", "show", ref}} {
			if args[0] != "lint" && ref == "latest" && !strings.HasPrefix(l.path, "specs/") {
				continue // the latest is a document there, not a task
			}
			if out, err := l.runs(args...); err != nil {
				l.Errorf("%q: %v\n%s", args, err, out)
			}
		}
	}
	l.want("claim", l.run("claim", l.path, "--as", "ada"), "claimed")
	l.run("done", l.path, "--as", "ada")
	l.want("ls", l.run("ls"), "done")
}

func onTop(l layoutTest) {
	var v struct {
		Tasks []struct{ Path, State, Command string }
	}
	if err := json.Unmarshal([]byte(l.run("top", "--json")), &v); err != nil || len(v.Tasks) != 1 || v.Tasks[0].Path != l.path || v.Tasks[0].State != "waiting" {
		l.Fatalf("%v: %+v", err, v)
	}
	l.want("its command", v.Tasks[0].Command, "handoff claim ")
}

// serve starts a server of the tree and returns its address.
func (l layoutTest) serve() string {
	_, address := started(l.T, nil, nil, "cd '"+l.dir+"' &&", "--listen", "127.0.0.1:0", "--no-token")
	return address
}

func (l layoutTest) ask(method, address, body string) string {
	l.Helper()
	r, _ := http.NewRequest(method, address, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		l.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode >= 300 {
		l.Errorf("%s %s: %d\n%s", method, address, resp.StatusCode, text)
	}
	return string(text)
}

// page is a page of the dashboard, which a slow machine first shows without its content.
func (l layoutTest) page(address string) (text string) {
	l.Helper()
	waittest.Until(l.T, address, func() bool {
		text = l.ask("GET", address, "")
		return !strings.Contains(text, "Reading the workspace …")
	})
	return text
}

var taskLink = regexp.MustCompile(`href="(/view/task\?[^"#]*)`)

func onDashboard(l layoutTest) {
	address := l.serve()
	for _, page := range []string{"/", "/view/waiting", "/view/search?q=refreshToken"} {
		text := l.page(address + page)
		if page == "/" {
			l.want("its row", strings.NewReplacer("<b>", "", "</b>", "").Replace(text), ">"+l.drawn())
		}
		link := taskLink.FindStringSubmatch(text)
		if link == nil {
			l.Errorf("%s leads to no document:\n%s", page, text)
			continue
		}
		l.want(page+" leads to "+link[1], l.page(address+strings.ReplaceAll(link[1], "&amp;", "&")), "refreshToken", "waiting")
	}
}

func onHTTP(l layoutTest) {
	address := l.serve()
	ref := address + "/handoffs/" + url.PathEscape(l.path)
	l.want("list", l.ask("GET", address+"/handoffs", ""), "refreshToken")
	l.want("next", l.ask("GET", address+"/handoffs/next", ""), "refreshToken")
	l.want("document", l.ask("GET", ref, ""), "refreshToken")
	if l.task() != "" {
		l.ask("GET", address+"/findings?task="+l.task(), "")
	}
	var claimed struct{ Claim string }
	if err := json.Unmarshal([]byte(l.ask("POST", ref+"/claim", `{"as": "ada"}`)), &claimed); err != nil || claimed.Claim == "" {
		l.Fatalf("claim: %v", err)
	}
	l.want("done", l.ask("POST", ref+"/done", `{"claim": "`+claimed.Claim+`"}`), `"done"`)
}

func onMCP(l layoutTest) {
	s := startMCP(l.T, l.dir)
	call := func(tool, arguments string) string {
		s.send(l.T, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+arguments+`}}`+"\n")
		return s.answer(l.T)
	}
	ref, _ := json.Marshal(l.path)
	l.want("current", call("handoff_current", `{}`), "refreshToken")
	l.want("current of it", call("handoff_current", fmt.Sprintf(`{"ref":%s}`, ref)), "refreshToken")
	l.want("search", call("handoff_search", `{"query":"refreshToken"}`), "refreshToken")
	l.want("check", call("handoff_check", fmt.Sprintf(`{"ref":%s}`, ref)), `"errors":0`)
	l.want("claim", call("handoff_claim", fmt.Sprintf(`{"action":"claim","ref":%s}`, ref)), `"state":"claimed"`)
	l.want("done", call("handoff_claim", fmt.Sprintf(`{"action":"done","ref":%s}`, ref)), `"state":"done"`)
}

// onHook: the text that a session gets names the document in the commands to take it up. On a busy machine
// a hook may stop at its deadline and print nothing; the next session gets the handoff then.
func onHook(l layoutTest) {
	var out []byte
	sessions := 0
	waittest.Until(l.T, "a hook that answers in time", func() bool {
		sessions++
		cmd := exec.Command(filepath.Join(commandDir(l.T), "handoff"), "hook", "session-start", "--host", "claude")
		cmd.Dir, cmd.Env = l.dir, append(os.Environ(), "HANDOFF_CLAIM=", "XDG_STATE_HOME="+l.dir+"/.git/state")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"s%d","hook_event_name":"SessionStart","source":"startup","cwd":%q}`, sessions, l.dir))
		var err error
		if out, err = cmd.CombinedOutput(); err != nil {
			l.Errorf("%v: %s", err, out)
		}
		return len(out) > 0
	})
	l.want("hook", string(out), "refreshToken", "handoff claim "+l.path)
}

func onLSP(l layoutTest) {
	src, err := os.ReadFile(filepath.Join(l.dir, filepath.FromSlash(l.path)))
	if err != nil {
		l.Fatal(err)
	}
	list, ours := startEditor(l.T, l.dir).diagnostics(filepath.Join(l.dir, filepath.FromSlash(l.path)), strings.Replace(string(src), placeAction, "Continue working on it.", 1))
	if !ours || !strings.Contains(strings.Join(list, "\n"), "vague-next-action") {
		l.Errorf("an editor sees %v, %q", ours, list)
	}
}

func onAction(l layoutTest) {
	a := readAction(l.T)
	for _, c := range []struct {
		action string
		strict string
		status int
	}{{placeAction, "false", 0}, {"Continue working on it.", "true", 1}} {
		l.write(c.action)
		j := newJob(l.T, a, map[string]string{"strict": c.strict})
		j.dir = l.dir
		j.values["inputs.binary"] = filepath.Join(commandDir(l.T), "handoff")
		if got := j.run(l.T, a); got != c.status {
			l.Errorf("%s: exit status %d\n%s", c.action, got, &j.log)
		}
		if c.status == 1 {
			l.want("log", j.log.String(), "vague-next-action")
		}
	}
}

// onPreCommit passes all files of a commit whose names a hook selects, as pre-commit does, and
// asks the git hook's command for the same.
func onPreCommit(l layoutTest) {
	src, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		l.Fatal(err)
	}
	var hooks []struct{ ID, Entry, Files string }
	if err := yaml.Unmarshal(src, &hooks); err != nil {
		l.Fatal(err)
	}
	put(l.T, l.dir, "README.md", "# A project\n")
	put(l.T, l.dir, "tsconfig.json", "{}\n")
	for _, action := range []string{placeAction, "Continue working on it."} {
		l.write(action)
		git(l.T, l.dir, "add", "-A")
		var files []string
		for _, f := range strings.Split(git(l.T, l.dir, "ls-files", "-z"), "\x00") {
			if regexp.MustCompile(hooks[0].Files).MatchString(f) {
				files = append(files, f)
			}
		}
		entry := strings.Fields(hooks[0].Entry)[1:]
		out, err := l.runs(append(append(entry, "--strict"), files...)...)
		staged, failed := l.runs("lint", "--staged", "--strict")
		if good := action == placeAction; (err == nil) != good || (failed == nil) != good {
			l.Errorf("%s: %v\n%s\n--staged: %v\n%s", action, err, out, failed, staged)
		}
	}
}
