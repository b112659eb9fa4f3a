package host

import (
	"strings"
	"unicode"
)

// Detect is the name of the host that called a hook, "" if that is not known. The input
// decides first, because an agent that another one starts in a shell inherits its
// environment variables.
func Detect(in Input, getenv func(string) string) string {
	if name := Proven(in); name != "" {
		return name
	}
	set := func(key string) bool { return getenv(key) != "" }
	switch {
	case set("COPILOT_CLI"):
		return "copilot"
	case set("GEMINI_SESSION_ID") && in.fields.has("timestamp"):
		return "gemini"
	case set("QWEN_PROJECT_DIR"):
		return "qwen"
	case set("CRUSH"):
		return "crush"
	case (set("CLAUDE_CODE_SESSION_ID") || set("CLAUDE_PLUGIN_ROOT")) && isPascal(in.Native):
		return "claude"
	}
	return ""
}

// Proven is the host whose form the input has, "" if several have it. GitHub
// Copilot and Cursor also run the hooks of Claude Code's settings, so that a
// hook which was installed for one host may be called by another one.
func Proven(in Input) string {
	has := in.fields.has
	switch {
	case has("cursor_version"), has("conversation_id"):
		return "cursor"
	case has("sessionId") && has("hookEventName"):
		return "vscode"
	case has("sessionId"):
		return "copilot"
	case has("event") && has("working_dir"):
		return "goose"
	case in.Native == "agentSpawn":
		return "kiro"
	case has("turn_id"):
		return "codex"
	}
	return ownerOf(in.Transcript)
}

// ownerOf is the host that keeps its transcripts in the folder of a file, "" if
// that was moved by a variable.
func ownerOf(transcript string) string {
	path := strings.ReplaceAll(transcript, `\`, "/")
	for _, f := range []struct{ folder, host string }{
		{"/.copilot/", "copilot"}, {"/.gemini/", "gemini"}, {"/.qwen/", "qwen"}, {"/.claude/projects/", "claude"},
	} {
		if strings.Contains(path, f.folder) {
			return f.host
		}
	}
	if _, rest, ok := strings.Cut(path, "/sessions/"); ok && inYear(rest) {
		return "codex"
	}
	return ""
}

// inYear reports whether a path begins with a year.
func inYear(path string) bool {
	year, _, ok := strings.Cut(path, "/")
	return ok && len(year) == 4 && strings.Trim(year, "0123456789") == ""
}

// isPascal reports whether a name begins with an upper-case letter.
func isPascal(name string) bool {
	return name != "" && unicode.IsUpper([]rune(name)[0])
}
