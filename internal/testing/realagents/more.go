package realagents

import (
	"fmt"
	"os"
	"path/filepath"
)

// more are agents with no hooks that deliver into each session, or whose hooks are
// tested elsewhere: see [More].
var more = map[string]kind{
	"qwen": {
		args: []string{"-o", "stream-json", "--approval-mode", "yolo"},
		env: func(home, url string) []string {
			return []string{"OPENAI_API_KEY=any", "OPENAI_BASE_URL=" + url + "/v1", "OPENAI_MODEL=fake", "QWEN_TELEMETRY_ENABLED=false", "QWEN_CODE_NO_RELAUNCH=1"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{
				".qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":true}},"general":{"disableAutoUpdate":true,"enableAutoUpdate":false},` +
					`"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false}}`,
				".qwen/trustedFolders.json": fmt.Sprintf(`{%q:"TRUST_FOLDER"}`, work),
			}
		},
		shell: "run_shell_command", input: "command", mcp: "mcp__%s__%s",
	},
	"copilot": {
		args: []string{"-s", "--no-ask-user", "--output-format", "json", "--allow-all-tools"},
		env: func(home, url string) []string {
			return []string{"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + url + "/v1", "COPILOT_PROVIDER_API_KEY=any", "COPILOT_MODEL=fake",
				"COPILOT_PROVIDER_MAX_PROMPT_TOKENS=128000", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS=8000", "COPILOT_AUTO_UPDATE=false", "GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS=true"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{".copilot/config.json": fmt.Sprintf(`{"trustedFolders":[%q]}`, work)}
		},
		shell: "bash", input: "command", mcp: "%s-%s",
	},
	"pi": {
		args: []string{"-p", "--mode", "json"},
		env: func(home, url string) []string {
			return []string{"PI_OFFLINE=1", "PI_SKIP_VERSION_CHECK=1", "PI_TELEMETRY=0"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{
				".pi/agent/models.json": fmt.Sprintf(`{"providers":{"fake":{"baseUrl":%q,"api":"openai-completions","apiKey":"any",`+
					`"compat":{"supportsDeveloperRole":false,"supportsReasoningEffort":false},"models":[{"id":"fake","contextWindow":200000,"maxTokens":8000}]}}}`, url+"/v1"),
				".pi/agent/settings.json": `{"defaultProvider":"fake","defaultModel":"fake"}`,
			}
		},
		shell: "bash", input: "command", mcp: "%s_%s",
	},
	"cline": {
		args: []string{"--auto-approve", "true"},
		env:  func(home, url string) []string { return []string{"CLINE_SESSION_BACKEND_MODE=local"} },
		files: func(home, url, work string) map[string]string {
			return map[string]string{".cline/data/settings/providers.json": fmt.Sprintf(`{"version":1,"lastUsedProvider":"openai-compatible","modes":{},"providers":{"openai-compatible":{`+
				`"settings":{"provider":"openai-compatible","apiKey":"any","model":"fake","baseUrl":%q},"updatedAt":"2026-11-28T00:00:00.000Z","tokenSource":"manual"}}}`, url+"/v1")}
		},
		shell: "run_commands", input: "commands", mcp: "%s_%s",
	},
	"continue": {
		program: "cn",
		args:    []string{"--auto", "-p"},
		env: func(home, url string) []string {
			return []string{"CONTINUE_TELEMETRY_ENABLED=0", "CONTINUE_GLOBAL_DIR=" + home + "/.continue"}
		},
		files: func(home, url, work string) map[string]string {
			return map[string]string{
				".profile":              "PATH=$AGENT_PATH\n", // it runs a login shell
				".continue/config.yaml": fmt.Sprintf("name: test\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: fake\n    provider: openai\n    model: gpt-4o\n    apiKey: any\n    apiBase: %s/v1\n    roles: [chat]\n", url),
			}
		},
		shell: "Bash", input: "command", mcp: "%s_%s",
	},
}

// More are agents besides those of [Names], which fewer tests run. Cline is not installed with the others, and
// counts if it was put beside them.
func More() []string {
	names := []string{"qwen", "copilot", "pi", "continue"}
	if _, err := os.Stat(filepath.Join(os.Getenv("HANDOFF_AGENTS"), "cline")); err == nil {
		names = append(names, "cline")
	}
	return names
}
