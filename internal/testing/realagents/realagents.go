// Package realagents prepares the coding agents that people use, so that tests
// can run them against a scriptedmodel: each has a home folder of its own, is
// pointed at the model, and trusts the folder that it works in. The programs are
// those that .ci/real-agents installs; without them a test is skipped.
package realagents

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/scriptedmodel"
)

// Agent is a program that is ready to be run.
type Agent struct {
	Name string
	Path string   // the program
	Home string   // its home folder
	Env  []string // environment variables for it, besides those of the test
	// Args run it without a person: the prompt is on stdin, and all tools are allowed.
	Args []string
}

// kind is what differs between the agents.
type kind struct {
	program      string // of the agent; "" for its name
	args         []string
	env          func(home, url string) []string
	files        func(home, url, work string) map[string]string // below the home folder
	shell, input string                                         // the tool that runs a shell command, and its parameter with the command
	mcp          string                                         // the name of a tool of an MCP server: %s are the server's and the tool's
}

var kinds = map[string]kind{
	"claude": {
		args: []string{"-p", "--output-format", "stream-json", "--verbose", "--allowedTools", "Bash,Read,Edit,Write"},
		env: func(home, url string) []string {
			return []string{"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=any", "ANTHROPIC_MODEL=" + usual("claude-sonnet-4-5"),
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION=false"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{".claude.json": fmt.Sprintf(`{"hasCompletedOnboarding":true,"projects":{%q:{"hasTrustDialogAccepted":true}}}`, work)}
		},
		shell: "Bash", input: "command", mcp: "mcp__%s__%s",
	},
	"codex": {
		args: []string{"exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"},
		env: func(home, url string) []string {
			return []string{"FAKE_KEY=any", "CODEX_HOME=" + filepath.Join(home, ".codex")}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{".codex/config.toml": fmt.Sprintf(
				"model = \"fake\"\nmodel_provider = \"fake\"\n[model_providers.fake]\nname = \"fake\"\nbase_url = %q\nwire_api = \"responses\"\nenv_key = \"FAKE_KEY\"\n", url+"/v1")}
		},
		shell: "exec_command", input: "cmd", mcp: "mcp__%s/%s",
	},
	"gemini": {
		args: []string{"-o", "stream-json", "--skip-trust", "--yolo"},
		env: func(home, url string) []string {
			return []string{"GEMINI_API_KEY=any", "GOOGLE_GEMINI_BASE_URL=" + url, "GEMINI_TELEMETRY_ENABLED=false", "GEMINI_CLI_NO_RELAUNCH=1"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{
				".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"model":{"name":"gemini-2.5-flash"},"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false}}`,
				// With --skip-trust alone it ignores the settings, and so the hooks, of the folder.
				".gemini/trustedFolders.json": fmt.Sprintf(`{%q:"TRUST_FOLDER"}`, work),
			}
		},
		shell: "run_shell_command", input: "command", mcp: "mcp_%s_%s",
	},
	"opencode": {
		args: []string{"run", "--format", "json"},
		env: func(home, url string) []string {
			return []string{"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_DATA_HOME=" + filepath.Join(home, ".local/share"),
				"XDG_STATE_HOME=" + filepath.Join(home, ".local/state"), "XDG_CACHE_HOME=" + filepath.Join(home, ".cache"),
				"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "npm_config_offline=true"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{".config/opencode/opencode.json": fmt.Sprintf(
				`{"autoupdate":false,"permission":"allow","model":"fake/fake","small_model":"fake/fake","provider":{"fake":{"npm":"@ai-sdk/openai-compatible",`+
					`"options":{"baseURL":%q,"apiKey":"any"},"models":{"fake":{"limit":{"context":200000,"output":8000}}}}}}`, url+"/v1")}
		},
		shell: "bash", input: "command", mcp: "%s_%s",
	},
}

// kindOf is the kind of an agent.
func kindOf(name string) (kind, bool) {
	if k, ok := kinds[name]; ok {
		return k, true
	}
	k, ok := more[name]
	return k, ok
}

// DefaultModels reports whether the agents run with the models that they choose themselves, as .ci/drift wants
// it, and not with those whose windows the tests know.
func DefaultModels() bool { return os.Getenv("HANDOFF_DEFAULT_MODELS") != "" }

// usual is the model of a test; "" for the agent's own.
func usual(model string) string {
	if DefaultModels() {
		return ""
	}
	return model
}

// Names are those of the agents that every test of agents runs.
func Names() []string { return []string{"claude", "codex", "gemini", "opencode"} }

// Relaunch has an agent start itself once more with more memory, as it does for people: prepared agents do not,
// because to start twice takes twice the CPU.
var Relaunch = []string{"GEMINI_CLI_NO_RELAUNCH=", "QWEN_CODE_NO_RELAUNCH="}

// Prepare makes an agent ready to work in a folder with a model. The profile of an agent that runs a
// login shell sets PATH to that of the variable AGENT_PATH. Without the
// installed agents (HANDOFF_AGENTS names their folder) the test is skipped.
func Prepare(t testing.TB, name, work string, model *scriptedmodel.Server) *Agent {
	t.Helper()
	bin := needs.Folder(t, "HANDOFF_AGENTS")
	k, ok := kindOf(name)
	if !ok {
		t.Fatalf("no agent is called %q", name)
	}
	home := t.TempDir()
	for path, text := range k.files(home, model.URL, work) {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := append(k.env(home, model.URL), "HOME="+home, "IS_SANDBOX=1", "CLAUDE_CODE_EXECUTABLE="+filepath.Join(bin, "claude"), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "AGENT_PATH="+os.Getenv("PATH"),
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost")
	return &Agent{Name: name, Path: filepath.Join(bin, cmp.Or(k.program, name)), Home: home, Env: env, Args: k.args}
}

// MCP is a call of a tool of an MCP server.
func MCP(agent, server, tool string, input map[string]any) scriptedmodel.Call {
	k, _ := kindOf(agent)
	return scriptedmodel.Call{Name: fmt.Sprintf(k.mcp, server, tool), Input: input}
}

// Shell is the tool call with which an agent's model runs a shell command. It
// needs no prepared agent: a script uses it, and is passed to the model before
// the agent is prepared for that model.
func Shell(agent, command string) scriptedmodel.Call {
	k, _ := kindOf(agent)
	input := map[string]any{k.input: command}
	switch agent {
	case "opencode", "claude", "copilot":
		input["description"] = "run a command"
	case "qwen":
		input["description"], input["is_background"] = "run a command", false
	case "cline":
		input = map[string]any{k.input: []string{command}}
	}
	return scriptedmodel.Call{Name: k.shell, Input: input}
}
